from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edu_cli.errors import DatasetError
from edu_cli.evaluate.dataset import load_dataset
from edu_cli.evaluate.items import Relevant
from edu_cli.types import Message


def write(path, *lines):
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), encoding="utf-8")
    return path


def test_every_field_is_read(tmp_path):
    line = {
        "id": "q1",
        "question": "学费多少？",
        "relevant": [{"doc": "a.md", "section": "1.2", "page": 3, "contains": "元", "grade": 2}],
        "answer": "五千元",
        "route": "rag",
        "strategy": "multi-query",
        "answerable": True,
        "history": [{"role": "user", "content": "你好"}],
        "subject": "ai",
        "tags": ["fee"],
    }
    item = load_dataset(write(tmp_path / "d.jsonl", line), ["a.md"]).items[0]
    assert (item.id, item.question, item.answers, item.route, item.strategy) == (
        "q1", "学费多少？", ("五千元",), "rag", "multi_query",
    )  # fmt: skip
    assert item.relevant == (Relevant("a.md", "1.2", 3, "元", 2),)
    assert (item.answerable, item.subject, item.tags) == (True, "ai", ("fee",))
    assert item.history == (Message("user", "你好"),)


def test_bom_blank_lines_and_crlf_are_no_matter(tmp_path):
    path = tmp_path / "d.jsonl"
    path.write_bytes('\ufeff{"id": "a", "question": "问"}\r\n\r\n{"id": 7, "question": "问"}\r\n'.encode())
    found = load_dataset(path, [])
    assert [item.id for item in found.items] == ["a", "7"]
    assert found.invalid == ()


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "is not JSON"),
        ("[1]", "is not a JSON object"),
        ({"id": "", "question": "问"}, "has no text as 'id'"),
        ({"id": "b"}, "has no 'question'"),
        ({"id": "b", "question": " "}, "has no text as 'question'"),
        ({"id": "b", "question": "问", "relevant": {"doc": "a"}}, "which is a list"),
        ({"id": "b", "question": "问", "relevant": [{}]}, "without any of doc"),
        ({"id": "b", "question": "问", "relevant": [{"doc": "a", "grade": -1}]}, "as 'grade'"),
        ({"id": "b", "question": "问", "relevant": [{"doc": "a", "page": 0}]}, "as 'page'"),
        ({"id": "b", "question": "问", "relevant": [{"doc": 5}]}, "as 'doc', which is text"),
        ({"id": "b", "question": "问", "route": "rga"}, "none of greeting"),
        ({"id": "b", "question": "问", "answerable": "no"}, "true or false"),
        ({"id": "b", "question": "问", "answerable": False, "relevant": [{"doc": "a"}]}, "is not answerable and yet"),
        ({"id": "b", "question": "问", "history": [{"role": "tutor", "content": "x"}]}, "neither user nor assistant"),
        ({"id": "a", "question": "again"}, "has the id 'a', which line 1 has already"),
    ],
)
def test_a_bad_line_is_told_with_its_number_and_the_rest_goes_on(tmp_path, line, reason):
    path = write(tmp_path / "d.jsonl", {"id": "a", "question": "问"}, line, {"id": "c", "question": "问"})
    found = load_dataset(path, [])
    assert [item.id for item in found.items] == ["a", "c"]
    assert [bad.line for bad in found.invalid] == [2]
    assert reason in found.invalid[0].reason
    with pytest.raises(DatasetError, match="line 2"):
        load_dataset(path, [], strict=True)


def test_bytes_that_are_no_utf8_are_told(tmp_path):
    path = tmp_path / "d.jsonl"
    path.write_bytes(b'{"id": "a", "question": "\xff\xfe"}\n{"id": "b", "question": "x"}')
    assert [bad.reason for bad in load_dataset(path, []).invalid] == ["is not UTF-8"]


def test_unknown_documents_are_named_with_the_nearest(tmp_path):
    path = write(tmp_path / "d.jsonl", {"id": "a", "question": "问", "relevant": [{"doc": "ai/大纲.doc"}]})
    warning = load_dataset(path, ["db/教案.docx", "ai/大纲.docx"]).warnings[0]
    assert "ai/大纲.doc'" in warning
    assert "nearest is 'ai/大纲.docx'" in warning


def test_a_mistyped_key_is_told_with_the_nearest(tmp_path):
    path = write(tmp_path / "d.jsonl", {"id": "a", "question": "问", "relevent": []})
    assert "did you mean 'relevant'" in load_dataset(path, []).warnings[0]


