"""Where the answer to a question was lost on its way to the first k ranks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Literal

from edu_cli.evaluate.items import Relevant
from edu_cli.evaluate.retrieval import LEGS, RERANKED, Ranked

Loss = Literal["not_loaded", "not_retrieved", "fused_away", "reranked_away", "cut"]

MEANINGS: Mapping[Loss, str] = {
    "not_loaded": "its document is not in the corpus",
    "not_retrieved": "no leg that was run has it among the first ranks",
    "fused_away": "a single leg has it in the first k, the fused ranking has not",
    "reranked_away": "the fused ranking has it in the first k, the reranked one has not",
    "cut": "it stands behind rank k",
}


def losses(runs: Mapping[str, Sequence[Ranked]], default: str, k: int, docs: Collection[str]) -> dict[str, Loss]:
    """For each question whose default search has no relevant entry in its first k hits: where it was lost."""
    by_id: dict[str, dict[str, Ranked]] = {}
    for mode, run in runs.items():
        for one in run:
            by_id.setdefault(one.item.id, {})[mode] = one
    missed = [one for one in runs[default] if one.judged is not None and not _has(one, k)]
    return {one.item.id: _loss(one, by_id[one.item.id] if default == RERANKED.name else {}, k, docs) for one in missed}


def count_losses(lost: Mapping[str, Loss]) -> dict[Loss, int]:
    """How many questions were lost at each place, in the order of the pipeline."""
    counts = Counter(lost.values())
    return {place: counts[place] for place in MEANINGS if counts[place]}


def _loss(one: Ranked, modes: Mapping[str, Ranked], k: int, docs: Collection[str]) -> Loss:
    if not any(_is_loaded(entry, docs) for entry in one.item.relevant):
        return "not_loaded"
    if "hybrid" in modes and _has(modes["hybrid"], k):
        return "reranked_away"
    if any(leg in modes and _has(modes[leg], k) for leg in LEGS):
        return "fused_away"
    return "cut" if any(place is not None for place in one.found) else "not_retrieved"


def _has(one: Ranked, k: int) -> bool:
    return one.values.get(f"Hit@{k}", 0.0) > 0


def _is_loaded(entry: Relevant, docs: Collection[str]) -> bool:
    return entry.doc is None or entry.doc in docs
