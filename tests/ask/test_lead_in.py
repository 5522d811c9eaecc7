"""What leads to a question is not searched for."""

from __future__ import annotations

import pytest
from asking import FEES, FixedSearch, asked

from edu_cli.ask.plan.lead_in import without_lead_in
from edu_cli.errors import UsageError


@pytest.mark.parametrize(
    ("question", "rest"),
    [
        ("换个话题，字典的键有什么要求", "字典的键有什么要求"),
        ("老师您好，顺便问一下，学费是多少？", "学费是多少？"),
        ("对了，怎么请假", "怎么请假"),
        ("老师的办公室在哪？", "老师的办公室在哪？"),
        ("你好，谢谢", "你好，谢谢"),
        ("问题，怎么提", "问题，怎么提"),
    ],
)
def test_what_only_leads_to_a_question_is_left_out(question: str, rest: str) -> None:
    assert without_lead_in(question) == rest


def test_the_question_is_kept_as_it_was_asked_and_searched_without_its_lead_in() -> None:
    search = FixedSearch(FEES)
    answer = asked("换个话题，Python 课程的学费是多少？", search)
    assert answer.question == "换个话题，Python 课程的学费是多少？"
    assert search.asked[0][0] == answer.standalone_question == "Python 课程的学费是多少？"


@pytest.mark.parametrize("question", ["？？？", "😀", "…！"])
def test_a_question_without_a_word_is_refused_before_anything_is_looked_up(question: str) -> None:
    search = FixedSearch(FEES)
    with pytest.raises(UsageError, match="no word"):
        asked(question, search)
    assert not search.asked
