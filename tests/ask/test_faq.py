"""Questions matched with FAQ entries: words, vectors, and what exact things keep apart."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edu_cli.ask.front.faq import FaqEncoder, load_model, match_faq
from edu_cli.ask.front.faq_guard import agrees
from edu_cli.ask.front.faq_likeness import FEATURES, Vectors, Words
from edu_cli.types import EncoderPin, FaqRecord
from edu_cli.wiring.kept_questions import KeptQuestions
from tests.fakes import HashEncoder


def entries_of(*questions: str) -> list[FaqRecord]:
    return [FaqRecord(str(i), "", question, "…", "") for i, question in enumerate(questions, 1)]


def cosines(*similar: float) -> FaqEncoder:
    """An encoder under which the entries have these cosines with whatever is asked."""
    rows = np.array([[c, (1 - c * c) ** 0.5] for c in similar], dtype=np.float32)
    return FaqEncoder(lambda texts: np.array([[1.0, 0.0]] * len(texts), np.float32), lambda texts: rows[: len(texts)])


def no_encoder(_texts: Sequence[str]) -> Vectors:
    raise AssertionError("words decide: nothing is encoded")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("第3章讲什么", "第三章讲什么", True),
        ("第3章讲什么", "第4章讲什么", False),
        ("可以退费吗", "不可以退费吗", False),
        ("Java 怎么学", "Python 怎么学", False),
        ("React组件之间怎么传值", "Vue组件之间怎么传值？", False),
        ("with语句怎么统计函数的用时", "用上下文管理器计算函数运行时间？", True),
        ("图书馆几点开门", "图书馆几点关门？", False),
        ("校医院的电话", "校医院在什么位置？", False),
        ("奖学金有多少钱", "奖学金怎么申请？", False),
        ("选课几号开始", "选课系统什么时候开放？", True),
        ("在读证明去哪里打印", "怎么开在读证明？", True),
        ("break 和 continue 的区别", "break,和continue是只能跳出循环吧", False),
        ("重载和重写是一回事吗？", "重载和重写有什么区别？", False),
        ("重载和重写有什么区别？", "重载与重写的不同之处", True),
        ("产生死锁的四个必要条件是什么？", "什么是死锁？", False),
        ("怎样避免死锁", "死锁是什么意思", False),
        ("死锁是怎么回事呀", "什么是死锁？", True),
        ("v-model 的作用是什么", "v-model 是什么", True),
    ],
)
def test_numbers_names_denials_and_what_is_wanted_guard_the_faq(one: str, other: str, same: bool) -> None:
    assert agrees(one, other) is same


def test_an_faq_entry_is_found_by_meaning_where_words_differ() -> None:
    found = match_faq("口令忘了改一下？", entries_of("如何修改登录密码？", "怎样申请补课？"), cosines(0.99, 0.6))
    assert found
    assert found.entry.faq_id == "1"
    assert found.accepted
    assert match_faq("口令忘了改一下？", [], None) is None


def test_what_is_encoded_is_folded_so_that_script_and_case_tell_nothing_apart() -> None:
    seen: list[str] = []

    def encode(texts: Sequence[str]) -> Vectors:
        seen.extend(texts)
        return np.ones((len(texts), 1), np.float32)

    match_faq(
        "ＵＢＵＮＴＵ 怎麼升級", entries_of("Ubuntu 怎么升级到新版本？", "Git 怎么合并？"), FaqEncoder(encode, encode)
    )
    assert seen == ["ubuntu 怎么升级到新版本?", "git 怎么合并?", "ubuntu 怎么升级"]


def test_only_near_misses_are_offered_and_two_at_the_most() -> None:
    found = match_faq("缺的课怎样听？", entries_of("怎样补课？", "怎样请假？", "怎样转班？"), cosines(0.86, 0.855, 0.6))
    assert found
    assert not found.accepted
    assert [entry.question for entry in found.offers(0.0)] == ["怎样补课？", "怎样请假？"]
    assert found.nearest[0][1] >= found.nearest[1][1]
    assert found.offers(1.0) == ()


def test_an_entry_that_wants_something_else_is_never_the_answer() -> None:
    found = match_faq("图书馆的电话是多少？", entries_of("图书馆几点关门？"), cosines(0.99))
    assert found
    assert not found.accepted
    assert found.probability <= load_model().accept / 2


def test_the_same_words_decide_without_an_encoder() -> None:
    found = match_faq(
        "怎样申请补课", entries_of("如何修改登录密码？", "怎样申请补课？"), FaqEncoder(no_encoder, no_encoder)
    )
    assert found
    assert (found.entry.faq_id, found.accepted, found.how) == ("2", True, "words")


def test_of_a_large_faq_the_entries_that_share_words_are_compared() -> None:
    many = entries_of(*(f"第{i}号实验楼在哪里？" for i in range(2500)), "怎样申请补课？")
    seen: list[int] = []

    def encode(texts: Sequence[str]) -> Vectors:
        seen.append(len(texts))
        return np.array([[1.0, 0.0]] * len(texts), np.float32)

    found = match_faq("缺课以后补课要怎样申请？", many, FaqEncoder(encode, encode))
    assert found
    assert found.entry.question == "怎样申请补课？"
    assert sorted(seen) == [1, 2000]


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.text("怎样补课退费 ab12？", min_size=1, max_size=12), min_size=1, max_size=6),
    st.text("怎样补课退 a1", max_size=10),
)
def test_shares_of_words_lie_between_none_and_all(questions: list[str], asked: str) -> None:
    entries = entries_of(*questions)
    words = Words(entries)
    assert all(0 <= share <= 1 + 1e-9 for share in words.dice(asked))
    assert len(load_model().weights) == len(FEATURES)
    for entry in entries:
        assert all(0 <= value <= 1 + 1e-9 for value in words.compared(asked, entry))


def test_questions_of_the_faq_are_encoded_once(tmp_path: Path) -> None:
    opened: list[HashEncoder] = []

    def encoder() -> HashEncoder:
        opened.append(HashEncoder())
        return opened[-1]

    one = HashEncoder()
    pin = EncoderPin("hash", one.fingerprint, one.dim)
    first = KeptQuestions(tmp_path / "vectors.sqlite", pin, encoder)(["怎样补课？", "怎样退费？", "怎样补课？"])
    assert len(opened) == 1
    again = KeptQuestions(tmp_path / "vectors.sqlite", pin, encoder)(["怎样退费？", "怎样补课？", "怎样补课？"])
    assert len(opened) == 1
    assert np.array_equal(first[[1, 0, 0]], again)
    more = KeptQuestions(tmp_path / "vectors.sqlite", pin, encoder)(["怎样退费？", "怎样转班？"])
    assert len(opened) == 2
    assert np.array_equal(more[0], again[0])


def test_vectors_that_cannot_be_kept_are_made_again(tmp_path: Path) -> None:
    place = tmp_path / "a-file"
    place.write_text("")
    one = HashEncoder()
    pin = EncoderPin("hash", one.fingerprint, one.dim)
    assert KeptQuestions(place / "vectors.sqlite", pin, HashEncoder)(["怎样退费？"]).shape == (1, one.dim)
