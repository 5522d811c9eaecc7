"""Question -> everything that ranking weighs, computed once: the pool, the shortlist, its evidence, the fused scores.

Search, `--explain` and the scripts that fit the weights all read this one value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from edu_cli.ask.retrieval.asked import Asked
from edu_cli.ask.retrieval.evidence import Evidence, gather
from edu_cli.ask.retrieval.feedback import LEADING, feedback
from edu_cli.ask.retrieval.fuse import PARTS, Fused, leg_parts, part_weights, question_profile, rrf, single, weigh
from edu_cli.ask.retrieval.pool import Floats, Pool, minmax
from edu_cli.ask.retrieval.ranking import Ranking
from edu_cli.ask.retrieval.retrieve import QuestionVectors
from edu_cli.protocols import ParentSource
from edu_cli.types import Leg, StoredParent

SHORTLIST = 50  # parents looked at closely: a first fusion had the right one among 50 as often as among 100, to .005


@dataclass(frozen=True, slots=True)
class Examined:
    """The shortlist, one row a parent, in the pool's order.

    `parts` are 0..1, `weighed` is their sum under the question's weights, and `fused` what ranks: the same, unless
    reciprocal ranks or a single leg were asked for.
    """

    asked: Asked
    profile: Mapping[str, float]
    weights: Mapping[str, float]
    pool: Pool
    parents: tuple[StoredParent, ...]
    evidence: Evidence
    parts: Mapping[str, Floats]
    weighed: Fused
    fused: Fused


def examine(
    asked: Asked,
    vectors: QuestionVectors | None,
    pool: Pool,
    source: ParentSource,
    ranking: Ranking,
    *,
    fusion: str,
    mode: str,
    k: int,
    shifted: Mapping[Leg, float] | None = None,
) -> Examined:
    """The shortlist of a question. `fusion` is auto or rrf; `mode` is hybrid or the leg that ranks alone.

    `shifted` is added to the logits of the legs' weights, where the pool was found by more than the question.
    """
    profile = question_profile(pool, asked)
    first = leg_parts(pool)
    weights = part_weights(ranking.parts, profile, {part: part in first for part in PARTS}, shifted)
    fuse = _fusion(fusion, mode)
    rows = fuse(pool, first, weights).order()[: max(SHORTLIST, 2 * k)]
    found = source.parents([pool.parent_ids[i] for i in rows])
    rows = np.array(sorted(i for i in rows if pool.parent_ids[i] in found), np.intp)  # others were just removed
    parents = tuple(found[pool.parent_ids[i]] for i in rows)
    question = vectors.dense if vectors else None
    child_ids = [child.child_id for parent in parents for child in parent.children]
    known = source.child_vectors(child_ids) if question is not None else {}
    hit = {pool.parent_ids[i]: pool.children[i] for i in rows}
    evidence = gather(asked, question, parents, known, hit)
    parts = {part: values[rows] for part, values in first.items()}
    leading = np.argsort(-sum(parts.values(), np.zeros(len(rows))), kind="stable")[:LEADING]
    moved = feedback(question, parents, known, [evidence.best[i] for i in leading])
    parts |= _read(evidence, moved)
    weights = part_weights(ranking.parts, profile, {part: part in parts for part in PARTS}, shifted)
    kept = pool.rows(rows)
    weighed = weigh(parts, weights)
    return Examined(asked, profile, weights, kept, parents, evidence, parts, weighed, fuse(kept, parts, weights))


def _read(evidence: Evidence, moved: Floats) -> dict[str, Floats]:
    """The parts that come from the passages themselves."""
    parts = {"held": evidence.column("child_coverage"), "opening": evidence.column("opening")}
    dense = {"whole": evidence.column("whole"), "several": evidence.column("several"), "feedback": moved}
    return parts | {part: minmax(values) for part, values in dense.items() if not np.isnan(values).all()}


def _fusion(fusion: str, mode: str) -> Callable[[Pool, Mapping[str, Floats], Mapping[str, float]], Fused]:
    legs: Mapping[str, Leg] = {"dense": "dense", "sparse": "sparse", "bm25": "bm25"}
    if mode in legs:
        return lambda pool, _parts, _weights: single(pool, legs[mode])
    if fusion == "rrf":
        return lambda pool, _parts, _weights: rrf(pool)
    return lambda _pool, parts, weights: weigh(parts, weights)
