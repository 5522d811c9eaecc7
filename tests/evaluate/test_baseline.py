from __future__ import annotations

import json

import pytest

from edu_cli.errors import DatasetError
from edu_cli.evaluate.baseline import check_baseline, comparison, read_baseline
from edu_cli.evaluate.items import Dataset, Item


def row(ident, value, question="问"):
    return {"id": ident, "question": question, "measures": {"MAP": value}}


def report(*rows, **parts):
    head = {"dataset": "a.jsonl", "corpus_hash": "1", "encoder": {"name": "e5-small"}, "settings": {}}
    return {**head, **parts, "per_question": list(rows)}


def test_a_report_is_read_back(tmp_path):
    path = tmp_path / "before.json"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(report(row("q1", 1.0))).encode())
    assert read_baseline(path)["per_question"] == [row("q1", 1.0)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{oops", "is not JSON"),
        (b"[]", "is no report"),
        (b'{"schema": 1}', "is no report"),
        (b'{"per_question": [{"id": 1}]}', "is no report"),
        (b"\xff\xfe\x00", "is not JSON"),
        (None, "cannot be read"),
    ],
)
def test_what_is_no_report_is_told_in_a_sentence(tmp_path, content, message):
    path = tmp_path / "before.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(DatasetError, match=message):
        read_baseline(path)


def test_a_report_on_other_questions_is_refused(tmp_path):
    path, items = tmp_path / "before.json", (Item("q1", "问"),)
    dataset = Dataset("b.jsonl", items, (), ())
    check_baseline(path, report(row("q1", 1.0)), dataset)
    with pytest.raises(DatasetError, match=r"is of a\.jsonl, with none of the questions of b\.jsonl"):
        check_baseline(path, report(row("q1", 1.0, "同一编号，另一个问题")), dataset)


def test_the_questions_that_are_worse_are_named_the_worst_first():
    before = report(row("q1", 1.0), row("q2", 1.0), row("q3", 0.5), row("q4", 1.0, "旧"), row("q5", 1.0))
    now = report(row("q1", 0.5), row("q2", 0.0), row("q3", 1.0), row("q4", 0.0, "新"), row("q6", 1.0))
    found = comparison(before, now, "MAP")
    assert [one["id"] for one in found["worst"]] == ["q2", "q1"]
    assert (found["questions"], found["worse"], found["better"]) == (3, 2, 1)
    assert (found["only_here"], found["only_there"]) == (2, 2), "a question in other words is another question"


def test_what_is_not_as_it_was_is_told():
    before = report(settings={"search.mode": "dense", "search.pool": 50}, retrieval={"reranked": True})
    now = report(corpus_hash="2", encoder=None, settings={"search.mode": "bm25"}, retrieval={"reranked": False})
    assert comparison(before, now, "MAP")["changed"] == [
        "the corpus is another one than the baseline's",
        "the encoder was e5-small and is none",
        "the hits are reranked no more",
        "search.mode was dense and is bm25",
        "search.pool was 50 and is its default",
    ]
    assert comparison(now, now, "MAP")["changed"] == []
