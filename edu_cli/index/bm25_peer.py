"""The BM25 index as bm25s reads it: what `edu doctor` holds our sums against.

Searches do without bm25s: its import would be a tenth of a cold one.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from edu_cli.index.postings import Postings


def scores_by_bm25s(postings: Postings, at: npt.NDArray[np.int64], n_rows: int) -> npt.NDArray[np.float32]:
    """For every row, bm25s's score of a question with the terms at these positions."""
    import bm25s

    peer = bm25s.BM25(method="lucene")
    arrays = {"data": postings.values, "indices": postings.rows, "indptr": postings.ends}
    peer.scores = {**arrays, "num_docs": n_rows}
    peer.nonoccurrence_array = None
    return peer.get_scores_from_ids(at.tolist()) if len(at) else np.zeros(n_rows, np.float32)
