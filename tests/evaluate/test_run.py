from __future__ import annotations

import json
from pathlib import Path

import pytest
from evaluating import ITEMS, answer, run
from lxml import etree
from passages import passage

from edu_cli.errors import ChatError
from edu_cli.evaluate.figures import figures
from edu_cli.evaluate.files import render, to_junit, to_trec_run
from edu_cli.evaluate.gate import bound_gates, drop_gates, parse_bounds
from edu_cli.evaluate.items import Item, Relevant
from edu_cli.evaluate.resume import ResultCache
from edu_cli.evaluate.retrieval import MODES, RERANKED
from edu_cli.evaluate.run import stages_with_labels
from edu_cli.types import Citation


def test_means_leave_out_unjudged_questions_and_count_them():
    part = run()[0].report["retrieval"]
    assert (part["judged"], part["unjudged"]) == (3, 2)
    assert part["modes"]["bm25"]["Recall@10"]["mean"] == pytest.approx(2 / 3)
    assert part["measures"]["Recall@10"]["mean"] == pytest.approx(1 / 3), "the default search lost q1"


def test_a_question_with_no_result_scores_zero():
    row = run()[0].report["per_question"][2]
    assert set(row["measures"].values()) == {0.0}


def test_a_question_that_cannot_be_searched_scores_zero():
    report = run(script={}, modes=(RERANKED,))[0].report
    assert report["retrieval"]["measures"]["nDCG@10"]["mean"] == 0.0


def test_the_place_where_each_question_was_lost_is_told():
    lost = run()[0].report["retrieval"]["lost"]
    assert lost["questions"] == {"q1": "reranked_away", "q3": "not_loaded"}
    assert lost["counts"] == {"not_loaded": 1, "reranked_away": 1}


@pytest.mark.parametrize(
    ("found_by", "place"), [(("bm25",), "fused_away"), ((), "not_retrieved"), (("hybrid",), "reranked_away")]
)
def test_losses_follow_the_order_of_the_pipeline(found_by, place):
    script = {mode.name: {"甲？": ["a.md"] if mode.name in found_by else ["x.md"]} for mode in MODES}
    assert run(ITEMS[:1], script)[0].report["retrieval"]["lost"]["questions"] == {"q1": place}


def test_what_stands_behind_rank_k_was_cut():
    docs = [f"x{i}.md" for i in range(12)] + ["a.md"]
    report = run(ITEMS[:1], {"hybrid+rerank": {"甲？": docs}}, modes=(RERANKED,))[0].report
    assert report["retrieval"]["lost"]["questions"] == {"q1": "cut"}


def test_slices_are_by_tag_and_subject():
    slices = run()[0].report["retrieval"]["slices"]
    assert {name: part["n"] for name, part in slices.items()} == {"subject:ai": 1, "tag:fee": 1}


def test_the_subject_of_a_question_narrows_its_search():
    searcher = run(modes=(RERANKED,))[1]
    assert [scope.subject for _, _, _, scope in searcher.asked] == [None, None, "ai", None, None]


def test_refusals_by_confidence_are_measured_on_unanswerable_questions():
    refusal = run()[0].report["refusal"]
    assert refusal["recall"] == 1.0
    assert refusal["precision"] == pytest.approx(1 / 2), "q3 is refused as well"
    assert refusal["auroc"] == 1.0


def test_the_same_seed_gives_the_same_bytes():
    assert json.dumps(run()[0].report) == json.dumps(run()[0].report)


def test_bounds_are_read_and_judged():
    bounds = parse_bounds(["nDCG@10=0.6", "bm25.Recall@10=0.1"])
    assert bounds == {"nDCG@10": 0.6, "bm25.Recall@10": 0.1}
    result = run(bounds=bounds)[0]
    assert [(gate.measure, gate.ok) for gate in result.gates] == [("nDCG@10", False), ("bm25.Recall@10", True)]


