from __future__ import annotations

import pytest
from evaluating import CORPUS, ITEMS, SCRIPT, answer, run, tools_of
from passages import ScriptedSearch, passage, result

from edu_cli.errors import ChatError, UsageError
from edu_cli.evaluate.dataset import drawn
from edu_cli.evaluate.figures import figures
from edu_cli.evaluate.items import Dataset, Item, Relevant
from edu_cli.evaluate.resume import ResultCache
from edu_cli.evaluate.retrieval import RERANKED
from edu_cli.evaluate.run import Corpus, EvalOptions, evaluate
from edu_cli.evaluate.strategies import STRATEGIES, Sought
from edu_cli.evaluate.tables import headline_of, tables_of
from edu_cli.types import LegScore, Scope


def test_a_question_without_a_subject_counts_for_that_of_its_documents():
    corpus = Corpus(CORPUS.docs, CORPUS.encoder, "abc", {"a.md": "db", "b.md": "db", "c.md": "net"})
    slices = run(corpus=corpus)[0].report["retrieval"]["slices"]
    assert {name: part["n"] for name, part in slices.items()} == {"subject:ai": 1, "subject:db": 1, "tag:fee": 1}


def test_each_grain_is_measured_on_the_questions_whose_labels_name_it():
    items = (
        Item("q1", "甲", (Relevant("a.md", section="一"), Relevant("a.md", section="二"))),
        Item("q2", "乙", (Relevant("b.md", page=3),)),
        Item("q3", "丙", (Relevant("c.md"),)),
        Item("q4", "丁", (Relevant(contains="词"),)),
    )
    other, first = passage("a.md", section=["三"]), passage("a.md", section=["一"], rank=2)
    script = {"hybrid+rerank": {"甲": [other, first], "乙": [passage("b.md", page=1), passage("b.md", page=3)]}}
    grains = run(items, script, modes=(RERANKED,))[0].report["retrieval"]["grains"]
    assert {grain: part["n"] for grain, part in grains.items()} == {"file": 3, "section": 1, "page": 1, "passage": 1}
    assert grains["file"]["measures"]["MRR@10"]["mean"] == pytest.approx(2 / 3), "the files stand first"
    assert grains["section"]["measures"]["MRR@10"]["mean"] == 0.5
    assert grains["section"]["measures"]["Recall@10"]["mean"] == 0.5
    assert grains["page"]["measures"]["MRR@10"]["mean"] == 0.5


def test_the_legs_that_found_the_answers_show_one_that_is_dead():
    hit = passage("a.md", sources={"bm25": LegScore(1, 1.0), "dense": LegScore(2, 0.5)})
    part = run(ITEMS[:1], {"hybrid+rerank": {"甲？": [hit]}}, modes=(RERANKED,))[0].report["retrieval"]
    assert part["found_by"] == {"bm25": 1.0, "dense": 1.0, "sparse": 0.0}


def test_a_reranked_row_that_is_not_reranked_says_so():
    part = run(ITEMS[:1])[0].report["retrieval"]
    assert part["notes"] == ["hybrid+rerank is hybrid here: no reranker is configured"]
    hit = passage("a.md", rerank_score=0.7)
    reranked = run(ITEMS[:1], {**SCRIPT, "hybrid+rerank": {"甲？": [hit]}})[0].report["retrieval"]
    assert (part["reranked"], reranked["reranked"]) == (False, True)
    assert "notes" not in reranked


def test_strategies_have_a_row_each_and_those_without_their_llm_say_so():
    asked = []

    def seek(item, strategy, k):
        asked.append((item.id, strategy, k))
        docs = ["a.md"] if strategy == "multi-query" else ["x.md", "a.md"]
        return Sought(result(item.question, docs), rewritten=strategy == "multi-query")

    missing = {"hyde": "needs an LLM", "step-back": "needs an LLM"}
    report = run(ITEMS[:1], modes=(RERANKED,), seek=seek, missing=missing, strategies=True)[0].report
    part = report["retrieval"]["strategies"]
    assert list(part) == list(STRATEGIES)
    assert part["hyde"] == {"missing": "needs an LLM"}
    assert part["direct"]["measures"]["MRR@10"]["mean"] == 0.5
    assert (part["multi-query"]["measures"]["MRR@10"]["mean"], part["multi-query"]["rewritten"]) == (1.0, 1)
    assert [strategy for _, strategy, _ in asked] == ["direct", "multi-query", "auto"]
    assert figures(report)["multi-query.MRR@10"] == 1.0
    shown = {table.title: table for table in tables_of(report)}["Strategies"].rows
    assert [row[-1] for row in shown] == ["0 of 1", "needs an LLM", "1 of 1", "needs an LLM", "0 of 1"]


