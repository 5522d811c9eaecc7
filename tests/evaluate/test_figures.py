from __future__ import annotations

import pytest

from edu_cli.errors import UsageError
from edu_cli.evaluate.figures import check_names, figures
from edu_cli.evaluate.strategies import STRATEGIES

KS = (1, 10)
SLICES = ("subject:ai", "tag:fee")


def check(*names, modes=(), strategies=()):
    check_names(names, KS, modes, strategies, SLICES)


@pytest.mark.parametrize(
    "name",
    [
        *("nDCG@10", "MAP", "file.Recall@1", "tag:fee.MRR@10", "subject:ai.MAP", "generation.ROUGE-L", "refusal.auroc"),
        *("routing.route.accuracy", "routing.route.classes.rag.recall", "generation.refusal.recall"),
    ],
)
def test_what_a_report_may_hold_can_be_gated(name):
    check(name)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("ndcg@10", "did you mean nDCG@10?"),
        ("nDGC@10", "did you mean nDCG@10?"),
        ("无此项", "such as nDCG@1, nDCG@10, Recall@1"),
        ("recal@1", "did you mean Recall@1?"),
        ("nDCG@20", "add 20 to --k 1,10"),
        ("bm25.nDCG@10", "--compare modes gives it"),
        ("hyde.nDCG@10", "--compare strategies gives it"),
        ("tag:fees.MAP", "did you mean tag:fee.MAP?"),
        ("EM", "did you mean generation.EM?"),
        ("accuracy", "did you mean routing.route.accuracy?"),
        ("generation.Faithfullness", "did you mean generation.Faithfulness?"),
        ("nDCG@x", "did you mean nDCG@1?"),
        ("mrr", "with a cutoff: MRR@1, MRR@10"),
    ],
)
def test_another_name_is_refused_with_what_to_write_instead(name, hint):
    with pytest.raises(UsageError, match="no figure of this run") as raised:
        check(name)
    assert raised.value.hint == hint


@pytest.mark.parametrize(
    "name", ["latency.search.p95", "latency.p50", "calibration.ece", "generation.cost.routes.rag.calls"]
)
def test_a_figure_that_is_better_when_lower_cannot_be_gated_from_below(name):
    with pytest.raises(UsageError, match="lower is better"):
        check(name)


def test_rows_that_are_compared_can_be_gated():
    check("bm25.MAP", "multi-query.MAP", modes=("bm25",), strategies=STRATEGIES)


def test_figures_are_read_from_every_part():
    mean = {"mean": 0.5, "low": 0.4, "high": 0.6}
    report = {
        "retrieval": {
            "measures": {"MAP": mean},
            "modes": {"bm25": {"MAP": mean}},
            "strategies": {"hyde": {"missing": "needs an LLM"}, "direct": {"n": 1, "measures": {"MAP": mean}}},
            "grains": {"file": {"n": 1, "measures": {"MAP": mean}}},
            "slices": {"tag:fee": {"n": 1, "measures": {"MAP": mean}}},
        },
        "refusal": {"auroc": None},
        "generation": {"measures": {"EM": {**mean, "n": 3}}},
    }
    assert figures(report) == {
        **dict.fromkeys(("MAP", "bm25.MAP", "direct.MAP", "file.MAP", "tag:fee.MAP", "generation.EM"), 0.5),
        "refusal.auroc": None,
    }