def test_names_that_other_tools_use_are_read_and_told(tmp_path):
    lines = ({"query": "问", "reference": "答", "gold_source": "a.md"}, {"question": "问", "gold_source": None})
    found = load_dataset(write(tmp_path / "d.jsonl", *lines), ["a.md"])
    first, second = found.items
    assert (first.id, first.question, first.answers, first.relevant) == ("line-1", "问", ("答",), (Relevant("a.md"),))
    assert (second.id, second.answerable) == ("line-2", False)
    assert "line 1: 'reference' is read as 'answer'" in found.warnings


@pytest.mark.parametrize("content", ["", "\n\n", "{}\n"])
def test_a_file_without_any_question_is_refused(tmp_path, content):
    path = tmp_path / "d.jsonl"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(DatasetError, match="no usable question"):
        load_dataset(path, [])


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(DatasetError, match=r"nowhere\.jsonl cannot be read"):
        load_dataset(tmp_path / "nowhere.jsonl", [])


def test_a_beir_folder_names_documents_by_path_or_stem(tmp_path):
    write(
        tmp_path / "queries.jsonl", {"_id": "q1", "text": "问一"}, {"query_id": "q2", "text": "问二", "answers": ["答"]}
    )
    rows = [
        "query-id\tcorpus-id\tscore",
        "q1\tdocs/a\t1",
        "q1\tb\t2",
        "q2\tdocs/c.md\t1",
        "q2\tgone\t1",
        "q9\tb\t1",
        "x",
    ]
    (tmp_path / "qrels.tsv").write_text("\n".join(rows), encoding="utf-8")
    found = load_dataset(tmp_path, ["docs/a.md", "docs/b.md", "docs/c.md"])
    assert [entry.doc for entry in found.items[0].relevant] == ["docs/a.md", "docs/b.md"]
    assert [entry.grade for entry in found.items[0].relevant] == [1, 2]
    assert [entry.doc for entry in found.items[1].relevant] == ["docs/c.md", "gone"]
    assert found.items[1].answers == ("答",)
    assert [bad.line for bad in found.invalid] == [7]
    assert any("'gone'" in warning for warning in found.warnings)
    assert any("queries.jsonl has not" in warning for warning in found.warnings)


def test_bad_lines_of_a_beir_folder_are_told_and_the_rest_goes_on(tmp_path):
    lines = ({"_id": "a", "text": "问"}, "{", {"_id": "a", "text": "again"}, {"_id": "b", "text": " "}, {"text": "问"})
    write(tmp_path / "queries.jsonl", *lines)
    (tmp_path / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\na\tx\t1\n", encoding="utf-8")
    found = load_dataset(tmp_path, ["x.md"])
    assert [(item.id, item.question) for item in found.items] == [("a", "问")]
    assert [bad.line for bad in found.invalid] == [2, 3, 4, 5]
    assert found.invalid[1].reason == "of queries.jsonl has the id 'a', which another line has already"


def test_a_folder_that_is_no_beir_set_is_refused(tmp_path):
    with pytest.raises(DatasetError, match="qrels"):
        load_dataset(tmp_path, [])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
KEYS = ("id", "question", "relevant", "answer", "route", "strategy", "answerable", "history", "subject", "tags")


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.sampled_from(KEYS), JSON))
def test_any_object_is_used_or_told_never_a_crash(tmp_path_factory, line):
    path = tmp_path_factory.mktemp("set") / "d.jsonl"
    write(path, {"id": "good one", "question": "问"}, json.dumps(line))
    found = load_dataset(path, [])
    assert len(found.items) + len(found.invalid) == 2


def test_questions_without_any_label_are_told(tmp_path):
    labelled, bare = {"id": "a", "question": "问", "answerable": False}, {"id": "b", "question": "问"}
    (note,) = load_dataset(write(tmp_path / "some.jsonl", labelled, bare), []).warnings
    assert note.startswith("without any label, so that nothing is measured on them: b (")
    (note,) = load_dataset(write(tmp_path / "none.jsonl", bare), []).warnings
    assert note.startswith("no question has a label")
    assert load_dataset(write(tmp_path / "all.jsonl", labelled), []).warnings == ()


def test_the_same_remark_is_made_once_for_all_its_lines(tmp_path):
    lines = [{"id": f"q{i}", "query": "问", "answerable": False} for i in range(9)]
    found = load_dataset(write(tmp_path / "d.jsonl", *lines), [])
    assert found.warnings == ("lines 1, 2, 3 and 6 more: 'query' is read as 'question'",)
    assert len(found.items) == 9


def test_a_set_of_another_corpus_is_told_soon(tmp_path):
    lines = [{"id": f"q{i}", "question": "问", "relevant": [{"doc": f"{i}.md"}]} for i in range(30)]
    found = load_dataset(write(tmp_path / "d.jsonl", *lines), ["a.md", "b.md"]).warnings
    assert len(found) == 30
    assert sum("the nearest is" in told for told in found) == 10
