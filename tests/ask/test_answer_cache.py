"""Earlier answers: served while what they were made from stands, forgotten when it changes, and of nobody's talk."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from asking import LEAF, FixedSearch, asked, tools
from scripted_llm import ScriptedChat

from edu_cli.ask.pipeline import ask
from edu_cli.ask.request import AskRequest
from edu_cli.index.records import Records, open_records
from edu_cli.types import Message, Scope, SearchRequest, SearchResult

QUESTION = "课程里说暗反应发生在哪里？"
GOOD = "暗反应发生在叶绿体基质中[1]。"


class OtherCorpus(Records):
    """The same records after an ingest has changed the corpus."""

    def corpus(self) -> str:
        return "another corpus"


@pytest.fixture
def records(tmp_path: Path) -> Iterator[Records]:
    opened = open_records(tmp_path / "catalog.sqlite")
    yield opened
    opened.close()


def test_a_change_elsewhere_costs_a_search_but_no_new_answer(records: Records) -> None:
    search, chat = FixedSearch(LEAF), ScriptedChat(GOOD)
    first = asked(QUESTION, search, chat, records)
    records = OtherCorpus(records.database)
    again = asked(QUESTION, search, chat, records)
    assert (again.mode, again.llm.calls, again.answer) == ("cached", 0, first.answer)
    assert len(search.asked) == 2
    assert [s.detail for s in again.steps if s.name == "cache"] == ["nothing", "the same passages as before"]


def test_a_changed_passage_costs_a_new_answer(records: Records) -> None:
    asked(QUESTION, FixedSearch(LEAF), ScriptedChat(GOOD), records)
    records = OtherCorpus(records.database)

    class Changed(FixedSearch):
        def search(self, request: SearchRequest) -> SearchResult:
            from dataclasses import replace

            found = super().search(request)
            return replace(found, passages=tuple(replace(p, parent_id=f"new {p.parent_id}") for p in found.passages))

    assert asked(QUESTION, Changed(LEAF), ScriptedChat(GOOD), records).mode == "generated"


def test_what_quotes_a_passage_that_is_gone_is_not_kept(records: Records) -> None:
    asked(QUESTION, FixedSearch(LEAF), ScriptedChat(GOOD), records)  # its passages stand in no document
    records = OtherCorpus(records.database)
    asked("光反应发生在哪里？", FixedSearch("光反应发生在类囊体薄膜上。"), None, records)
    kept = [json.loads(row[0])["question"] for row in records.database.rows("SELECT value FROM answers")]
    assert kept == ["光反应发生在哪里？"]


def test_what_was_answered_within_a_conversation_is_not_served_to_others(records: Records) -> None:
    history = (Message("user", "我叫张三，正在补考光合作用。"), Message("assistant", "好的。"))
    search = FixedSearch(LEAF)
    asked(QUESTION, search, ScriptedChat(GOOD), records, history=history)
    assert asked(QUESTION, search, ScriptedChat(GOOD), records).mode == "generated"


@pytest.mark.parametrize(
    "changed",
    [{"scope": Scope(tenant="甲")}, {"scope": Scope(subject="生物")}, {"k": 3}, {"mode": "bm25"}, {"rerank": False}],
)
def test_another_tenant_subject_or_search_is_another_question(records: Records, changed: dict) -> None:
    search = FixedSearch(LEAF)
    asked(QUESTION, search, None, records)
    assert asked(QUESTION, search, None, records).mode == "cached"
    assert asked(QUESTION, search, None, records, **changed).mode == "extractive"


@pytest.mark.parametrize("setting", [{"threshold": 0.3}, {"grade": "off"}, {"context_tokens": 900}, {"passages": 3}])
def test_other_settings_are_another_answer(records: Records, setting: dict) -> None:
    search = FixedSearch(LEAF)
    ask(AskRequest(QUESTION), tools(search, ScriptedChat(GOOD), records))
    assert ask(AskRequest(QUESTION), tools(search, ScriptedChat(GOOD), records, **setting)).mode == "generated"


def test_an_answer_with_doubts_is_not_kept(records: Records) -> None:
    invented = f"{GOOD}它由卡尔文在1950年发现[1]。"
    search = FixedSearch(LEAF)
    asked(QUESTION, search, ScriptedChat(invented, invented), records)
    assert asked(QUESTION, search, ScriptedChat(GOOD), records).mode == "generated"
