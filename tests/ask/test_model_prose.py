"""What small models were seen to write, judged and shown: lists, lead-ins, lists of sources, words on the material."""

from __future__ import annotations

import pytest
from asking import LEAF, FixedSearch, asked, tools
from scripted_llm import ScriptedChat

from edu_cli.ask.generation.reply import without_sources
from edu_cli.ask.pipeline import ask
from edu_cli.ask.plan.strategy import split_question
from edu_cli.ask.request import AskRequest
from edu_cli.ask.verification.absence import tells_absence
from edu_cli.ask.verification.verify import Verified, verify
from edu_cli.errors import ContextOverflowError
from edu_cli.types import Message, Passage

GOOD = "暗反应发生在叶绿体基质中"
KEYS = "因为不可变，元组可以作为字典的键，列表则不行。"


def verified(draft: str, *texts: str) -> Verified:
    given = [
        Passage(n, 1.0, f"{n}.md", "讲", (), None, "", f"p{n}", f"c{n}", f"d{n}", text, text, {})
        for n, text in enumerate(texts or (LEAF, "有氧呼吸第三阶段发生在线粒体内膜。"), 1)
    ]
    return verify(draft, given, strict=False)


@pytest.mark.parametrize("mark", ["{}. ", "{}、", "({}) ", "（{}）", "{}) ", "- {}. ", "**{}. "])
def test_the_number_of_a_lists_item_is_no_number_that_the_passage_must_have(mark: str) -> None:
    draft = "\n".join(f"{mark.format(n)}{GOOD}[1]" for n in (3, 4, 12))
    result = verified(draft)
    assert not result.unsupported
    assert result.text == draft


def test_a_number_that_begins_a_sentence_is_still_one() -> None:
    assert verified("3.5 微米厚的叶绿体基质中发生暗反应[1]。").unsupported


@pytest.mark.parametrize("marker", ["（资料1）", "(来源 1)", "[编号1]", "[[1]]", "[1]-c02f75ca39dc", "【资料1】"])
def test_markers_with_a_word_in_round_brackets_twice_or_with_the_fence_are_markers(marker: str) -> None:
    assert verified(f"{GOOD}{marker}。").text == f"{GOOD}[1]。"


@pytest.mark.parametrize("lead", ["根据[1]，", "根据资料[1]，", "参考资料[1]：", "按照文档[1]的内容，", "由[1]可知，"])
def test_a_marker_in_the_words_that_lead_in_stands_for_what_follows(lead: str) -> None:
    right, wrong = verified(f"{lead}{GOOD}。"), verified(f"{lead}它早在1950年就被证明。")
    assert right.text == f"{lead}{GOOD}。"
    assert [(c.n, c.support) for c in right.citations] == [(1, "supported")]
    assert right.citations[0].claim.endswith(f"{GOOD}。")
    assert len(wrong.unsupported) == 1


@pytest.mark.parametrize("tail", ["\n\n参考资料：[1]", "\n来源：[1][2]", "（见资料[1]）", "资料编号：[1]"])
def test_a_sentence_that_only_names_sources_is_no_claim(tail: str) -> None:
    result = verified(f"{GOOD}。{tail}")
    assert result.text == f"{GOOD}。[1]"
    assert not result.unsupported


@pytest.mark.parametrize(
    "sources",
    [
        "\n\n参考资料：\n[1] 光合作用.md › 暗反应\n[2] 呼吸.md",
        "\n\n**来源**：\n- [1] 光合作用.md",
        "\n参考：[1][2]",
        "\n\nReferences:\n1. 光合作用.md\n2. 呼吸.md",
    ],
)
def test_a_list_of_sources_under_an_answer_is_left_out(sources: str) -> None:
    assert without_sources(f"{GOOD}[1]。{sources}") == f"{GOOD}[1]。"


