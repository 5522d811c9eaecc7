from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edu_cli.text import cjk_share, clean, content_id, counted, fold, is_cjk, sentences

ALPHABET = "的学矩阵A a1.。！？!?；，、`“”\"'（）()…：\n\t 　．3e"


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


def test_chinese_sentences_keep_their_closing_marks() -> None:
    assert cut("他说：“你好。”然后走了！（真的。）完") == ["他说：“你好。”", "然后走了！", "（真的。）", "完"]


@pytest.mark.parametrize(
    "text",
    [
        "圆周率是3.14，也写作３．１４",
        "见 e.g. Fig. 3 与 J. Smith et al. 的论文",
        "访问 https://example.com/a?b=1.html&c=2",
        "若 a!=b 则停止",
        "1. 第一步打开终端",
        "node.js 和 v1.2.3",
        "他说……然后走了",
    ],
)
def test_points_that_end_nothing_are_not_cut(text: str) -> None:
    assert cut(text) == [text]


def test_latin_sentences_are_cut_after_the_space() -> None:
    assert cut("It works. Does it? Yes! End") == ["It works. ", "Does it? ", "Yes! ", "End"]


def test_a_straight_quote_closes_only_what_was_opened() -> None:
    assert cut('他说"好。"又说"行。"完') == ['他说"好。"', '又说"行。"', "完"]


def test_inline_code_is_not_cut() -> None:
    assert cut("用 `raise A ... from e` 保留原因。再看 `x? y` 吧。") == [
        "用 `raise A ... from e` 保留原因。",
        "再看 `x? y` 吧。",
    ]
    assert cut("一个 ` 不是代码。下一句。") == ["一个 ` 不是代码。", "下一句。"]


def test_short_lines_are_sentences_and_wrapped_ones_are_joined() -> None:
    assert cut("第一行\n第二行") == ["第一行\n", "第二行"]
    wrapped = "这是一行被编辑器在固定的宽度处折断而没有写完的\n正文，它到这里才结束。"
    assert cut(wrapped) == [wrapped]


def test_a_blank_line_always_ends_a_sentence() -> None:
    assert len(cut("这是一行被编辑器在固定的宽度处折断而没有写完的\n\n正文")) == 2


@given(st.text(alphabet=ALPHABET, max_size=200))
@settings(max_examples=300)
def test_sentences_tile_the_text(text: str) -> None:
    spans = sentences(text)
    assert "".join(text[start:end] for start, end in spans) == text
    assert all(start < end for start, end in spans)


def test_long_texts_take_linear_time() -> None:
    for part in ("。", "a. ", '"。', "\n", " ", "!", ".", "…", "．", "长" * 30 + "\n"):
        assert len(cut(part * 50_000 + "x")) >= 1


def test_cleaning_drops_what_cannot_be_seen() -> None:
    assert clean("问\x00题\x1b[31m红\x1b[0m\r\n零\u200b宽\u00ad\ufeff") == ("问题红\n零宽", 13)


def test_cleaning_keeps_joined_emoji_and_tabs() -> None:
    assert clean("👩\u200d💻\t好") == ("👩\u200d💻\t好", 0)


def test_folding_joins_width_and_case() -> None:
    assert fold("Ｃ＋＋　 Primer\n") == "c++ primer"


def test_content_ids_tell_where_a_part_ends() -> None:
    assert content_id("ab", "c") != content_id("a", "bc")
    assert len(content_id("x")) == 32


def test_cjk_counts_characters_but_no_punctuation() -> None:
    assert is_cjk("学")
    assert is_cjk("𠮷")
    assert not is_cjk("。")
    assert cjk_share("学a ") == 0.5
    assert cjk_share("") == 0.0


@pytest.mark.parametrize(
    ("n", "words", "said"),
    [
        (0, ("chunk",), "0 chunks"),
        (1, ("chunk",), "1 chunk"),
        (2, ("chunk",), "2 chunks"),
        (3, ("child", "children"), "3 children"),
    ],
)
def test_one_of_something_is_told_in_the_singular(n: int, words: tuple[str, ...], said: str) -> None:
    assert counted(n, *words) == said
