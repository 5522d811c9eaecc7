"""The question moved towards what was found first, and what lies close to it then (pseudo-relevance feedback).

After J. J. Rocchio, "Relevance feedback in information retrieval" (1971), over dense vectors and without negatives.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from edu_cli.types import StoredParent

LEADING = 3  # passages that the question moves towards; 5 did no better on the sets that bench/fit_search.py fits on
_STEP = 0.5  # how far it moves, in lengths of a vector; 1.0 did no better there


def feedback(
    question: npt.NDArray[np.float32] | None,
    parents: Sequence[StoredParent],
    vectors: Mapping[str, npt.NDArray[np.float32]],
    leading: Sequence[str],
) -> npt.NDArray[np.float64]:
    """For each parent the best inner product of a child with the moved question; NaN where there are no vectors.

    `leading` are the ids of the children that the question moves towards.
    """
    found = np.full(len(parents), np.nan)
    towards = [vectors[child_id] for child_id in leading if child_id in vectors]
    if question is None or not towards:
        return found
    centre = np.sum(towards, axis=0)
    moved = question + _STEP * centre / max(float(np.linalg.norm(centre)), 1e-9)
    for i, parent in enumerate(parents):
        rows = [vectors[child.child_id] for child in parent.children if child.child_id in vectors]
        if rows:
            found[i] = (np.stack(rows) @ moved).max()
    return found