@pytest.mark.parametrize(
    "text",
    [
        f"{GOOD}[1]。\n来源于光的能量在光反应中转化。",
        "参考资料有三种：\n1. 教材\n2. 讲义",
        "参考资料：\n1. 教材",
        f"{GOOD}[1]。\n\n出处：这一段讲的是暗反应，它写在第三节，别处没有。",
    ],
)
def test_what_is_no_list_of_sources_stays(text: str) -> None:
    assert without_sources(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "资料中没有提到校长的手机号。",
        "资料没有说明所需的温度。",
        "抱歉，资料中没有相关信息。",
        "根据提供的资料，无法确定显卡的型号。",
        "根据资料，没有提到食堂的开门时间。",
        "无法从资料中得知宿舍的价格。",
        "The passages do not mention the canteen.",
    ],
)
def test_a_sentence_that_the_material_does_not_tell_is_no_claim_of_its_matter(text: str) -> None:
    assert tells_absence(text)
    assert asked("食堂几点开门？", FixedSearch(LEAF), ScriptedChat(text)).refused
    beside = verified(f"{GOOD}[1]。{text}")
    assert beside.text == f"{GOOD}[1]。{text}"
    assert not beside.unsupported
    assert not beside.declines


@pytest.mark.parametrize(
    "text", ["资料分为三类。", "没有提交材料的不予退费。", "文档里要写明测试方法。", "无法连接时会重试。"]
)
def test_a_sentence_about_documents_is_a_claim_like_any_other(text: str) -> None:
    assert not tells_absence(text)


def test_a_sentence_without_marker_that_the_nearest_passage_speaks_against_is_not_borne_out() -> None:
    other = "键必须可哈希，字典的键不能是字典。"
    assert verified("因此，元组不能作为字典的键，而列表可以。", KEYS, other).unsupported
    assert not verified("因此，元组可以作为字典的键，而列表不行。", KEYS, other).unsupported


def test_a_sentence_that_the_material_breaks_over_two_lines_is_borne_out() -> None:
    wrapped = "数据库用重做日志（redo log）实现持久性，用回滚日志（undo\nlog）实现原子性。"
    assert not verified("用重做日志（redo log）实现持久性，用回滚日志（undo log）实现原子性[1]。", wrapped).unsupported
    assert verified("用回滚日志（undo log）实现持久性[1]。", wrapped).unsupported


def test_a_line_break_that_a_model_copies_into_brackets_ends_no_sentence() -> None:
    chat = ScriptedChat("数据库用重做日志（redo\nlog）实现持久性。")
    answer = asked("持久性靠什么实现？", FixedSearch("数据库用重做日志（redo\nlog）实现持久性。"), chat)
    assert answer.answer == "数据库用重做日志（redo log）实现持久性。[1]"


def test_a_line_that_announces_a_list_is_no_claim_though_it_has_a_marker() -> None:
    result = verified(f"它有下面这些特点：[2]\n- {GOOD}[1]")
    assert result.text == f"它有下面这些特点：\n- {GOOD}[1]"
    assert [c.n for c in result.citations] == [1]


def test_a_draft_that_repeats_only_the_doubtful_sentences_does_not_replace_the_first() -> None:
    chat = ScriptedChat(f"{GOOD}[1]。它早在1950年就被证明[1]。", "它早在1950年就被证明[1]。")
    answer = asked("课程里说暗反应发生在哪里？", FixedSearch(LEAF), chat)
    assert answer.answer.startswith(f"{GOOD}[1]。")
    assert any("another try was no better" in warning for warning in answer.warnings)


@pytest.mark.parametrize("question", ["谈谈你怎么看待规范化的意义和它的价值？", "说说索引是什么和怎么用"])
def test_a_clause_is_no_thing_to_be_told_of(question: str) -> None:
    assert split_question(question) == ()


def test_a_line_break_within_a_line_of_the_material_ends_no_sentence() -> None:
    page = "SQL\n标准定义了四个隔离级别：读未提交、读已提交、可重复读和可串行化。"
    assert not verified("SQL 标准定义了四个隔离级别：读未提交、读已提交、可重复读和可串行化[1]。", page).unsupported
    assert verified("寒流增温增湿[1]。", "暖流增温增湿。\n寒流降温减湿。").unsupported


def test_a_mark_of_an_earlier_answer_is_neither_sent_nor_taken_for_a_sentence() -> None:
    talk = (Message("user", "什么是光反应？"), Message("assistant", "它早在1950年就被证明[1]（资料未证实）。"))
    chat = ScriptedChat(f"{GOOD}[1]（资料未证实）。")
    answer = asked("课程里说暗反应发生在哪里？", FixedSearch(LEAF), chat, history=talk)
    assert answer.answer == f"{GOOD}[1]。"
    assert "资料未证实" not in "".join(message.content for message in chat.asked[0])


