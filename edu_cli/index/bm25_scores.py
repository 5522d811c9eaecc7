"""BM25 as Lucene has it: the IDF of terms, and the score that each entry of an inverted file adds."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from edu_cli.index.arrays import forget, write_header
from edu_cli.index.rows import read_array
from edu_cli.settings import LexicalSettings

_PIECE = 1_000_000  # entries scored at once
_MOST = 65_535  # repeats of a word in one row that are told apart; the score has long stopped growing


def lucene_idf(counts: npt.NDArray[np.int64], n_rows: int) -> npt.NDArray[np.float32]:
    """ln(1 + (N - n + .5) / (n + .5)): above 0 also for a term that every row holds."""
    return np.log1p((n_rows - counts + 0.5) / (counts + 0.5)).astype(np.float32)


def write_scores(
    folder: Path, ends: npt.NDArray[np.int64], lengths: npt.NDArray[np.int32], settings: LexicalSettings
) -> None:
    """Turns values.npy from counts into scores (IDF x saturated count, as bm25s's method "lucene") a piece at a time.

    The counts are kept in counts.npy for the next build.
    """
    rows, values = read_array(folder / "rows.npy"), np.load(folder / "values.npy", mmap_mode="r+")
    mean = max(float(lengths.mean()), 1e-9) if len(lengths) else 1.0
    hold = (settings.k1 * (1 - settings.b + settings.b * lengths / mean)).astype(np.float32)
    idf = lucene_idf(np.diff(ends), len(lengths))
    cuts = np.unique(np.searchsorted(ends, np.arange(0, len(rows) + _PIECE, _PIECE)).clip(0, len(idf)))
    with (folder / "counts.npy").open("wb") as counts:
        write_header(counts, np.uint16, rows.shape)
        for first, last in pairwise(cuts):
            span = slice(ends[first], ends[last])
            found = np.asarray(values[span])
            counts.write(np.minimum(found, _MOST).astype(np.uint16).tobytes())
            weights = np.repeat(idf[first:last], np.diff(ends[first : last + 1]))
            values[span] = weights * (found / (found + hold[rows[span]]))
            del found
            forget(rows, values)
