"""Text -> piece ids of XLM-R's unigram vocabulary: the best-scored cutting, found by Viterbi over a trie.

The trie is two sorted arrays that numpy searches and that can lie in a mapped file, so that loading the 250,000 pieces
costs no time. Nodes are numbered level by level in the order of their edges; the edge to node n + 1 is
`edges[n] = parent << 21 | character`, ascending over the whole array, so an edge's place is its node.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from edu_cli.index.encoders.built import load_built
from edu_cli.index.encoders.weights import E5Weights, character_map

_CHARACTER_BITS = 21  # all of Unicode
_SPACE = "▁"
_UNKNOWN_PENALTY = 10.0  # sentencepiece's: an unknown character scores this much below the worst piece
_SLICE = 1 << 16  # characters cut at once: bounds memory where a text of megabytes has no space

_Matches = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]


@dataclass(frozen=True)
class Trie:
    """`edges` as above; `pieces[n]`: the id that ends at node n + 1, or -1; `levels[d]`: edges above depth d."""

    edges: npt.NDArray[np.uint64]
    pieces: npt.NDArray[np.int32]
    levels: tuple[int, ...]


def build_trie(weights: E5Weights) -> Trie:
    """The trie of all pieces but the special ones."""
    codes, lengths = _piece_characters(weights)
    parents = np.zeros(len(lengths), np.uint64)
    edges: list[npt.NDArray[np.uint64]] = []
    pieces: list[npt.NDArray[np.int32]] = []
    levels = [0]
    for depth in range(int(lengths.max())):
        alive = np.flatnonzero(lengths > depth)
        level, place = np.unique(
            parents[alive] << np.uint64(_CHARACTER_BITS) | codes[alive, depth], return_inverse=True
        )
        parents[alive] = (levels[-1] + place + 1).astype(np.uint64)
        ending = lengths[alive] == depth + 1
        ids = np.full(len(level), -1, np.int32)
        ids[place[ending]] = alive[ending]
        edges.append(level)
        pieces.append(ids)
        levels.append(levels[-1] + len(level))
    return Trie(np.concatenate(edges), np.concatenate(pieces), tuple(levels))


def _piece_characters(weights: E5Weights) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]]:
    """Code points of the pieces, (n, longest), and their lengths; a special piece has length 0."""
    raw = weights.piece_bytes
    starts = np.concatenate([[0], np.cumsum((raw & 0xC0) != 0x80)])  # characters before each byte
    flat = np.frombuffer(raw.tobytes().decode("utf-8").encode("utf-32-le"), "<u4").astype(np.uint64)
    offsets = starts[weights.piece_ends]
    lengths = np.diff(offsets)
    columns = np.arange(int(lengths.max()))
    codes = flat[np.minimum(offsets[:-1, None] + columns, len(flat) - 1)]
    lengths[list(weights.special_ids)] = 0
    return codes, lengths


class UnigramTokenizer:
    """Cuts text as the model was trained on it. Any `str` works; lone surrogates count as unknown characters."""

    def __init__(self, weights: E5Weights, trie: Trie) -> None:
        self._trie = trie
        self._scores = weights.piece_scores
        self._characters: Mapping[int, str] = character_map(weights)
        self._unknown_id = weights.unknown_id
        self._unknown_score = float(weights.piece_scores.min()) - _UNKNOWN_PENALTY

    def ids(self, text: str, limit: int | None = None) -> list[int]:
        """Ids without begin and end marks; at most `limit` of them, the rest of the text unread."""
        text = re.sub(" {2,}", " ", text.translate(self._characters))
        text = (text if text.startswith(" ") else " " + text).replace(" ", _SPACE)
        found: list[int] = []
        for start in range(0, len(text), _SLICE):
            found += self._cut(text[start : start + _SLICE])
            if limit is not None and len(found) >= limit:
                return found[:limit]
        return found

    def _cut(self, text: str) -> list[int]:
        """Viterbi: the cutting with the highest sum of scores; of equal ones that with the longer last piece."""
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4").astype(np.uint64)
        starts, ends, ids, scores = self._steps(codes)
        best = [0.0] + [-np.inf] * len(codes)
        origin = [0] * (len(codes) + 1)
        chosen = [0] * (len(codes) + 1)
        for start, end, piece, score in zip(starts, ends, ids, scores, strict=True):
            total = best[start] + score
            if total > best[end]:
                best[end], origin[end], chosen[end] = total, start, piece
        found, at = [], len(codes)
        while at:
            found.append(chosen[at])
            at = origin[at]
        return found[::-1]

    def _steps(self, codes: npt.NDArray[np.uint64]) -> tuple[list[int], list[int], list[int], list[float]]:
        """All pieces that the text holds, and an unknown wherever none is one character long, by end, then start."""
        starts, lengths, ids = self._matches(codes)
        known = np.zeros(len(codes), bool)
        known[starts[lengths == 1]] = True
        unknown = np.flatnonzero(~known)
        scores = np.concatenate([self._scores[ids], np.full(len(unknown), self._unknown_score)])
        starts = np.concatenate([starts, unknown])
        ends = starts + np.concatenate([lengths, np.ones(len(unknown), np.int64)])
        ids = np.concatenate([ids, np.full(len(unknown), self._unknown_id)])
        order = np.lexsort((starts, ends))
        return starts[order].tolist(), ends[order].tolist(), ids[order].tolist(), scores[order].tolist()

    def _matches(self, codes: npt.NDArray[np.uint64]) -> _Matches:
        """Where pieces lie in the text: starts, lengths, ids. All positions walk down the trie together."""
        trie = self._trie
        at = np.arange(len(codes))
        nodes = np.zeros(len(codes), np.uint64)
        found: list[_Matches] = []
        for depth, (low, high) in enumerate(zip(trie.levels, trie.levels[1:], strict=False)):
            within = at + depth < len(codes)
            at, nodes = at[within], nodes[within]
            wanted = nodes << np.uint64(_CHARACTER_BITS) | codes[at + depth]
            places = np.minimum(low + np.searchsorted(trie.edges[low:high], wanted), high - 1)
            alive = trie.edges[places] == wanted
            at, places = at[alive], places[alive]
            if not len(at):
                break
            nodes = (places + 1).astype(np.uint64)
            ids = trie.pieces[places].astype(np.int64)
            whole = ids >= 0
            found.append((at[whole], np.full(int(whole.sum()), depth + 1), ids[whole]))
        if not found:
            empty = np.zeros(0, np.int64)
            return empty, empty, empty
        starts, lengths, ids = (np.concatenate(column) for column in zip(*found, strict=True))
        return starts, lengths, ids


def load_trie(path: Path, weights: E5Weights) -> tuple[Trie, str]:
    """The trie from its file in the cache folder, made first where needed; and why it was not kept ("" if it was)."""
    content, note = load_built(path, lambda: _pack(build_trie(weights)))
    n_levels, n_edges = np.frombuffer(content, "<u8", 2).tolist()
    levels = np.frombuffer(content, "<u8", n_levels, 16)
    edges = np.frombuffer(content, "<u8", n_edges, 16 + 8 * n_levels)
    pieces = np.frombuffer(content, "<i4", n_edges, 16 + 8 * n_levels + 8 * n_edges)
    return Trie(edges, pieces, tuple(levels.tolist())), note


def _pack(trie: Trie) -> bytes:
    head = np.array([len(trie.levels), len(trie.edges), *trie.levels], "<u8")
    return head.tobytes() + trie.edges.astype("<u8").tobytes() + trie.pieces.astype("<i4").tobytes()