def test_the_line_above_a_passage_is_no_answer() -> None:
    place = "1.md › 节，第1页"
    assert verified(f"1.md[1]\n{GOOD}[1]。").text == f"{GOOD}[1]。"
    answer = asked("课程里说食堂几点开门？", FixedSearch(LEAF), ScriptedChat(f"{place}[1]", f"{place}[1]"))
    assert answer.refused
    assert verified("讲[1]。").text.startswith("讲[1]")  # the name of a lesson may be what was asked for


def test_an_answer_that_no_passage_bears_out_in_full_is_told_of() -> None:
    result = verified("光合作用的暗反应需要很多种不同的酶来催化它。")
    assert not result.citations
    assert "no passage bears out any sentence of the answer in full" in result.warnings


@pytest.mark.parametrize("draft", ["2580元", "2580 元。", "答：2580元", "10%", "- 2580元"])
def test_an_answer_that_is_only_an_amount_is_held_against_the_passages(draft: str) -> None:
    fees = "Python 课程的学费是 2680 元，数据库课程的学费是 4580 元。"
    assert verified(draft, fees).unsupported
    right = verified("4580元", fees)
    assert (right.text, right.unsupported) == ("4580元[1]", ())


@pytest.mark.parametrize("reply", ["[1]", "[1]]", "[1]-c02f75ca39dc]", "课程里说暗反应发生在哪里？[1]"])
def test_a_reply_of_markers_or_of_the_question_alone_is_no_answer(reply: str) -> None:
    assert asked("课程里说暗反应发生在哪里？", FixedSearch(LEAF), ScriptedChat(reply, reply)).refused


def test_an_answer_too_short_to_be_held_against_anything_is_told_of() -> None:
    assert "no passage bears out any sentence of the answer in full" in verified("不会。").warnings


def test_a_refusal_after_another_search_is_not_called_a_doubtful_answer() -> None:
    chat = ScriptedChat("资料中没有相关内容。", "食堂什么时候开门？", "资料中没有相关内容。")
    answer = ask(AskRequest("课程里说食堂几点开门？"), tools(FixedSearch(LEAF), chat, grade="always"))
    assert answer.refused
    assert not any("doubtful" in warning for warning in answer.warnings)


def test_a_refusal_is_not_streamed_before_the_longer_one_that_takes_its_place() -> None:
    for reply, seen in (("资料中没有相关内容。", ""), ("资料中没有相关内容，但有一处例外[1]。", None)):
        shown: list[str] = []
        given = tools(FixedSearch(LEAF), ScriptedChat(reply, reply))
        ask(AskRequest("课程里说暗反应发生在哪里？"), given, shown.append)
        assert "".join(shown) == (reply if seen is None else seen)


def test_the_fence_is_not_shown_as_part_of_the_answer() -> None:
    class Echo(ScriptedChat):
        """Copies the fence from the question."""

        def stream(self, messages, *, temperature):
            fence = messages[-1].content.split(">")[0].removeprefix("<资料-")
            self._replies[0] = f"根据资料-{fence}，{GOOD}[1]-{fence}。\n</资料-{fence}>"
            return super().stream(messages, temperature=temperature)

    shown: list[str] = []
    answer = ask(AskRequest("课程里说暗反应发生在哪里？"), tools(FixedSearch(LEAF), Echo("")), shown.append)
    assert answer.answer == "".join(shown).strip() == f"根据资料，{GOOD}[1]。"


def test_a_prompt_too_long_is_shortened_until_it_fits_and_loses_the_conversation_first() -> None:
    said = "之前的话。" * 100
    talk = (Message("user", "什么是光合作用？"), Message("assistant", said))
    chat = ScriptedChat(*[ContextOverflowError("too long")] * 3, f"{GOOD}[1]。")
    search = FixedSearch(*(f"{LEAF}{'这一段还讲了别的。' * 60}" for _ in range(4)))
    answer = asked("课程里说暗反应发生在哪里？", search, chat, history=talk)
    sizes = [sum(len(m.content) for m in messages) for messages in chat.asked]
    assert sizes == sorted(sizes, reverse=True)
    assert said[:50] in chat.asked[0][2].content
    assert [len(messages) for messages in chat.asked] == [4, 2, 2, 2]
    assert answer.llm.calls == 4
    assert [w for w in answer.warnings if "too long" in w] == [
        "the passages were too long for scripted: 1 of 4 were given"
    ]
