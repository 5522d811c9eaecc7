"""How often the rules choose the strategy that people chose, on questions written before the rules were looked at."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from edu_cli.ask.plan.strategy import choose_strategy

QUESTIONS = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data" / "strategy.jsonl").read_text(encoding="utf-8").splitlines()
]
WANTED = 0.75


def test_three_in_four_strategies_are_those_that_people_chose() -> None:
    agreed = [one for one in QUESTIONS if choose_strategy(one["question"]).strategy == one["strategy"]]
    assert len(QUESTIONS) == 60
    assert len(agreed) / len(QUESTIONS) >= WANTED


def test_a_question_for_one_thing_is_searched_as_it_is() -> None:
    chosen = Counter(choose_strategy(one["question"]).strategy for one in QUESTIONS if one["strategy"] == "direct")
    assert chosen == {"direct": 24}