@pytest.mark.parametrize("flag", ["nDCG@10", "=1", "nDCG@10=x", "nDCG@10=nan", "nDCG@10=inf"])
def test_a_malformed_bound_is_refused(flag):
    from edu_cli.errors import UsageError

    with pytest.raises(UsageError, match="MEASURE=NUMBER"):
        parse_bounds([flag])


@pytest.mark.parametrize("figures", [{}, {"MAP": None}])
def test_a_figure_that_could_not_be_computed_fails_its_gate(figures):
    (gate,) = bound_gates({"MAP": 0.1}, figures)
    assert (gate.ok, gate.got) == (False, None)
    assert "could not be computed" in gate.note


def test_a_leg_switched_off_turns_the_gate_red_and_shows_why():
    items = tuple(Item(f"q{i}", f"问{i}", (Relevant(doc=f"{i}.md"),)) for i in range(30))
    good = {"hybrid+rerank": {f"问{i}": [f"{i}.md"] for i in range(30)}}
    bad = {"hybrid+rerank": {f"问{i}": ["x.md"] if i % 3 == 0 else [f"{i}.md"] for i in range(30)}}
    before = run(items, good, modes=(RERANKED,))[0].report
    after = run(items, bad, modes=(RERANKED,), baseline=before, max_drop=0.01)[0]
    gate = next(gate for gate in after.gates if gate.measure == "nDCG@10")
    assert not gate.ok
    assert gate.got == pytest.approx(2 / 3)
    assert gate.p < 0.01
    assert len(after.report["retrieval"]["lost"]["questions"]) == 10
    same = run(items, good, modes=(RERANKED,), baseline=before, max_drop=0.0)[0]
    assert all(gate.ok for gate in same.gates)
    far = run(items, good, modes=(RERANKED,), baseline=before, max_drop=2.0)[0]
    assert {gate.wanted for gate in far.gates} == {0.0}  # no measure is below it


def test_a_measure_of_the_baseline_that_was_not_measured_now_fails_its_gate():
    before = run(modes=(RERANKED,))[0].report
    now = run(modes=(RERANKED,))[0].report
    for row in now["per_question"]:
        row["measures"].pop("nDCG@10", None)
    gates = {gate.measure: gate for gate in drop_gates(now, before, 0.0, 0)}
    assert not gates["nDCG@10"].ok
    assert "was not measured" in gates["nDCG@10"].note
    assert gates["MAP"].ok


def test_stages_that_were_not_run_are_not_held_against_the_baseline():
    items = (Item("a", "首都？", (Relevant(doc="a.md"),), ("北京",)),)
    script = {"hybrid+rerank": {"首都？": ["a.md"]}}
    stages = ("retrieval", "generation")
    before = run(items, script, modes=(RERANKED,), stages=stages, ask=lambda _: answer("北京"))[0].report
    gates = run(items, script, modes=(RERANKED,), baseline=before)[0].gates
    assert {gate.measure for gate in gates} == {"nDCG@10", "Recall@10", "MRR@10", "P@10", "Hit@10", "MAP"}
    both = run(items, script, modes=(RERANKED,), stages=stages, baseline=before, ask=lambda _: answer("上海"))[0].gates
    assert {gate.measure for gate in both if not gate.ok} >= {"EM", "F1", "Contains"}


def test_stages_follow_the_labels():
    assert stages_with_labels([Item("a", "问")]) == ("retrieval",)
    assert stages_with_labels([Item("a", "问", route="rag")]) == ("routing",)
    assert stages_with_labels([Item("a", "问", answers=("答",), relevant=(Relevant("d"),))]) == (
        "retrieval",
        "generation",
    )