def test_what_went_wrong_is_said_in_words():
    items = (
        Item("a", "甲", (Relevant("a.md"),), ("北京",), route="rag", strategy="direct"),
        Item("b", "乙", answerable=False),
        Item("c", "丙", (Relevant("c.md"),), ("对",)),
    )
    answers = {"a": answer("上海", route="general"), "b": answer("编的"), "c": answer("没有", refused=True)}
    stages = ("routing", "retrieval", "generation")
    found = run(items, {"hybrid+rerank": {}}, modes=(RERANKED,), stages=stages, ask=lambda item: answers[item.id])[0]
    rows = found.report["per_question"]
    assert {row["id"]: [one["kind"] for one in row["wrong"]] for row in rows} == {
        "a": ["lost", "route", "reference"],
        "b": ["answered"],
        "c": ["lost", "declined"],
    }
    assert (rows[0]["measures"]["Route"], rows[0]["measures"]["Strategy"]) == (0.0, 1.0)


def test_without_answers_it_is_said_what_the_confidence_would_have_done():
    items = (Item("sure", "甲？", answerable=False), Item("doubtful", "戊？", (Relevant("x.md"),)))
    script = {"hybrid+rerank": {"戊？": ["x.md"]}}
    rows = run(items, script, modes=(RERANKED,))[0].report["per_question"]
    assert [row["wrong"] for row in rows] == [
        [{"kind": "answered", "text": "it would be answered (confidence 0.900), but the material does not answer it"}],
        [{"kind": "declined", "text": "it would be declined (confidence 0.200), but the material answers it"}],
    ]


def test_questions_are_drawn_by_lot_and_the_report_says_so():
    items = tuple(Item(f"q{i}", f"问{i}", (Relevant("a.md"),)) for i in range(50))
    whole = Dataset("set.jsonl", items, (), ())
    some = drawn(whole, 10, 7)
    assert some == drawn(whole, 10, 7) != drawn(whole, 10, 8)
    assert [items.index(item) for item in some.items] == sorted(items.index(item) for item in some.items)
    assert drawn(whole, 50, 7) == drawn(whole, None, 7) == whole
    report = evaluate(some, CORPUS, EvalOptions((10,), (RERANKED,), 7, 0.75), tools_of(ScriptedSearch(SCRIPT))).report
    assert headline_of(report) == "set.jsonl: 10 of 50 questions, drawn by lot with seed 7; hash; corpus abc123"


def test_an_answer_kept_for_another_scope_is_not_reused(tmp_path):
    dataset = Dataset("s", (Item("a", "问", answers=("答",)),), (), ())

    def asked_in(subject):
        asked = []

        def ask(item):
            asked.append(item.id)
            return answer("答")

        cache = ResultCache(tmp_path, "set", "state", resume=True)
        tools = tools_of(ScriptedSearch({}), ask=ask, cache=cache, scope_of=lambda _: Scope(subject=subject))
        evaluate(dataset, CORPUS, EvalOptions((10,), (RERANKED,), 0, 0.75, ("generation",)), tools)
        return asked

    assert asked_in("ai") == ["a"]
    assert asked_in("db") == ["a"]
    assert asked_in("db") == []


def test_what_failed_is_tried_again_on_resume(tmp_path):
    items = tuple(Item(name, f"问{name}", answers=("答",)) for name in "abc")
    replies = {"a": [answer("答")], "b": [ChatError("down"), answer("答")], "c": [UsageError("no"), answer("答")]}

    def ask(item):
        reply = replies[item.id].pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply

    def measured(*, resume):
        cache = ResultCache(tmp_path, "set", "state", resume=resume)
        return run(items, stages=("generation",), ask=ask, cache=cache)[0].report["generation"]["failures"]

    assert [one["id"] for one in measured(resume=False)] == ["b", "c"]
    assert measured(resume=True) == []
    assert replies == {"a": [], "b": [], "c": []}


def test_latency_is_told_by_stage_and_route_and_for_the_whole():
    items = (Item("a", "甲", (Relevant("a.md"),), ("北京",)), Item("b", "乙", answers=("对",)))
    answers = {"a": answer("北京", seconds=2.0), "b": answer("对", route="faq", seconds=0.5)}
    stages = ("retrieval", "generation")
    report = run(items, modes=(RERANKED,), stages=stages, ask=lambda item: answers[item.id])[0].report
    latency = report["latency"]
    assert latency["routes"] == {"faq": {"p50": 0.5, "p95": 0.5}, "rag": {"p50": 2.0, "p95": 2.0}}
    assert latency["p50"] == latency["answer"]["p50"] == 0.5
    assert set(run(modes=(RERANKED,))[0].report["latency"]) == {"p50", "p95", "search"}


def test_without_labels_there_is_no_calibration_to_show():
    assert "calibration" not in run((Item("a", "甲？"),), modes=(RERANKED,))[0].report
    assert run(ITEMS[:1], modes=(RERANKED,))[0].report["calibration"]["n"] == 1


def test_the_reliability_of_the_confidence_is_a_table():
    (table,) = [table for table in tables_of(run()[0].report) if table.title.startswith("How often")]
    assert table.title == "How often a confidence was right: error 0.475"
    assert table.rows[0] == ("0.2-0.3", "1", "0.200", "0.000")
    assert [row[0] for row in table.rows] == ["0.2-0.3", "0.6-0.7", "0.8-0.9", "0.9-1.0"]
