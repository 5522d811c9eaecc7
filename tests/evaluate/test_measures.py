from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edu_cli.evaluate.measures import Judged, measure, measure_names, ndcg

KS = (1, 3, 5, 10)


@st.composite
def rankings(draw):
    """Distinct documents ranked, and grades for some of them (at least one of them relevant)."""
    docs = [f"d{i}" for i in range(draw(st.integers(1, 15)))]
    ranked = draw(st.permutations(docs))[: draw(st.integers(0, len(docs)))]
    grades = {doc: draw(st.integers(0, 3)) for doc in docs}
    grades[draw(st.sampled_from(docs))] = draw(st.integers(1, 3))
    return ranked, grades


@settings(max_examples=150, deadline=None)
@given(st.lists(rankings(), min_size=1, max_size=5))
def test_measures_are_those_of_ir_measures(cases):
    ir_measures = pytest.importorskip("ir_measures")
    from ir_measures import AP, RR, P, Qrel, R, ScoredDoc, Success, nDCG

    qrels = [Qrel(f"q{q}", d, g) for q, (_, grades) in enumerate(cases) for d, g in grades.items()]
    run = [ScoredDoc(f"q{q}", d, 100.0 - i) for q, (ranked, _) in enumerate(cases) for i, d in enumerate(ranked)]
    peers = {f"nDCG@{k}": nDCG @ k for k in KS} | {f"Recall@{k}": R @ k for k in KS}
    peers |= {f"P@{k}": P @ k for k in KS} | {f"MRR@{k}": RR @ k for k in KS} | {f"Hit@{k}": Success @ k for k in KS}
    peers |= {"MAP": AP}
    theirs = {(m.query_id, str(m.measure)): m.value for m in ir_measures.iter_calc(list(peers.values()), qrels, run)}
    for q, (ranked, grades) in enumerate(cases):
        ours = measure(Judged(tuple(grades[d] for d in ranked), tuple(g for g in grades.values() if g)), KS)
        for name, peer in peers.items():
            assert ours[name] == pytest.approx(theirs[f"q{q}", str(peer)], abs=1e-9), name


def test_a_perfect_ranking_scores_one():
    judged = Judged((3, 2, 1, 0), (1, 2, 3))
    values = measure(judged, (3,))
    assert values == {"nDCG@3": 1.0, "Recall@3": 1.0, "MRR@3": 1.0, "P@3": 1.0, "Hit@3": 1.0, "MAP": 1.0}


def test_no_result_scores_zero():
    assert set(measure(Judged((), (1,)), KS).values()) == {0.0}


def test_gains_are_linear_in_the_grade():
    assert ndcg(Judged((1, 3), (3, 1)), 10) == pytest.approx((1 + 3 / 1.5849625) / (3 + 1 / 1.5849625))


def test_every_measure_is_named():
    assert set(measure(Judged((1,), (1,)), KS)) == set(measure_names(KS))