def test_routes_and_strategies_are_compared_with_their_labels():
    items = (
        Item("a", "问1", route="rag", strategy="direct"),
        Item("b", "问2", route="rag"),
        Item("c", "问3", route="greeting"),
    )
    routes = {"a": "rag", "b": "general", "c": "greeting"}
    report = run(items, stages=("routing",), route=lambda item: answer("", route=routes[item.id]))[0].report
    assert report["routing"]["route"]["accuracy"] == pytest.approx(2 / 3)
    assert report["routing"]["route"]["course_to_general"] == 1
    assert report["routing"]["route"]["confusion"]["rag"] == {"general": 1, "rag": 1}
    assert report["routing"]["strategy"]["accuracy"] == 1.0


def test_routes_are_those_that_answers_took_where_there_are_answers():
    items = (Item("a", "问1", route="rag", answers=("答",)),)
    stages = ("routing", "generation")
    part = run(items, stages=stages, ask=lambda item: answer("答", route="faq"))[0].report["routing"]["route"]
    assert part["of"] == "answers"
    assert part["confusion"] == {"rag": {"faq": 1}}


def test_answers_are_measured_against_references_and_labels():
    items = (
        Item("a", "首都？", (Relevant(doc="a.md"),), ("北京",), answerable=True),
        Item("b", "不知道？", answerable=False),
    )
    shown = (passage("a.md", text="首都是北京。"), passage("x.md", text="别的。"))
    cited = (Citation(1, "a.md", (), None, "", "", "supported"), Citation(2, "x.md", (), None, "", "", "unsupported"))
    answers = {
        "a": answer("首都是北京。[1]", passages=shown, citations=cited),
        "b": answer("没有找到。", refused=True),
    }
    report = run(items, stages=("generation",), ask=lambda item: answers[item.id])[0].report
    means = {name: row["mean"] for name, row in report["generation"]["measures"].items()}
    assert means["Contains"] == 1.0
    assert means["CitationPrecision"] == 0.5
    assert means["CitationRecall"] == 1.0
    assert means["CitationAccuracy"] == 0.5
    assert means["Faithfulness"] == 1.0
    assert report["generation"]["refusal"]["recall"] == 1.0
    assert report["generation"]["refusal"]["precision"] == 1.0
    assert report["generation"]["cost"]["without_llm"] == 1.0


def test_an_llm_that_fails_fails_its_item_and_is_listed():
    def ask(item):
        raise ChatError("The endpoint is down.")

    report = run((Item("a", "问", answers=("答",)),), stages=("generation",), ask=ask)[0].report
    assert report["generation"]["measures"]["F1"]["mean"] == 0.0
    assert report["generation"]["failures"] == [{"id": "a", "reason": "The endpoint is down."}]


def test_every_format_renders_and_escapes():
    evil = "</script><img src=x onerror=alert(1)>|`*\x1b[2J"
    items = (Item("q1", evil, (Relevant(doc="a.md"),), tags=(evil,)), *ITEMS[1:])
    report = run(items, bounds={"nDCG@10": 1.0})[0].report
    html = render(report, ".html")
    assert evil not in html
    assert html.count("</script>") == 2
    assert "<img" not in html
    markdown = render(report, ".md")
    assert "<img" not in markdown
    assert "\x1b" not in markdown + html
    assert "**1 of 1 gates failed**" in markdown
    assert json.loads(render(report, ".json")) == json.loads(json.dumps(report))
    rows = render(report, ".csv").splitlines()
    assert len(rows) == 1 + len(items)
    assert rows[0].startswith("id,question,confidence,lost,")


def test_a_cell_is_never_a_formula():
    report = run((Item("=1+1", "=cmd()", (Relevant(doc="a.md"),)),), modes=(RERANKED,))[0].report
    assert "\n'=1+1,'=cmd()," in render(report, ".csv")


def test_a_trec_run_has_one_line_a_document():
    result = run(ITEMS[1:2], modes=(RERANKED,))[0]
    assert to_trec_run(result.run, "edu").splitlines() == [
        "q2 Q0 x.md 1 1.000000 edu",
        "q2 Q0 b.md 2 0.500000 edu",
        "q2 Q0 c.md 3 0.333333 edu",
    ]


