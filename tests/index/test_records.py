"""Records in the catalog: what is kept, what is dropped, and that no tenant sees another's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from edu_cli.index.catalog import open_catalog
from edu_cli.index.records import Records, open_records
from edu_cli.types import FaqEntry, SessionTurn

HOSTILE = ["", "'; DROP TABLE faq; --", '" or 1=1', "%", "_", "\\", "甲\u202e乙", "x" * 5000, "🎓", "a\x00b"]
LLM = {"calls": 1, "prompt_tokens": 2, "completion_tokens": 3}


@pytest.fixture
def records(tmp_path: Path) -> Iterator[Records]:
    opened = open_records(tmp_path / "catalog.sqlite")
    yield opened
    opened.close()


def fill(records: Records, tenant: str) -> str:
    records.add_faq(tenant, [FaqEntry("怎么请假？", f"答案属于 {tenant!r}", "课")], "t")
    records.add_turn(tenant, f"s{tenant}", SessionTurn("问", "问", f"属于 {tenant!r}"))
    records.cache(tenant, f"k{tenant}", "corpus", {"of": tenant})
    answer = {"question": "问", "route": "rag", "mode": "faq", "seconds": 0.1, "llm": LLM, "of": tenant}
    records.add_trace(tenant, answer, [])
    return records.queue_pending(tenant, "", f"问 {tenant!r}", 0.1, ["a.md"])


def test_no_tenant_sees_or_changes_what_is_anothers(records: Records) -> None:
    pending = {tenant: fill(records, tenant) for tenant in HOSTILE}
    for tenant in HOSTILE:
        assert [e.answer for e in records.faq(tenant, None)] == [f"答案属于 {tenant!r}"]
        assert [q.question for q in records.pending(tenant)] == [f"问 {tenant!r}"]
        assert [t.answer["of"] for t in records.traces(tenant, 99)] == [tenant]
        assert [key for key, *_ in records.sessions(tenant)] == [f"s{tenant}"]
        for other in HOSTILE:
            assert (records.session(other, f"s{tenant}") is not None) == (other == tenant)
            assert (records.pending_one(other, pending[tenant]) is not None) == (other == tenant)
            assert (records.cached(other, f"k{tenant}") is not None) == (other == tenant)
    assert records.remove_faq("%", [e.faq_id for e in records.faq("", None)])
    assert not records.remove_session("_", "s")
    records.add_turn("%", "s", SessionTurn("x", "x", "x"))
    kept = records.session("", "s")
    assert kept
    assert len(kept.turns) == 1


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=20), st.text(min_size=1, max_size=20), st.text(max_size=20))
def test_any_text_comes_back_as_it_went_in(records: Records, tenant: str, question: str, answer: str) -> None:
    records.add_faq(tenant, [FaqEntry(question, answer, tenant)], "t")
    assert (question, answer) in [(e.question, e.answer) for e in records.faq(tenant, tenant)]


def test_the_same_question_is_the_same_entry_and_gets_the_new_answer(records: Records) -> None:
    assert records.add_faq("", [FaqEntry("怎么请假？", "甲")], "t") == {"added": 1, "updated": 0, "unchanged": 0}
    assert records.add_faq("", [FaqEntry("怎么请假？", "乙")], "t") == {"added": 0, "updated": 1, "unchanged": 0}
    assert [e.answer for e in records.faq("", None)] == ["乙"]


def test_a_subject_sees_its_own_entries_and_those_of_none(records: Records) -> None:
    records.add_faq("", [FaqEntry("一", "1", "ai"), FaqEntry("二", "2", "db"), FaqEntry("三", "3")], "t")
    assert {e.question for e in records.faq("", "ai")} == {"一", "三"}


def test_a_question_asked_again_is_counted_and_a_rejected_one_stays_rejected(records: Records) -> None:
    first = records.queue_pending("", "", "有食堂吗？", 0.1, ["a.md"])
    records.settle_pending("", first, "rejected")
    assert records.queue_pending("", "", " 有食堂吗？", 0.2, ["b.md"]) == first
    found = records.pending_one("", first)
    assert found
    assert (found.times, found.status, found.confidence, found.nearest) == (2, "rejected", 0.2, ("b.md",))


def test_answers_made_from_another_corpus_go(records: Records) -> None:
    records.cache("", "old", "c1", {"n": 1})
    records.cache("", "new", "c2", {"n": 2})
    assert records.cached("", "old") is None
    assert records.cached("", "new") == {"n": 2}


def test_a_catalog_from_before_gets_the_tables_and_keeps_a_copy(tmp_path: Path) -> None:
    from edu_cli.index.database import Database
    from edu_cli.index.schema import APPLICATION_ID, CATALOG_STEPS

    path = tmp_path / "catalog.sqlite"
    Database(path, CATALOG_STEPS[:1], APPLICATION_ID).close()
    opened = open_records(path)
    assert opened.faq("", None) == []
    opened.close()
    assert (tmp_path / "catalog.sqlite.format-1").exists()
    open_catalog(path).close()
