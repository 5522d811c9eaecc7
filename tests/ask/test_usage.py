"""Totals over traces: shares, costs and times by what answered."""

from __future__ import annotations

from pathlib import Path

import pytest
from asking import LEAF, FixedSearch, asked
from hypothesis import given
from hypothesis import strategies as st
from scripted_llm import ScriptedChat

from edu_cli.ask.turn import UnansweredError
from edu_cli.ask.usage import KINDS, usage
from edu_cli.errors import ChatError
from edu_cli.index.records import open_records
from edu_cli.types import FaqEntry, Outcome

QUESTION = "课程里说暗反应发生在哪里？"
GOOD = "暗反应发生在叶绿体基质中[1]。"


def test_each_way_of_answering_is_told_apart_with_its_calls(tmp_path: Path) -> None:
    records = open_records(tmp_path / "catalog.sqlite")
    records.add_faq("", [FaqEntry("怎么请假？", "找班主任。")], "t")
    search = FixedSearch(LEAF)
    asked("你好", search, None, records)
    asked("怎么请假？", search, None, records)
    asked(QUESTION, search, None, records)
    asked(QUESTION, search, ScriptedChat(GOOD), records)
    asked(QUESTION, search, ScriptedChat(), records)
    asked("课程有食堂吗？", FixedSearch(LEAF, confidence=0.1), None, records)
    with pytest.raises(UnansweredError):
        asked(QUESTION, search, ScriptedChat(ChatError("down")), records, cache=False)
    found = {(row.by, row.route): row for row in usage(records.outcomes())}
    records.close()
    calls = {key: row.calls for key, row in found.items()}
    assert calls == {
        ("template", "greeting"): 0,
        ("cache", "cache"): 0,
        ("faq", "faq"): 0,
        ("extractive", "rag"): 0,
        ("llm", "rag"): 1,
        ("declined", "rag"): 0,
        ("failed", "rag"): 1,
    }
    assert all(row.answers == 1 and row.share == pytest.approx(1 / 7, abs=1e-4) for row in found.values())
    assert found["llm", "rag"].tokens == 15


@given(
    st.lists(
        st.builds(
            Outcome,
            st.sampled_from(["rag", "faq", "web", "unheard-of"]),
            st.sampled_from(["template", "cached", "faq", "extractive", "generated", "unheard-of"]),
            st.booleans(),
            st.booleans(),
            st.floats(0, 100),
            st.integers(0, 9),
            st.integers(0, 9999),
        )
    )
)
def test_nothing_is_lost_or_counted_twice(outcomes: list[Outcome]) -> None:
    found = usage(outcomes)
    assert sum(row.answers for row in found) == len(outcomes)
    assert sum(row.tokens for row in found) == sum(o.tokens for o in outcomes)
    assert [KINDS.index(row.by) for row in found] == sorted(KINDS.index(row.by) for row in found)
