"""What the reranker learns from: questions and near misses made of text, and what is kept out."""

from __future__ import annotations

import json
import random
from importlib import import_module as script
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

SEA = (
    "# 潮间带\n\n潮间带是一种每天被海水淹没两次的地带。涨潮时水深可达 4 米，小鱼和虾都游进来觅食。"
    "藤壶附着在 1850 年修筑的石堤上。"
    "退潮后滩涂上有许多招潮蟹。渔民在夏天采收紫菜，冬天则修补船只和渔网。村里的孩子提着小桶去捡贝壳。\n"
)
HILL = (
    "# 茶山\n\n茶山位于县城以北，土壤偏酸。春茶在清明前采摘。茶农用竹匾摊晾鲜叶。"
    "山顶的亭子建于 1930 年。亭子可以看见湖。\n"
)


@pytest.fixture
def reading_set(tmp_path: Path) -> Path:
    (docs := tmp_path / "docs").mkdir()
    (docs / "00000.md").write_text(SEA, encoding="utf-8")
    (docs / "00001.md").write_text(HILL, encoding="utf-8")
    line = {"question": "1850 年修筑的石堤上有什么？", "relevant": [{"doc": "00000.md"}], "answers": ["藤壶"]}
    (tmp_path / "dataset.jsonl").write_text(json.dumps(line, ensure_ascii=False) + "\n", encoding="utf-8")
    return tmp_path


def mined(question: str) -> dict:
    wrong = [["茶山\n春茶在清明前采摘。山顶的亭子建于 1930 年。亭子可以看见湖。茶农用竹匾摊晾鲜叶。", 0.4]]
    return {
        "question": question,
        "kind": "question",
        "right": [["潮间带\n藤壶附着在石堤上。", 1.0]],
        "wrong": wrong * 5,
    }


def test_the_sentence_with_the_answer_stands_against_its_neighbours_and_those_of_near_passages(
    reading_set: Path,
) -> None:
    made = list(script("sentences").of_reading(reading_set, [mined("1850 年修筑的石堤上有什么？")]))
    first = next(group for kind, group in made if kind == "sentences" and group["kind"] == "sentence")
    assert first["right"] == [("潮间带\n藤壶附着在 1850 年修筑的石堤上。", 0.0)]
    wrong = [text for text, _ in first["wrong"]]
    assert "潮间带\n退潮后滩涂上有许多招潮蟹。" in wrong
    assert any(text.startswith("茶山\n") for text in wrong)
    assert not any("藤壶" in text for text in wrong)


def test_a_question_with_another_number_is_answered_by_nothing(reading_set: Path) -> None:
    made = [group for _, group in script("sentences").of_reading(reading_set, [mined("1850 年修筑的石堤上有什么？")])]
    other = next(group for group in made if group["kind"] == "unanswerable")
    assert other["right"] == []
    assert "1850" not in other["question"]
    assert other["wrong"][0][0] == "潮间带\n藤壶附着在 1850 年修筑的石堤上。"
    assert other["of"] == "1850 年修筑的石堤上有什么？"


def test_the_passage_without_its_answer_is_a_near_miss_of_the_whole_one(reading_set: Path) -> None:
    made = list(script("sentences").of_reading(reading_set, [mined("1850 年修筑的石堤上有什么？")]))
    cut = next((group for kind, group in made if kind == "cut"), None)
    assert cut is not None
    assert "藤壶" in cut["right"][0][0]
    assert "藤壶" not in cut["wrong"][0][0]
    assert "招潮蟹" in cut["wrong"][0][0]


def test_a_question_whose_answer_is_not_known_makes_no_group(reading_set: Path) -> None:
    line = {"question": "石堤上有什么？", "relevant": [{"doc": "00000.md"}], "answers": []}
    (reading_set / "dataset.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    assert list(script("sentences").of_reading(reading_set, [mined("石堤上有什么？")])) == []


def test_a_sentence_that_says_what_something_is_makes_a_question(tmp_path: Path) -> None:
    (docs := tmp_path / "docs").mkdir()
    (docs / "0.md").write_text(SEA, encoding="utf-8")
    (docs / "1.md").write_text(HILL + HILL.replace("# 茶山\n", "").replace("茶", "果"), encoding="utf-8")
    (only,) = script("sentences").of_definitions(tmp_path)
    assert "潮间带" in only["question"]
    assert only["right"] == [("潮间带\n潮间带是一种每天被海水淹没两次的地带。", 0.0)]
    assert only["right"][0] not in only["wrong"]


@pytest.mark.parametrize("term", ["这些", "第一个控件", "它", "关于主机", "开着的", "我们的茶"])
def test_words_that_point_are_no_terms(term: str) -> None:
    assert not script("sentences")._is_term(term)


def test_what_was_made_of_a_question_that_is_kept_out_is_kept_out_too(tmp_path: Path) -> None:
    every = script("groups").HELD_EVERY
    base = [mined(f"第 {n} 问？") for n in range(2 * every)]
    extra = [{**mined(f"第 {n} 问？"), "of": f"第 {n} 问？", "kind": "sentence"} for n in range(2 * every)]
    for name, lines in (("a", base), ("b", extra)):
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (tmp_path / f"{name}.jsonl").write_text(text, encoding="utf-8")
    learn, held = script("groups").read_groups(tmp_path, ("a", "b"))
    assert {group.question for group in held} == {"第 0 问？", f"第 {every} 问？"}
    assert not {group.question for group in held} & {group.question for group in learn}
    assert len(held) + len(learn) == 4 * every


def test_of_what_the_fusion_is_sure_of_a_third_comes(tmp_path: Path) -> None:
    text = "".join(json.dumps(mined(f"第 {n} 问？")) + "\n" for n in range(60))
    (tmp_path / "a.jsonl").write_text(text, encoding="utf-8")
    everything, _ = script("groups").read_groups(tmp_path, ("a",))
    unsure, _ = script("groups").read_groups(tmp_path, ("a",), all_sure=False)
    assert len(everything) == 57
    assert len(unsure) == 19


def test_of_a_set_with_a_share_that_share_comes_by_the_same_lot(tmp_path: Path) -> None:
    text = "".join(json.dumps(mined(f"第 {n} 问？")) + "\n" for n in range(400))
    (tmp_path / "a.jsonl").write_text(text, encoding="utf-8")
    learn, held = script("groups").read_groups(tmp_path, ("a=.25",))
    again, _ = script("groups").read_groups(tmp_path, ("a=.25",))
    assert 60 <= len(learn) <= 130
    assert learn == again
    assert len(held) == 20


@given(st.one_of(st.integers(1, 9999).map(str), st.decimals(0, 999, places=2).map(str)), st.integers(0, 9))
def test_another_number_is_another_number_of_its_kind(number: str, seed: int) -> None:
    other = script("wording").other_number(number, random.Random(seed))
    assert other != number
    assert ("." in other) == ("." in number)
    assert float(other) >= 0