def test_scores_of_a_trec_run_fall_with_the_rank():
    tied = [
        passage("x.md", score=0.5),
        passage("b.md", score=0.5),
        passage("b.md", score=0.4),
        passage("c.md", score=0.9),
    ]
    found = run(ITEMS[1:2], {"hybrid+rerank": {"乙？": tied}}, modes=(RERANKED,))[0]
    rows = [line.split() for line in to_trec_run(found.run, "edu").splitlines()]
    assert [row[2:5] for row in rows] == [
        ["x.md", "1", "0.500000"],
        ["b.md", "2", "0.499999"],
        ["c.md", "3", "0.499998"],
    ]


def test_junit_fits_the_schema_and_names_what_went_wrong():
    evil = "\x00</failure>&]]>"
    items = (Item("q1", evil, (Relevant(doc="a.md"),)), *ITEMS[1:])
    report = run(items, bounds={"nDCG@10": 1.0, "bm25.Recall@10": 0.1, 'a"<b': 0.1})[0].report
    suite = junit(to_junit(report))[0]
    assert (suite.get("tests"), suite.get("failures")) == ("3", "2")
    failures = [case.find("failure") for case in suite.iter("testcase")]
    assert [failure is None for failure in failures] == [False, True, False]
    assert "got 0.223224, wanted at least 1.0." in failures[0].get("message")
    assert "q1  </failure>&]]>: nDCG@10 0.000; no relevant hit among the first 10" in failures[0].text
    assert "q1  </failure>&]]>: no relevant hit among the first 10" in failures[2].text
    assert len(junit(to_junit(run()[0].report))[0].findall("testcase")) == 0


def junit(text):
    """The root of a JUnit file that fits the schema."""
    schema = etree.XMLSchema(etree.parse(Path(__file__).parents[1] / "data" / "junit.xsd"))
    root = etree.fromstring(text.encode())
    schema.assertValid(root)
    return root


def test_every_mean_can_be_gated():
    names = set(figures(run()[0].report))
    assert {"nDCG@10", "bm25.nDCG@10", "tag:fee.MAP", "file.MAP", "refusal.auroc", "latency.search.p95"} <= names


def test_an_interrupted_run_goes_on_where_it_was(tmp_path):
    folder = tmp_path / "eval"
    first = run(cache=ResultCache(folder, "set", "state", resume=False))[0].report
    (path,) = folder.iterdir()
    path.write_bytes(path.read_bytes()[:-20])
    resumed, searcher = run(cache=ResultCache(folder, "set", "state", resume=True))
    assert resumed.report == first
    assert len(searcher.asked) == 1, "only the line that was cut short is computed again"
    again, searcher = run(cache=ResultCache(folder, "set", "state", resume=True))
    assert (again.report, searcher.asked) == (first, [])


@pytest.mark.parametrize(("state", "resume"), [("other settings", True), ("state", False)])
def test_results_of_another_state_are_never_reused(tmp_path, state, resume):
    run(cache=ResultCache(tmp_path, "set", "state", resume=False))
    searcher = run(cache=ResultCache(tmp_path, "set", state, resume=resume))[1]
    assert searcher.asked


@pytest.mark.parametrize(("dataset", "state"), [("other set", "state"), ("set", "other settings")])
def test_two_evaluations_of_one_project_do_not_disturb_each_other(tmp_path, dataset, state):
    run(cache=ResultCache(tmp_path, "set", "state", resume=False))
    run(cache=ResultCache(tmp_path, dataset, state, resume=False))
    assert run(cache=ResultCache(tmp_path, "set", "state", resume=True))[1].asked == []


def test_the_results_of_old_evaluations_are_forgotten(tmp_path):
    for i in range(9):
        run(cache=ResultCache(tmp_path, f"set {i}", "state", resume=False))
    assert len(list(tmp_path.iterdir())) == 4
    assert run(cache=ResultCache(tmp_path, "set 8", "state", resume=True))[1].asked == []
