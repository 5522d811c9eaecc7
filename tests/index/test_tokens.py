from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edu_cli.errors import ConfigError
from edu_cli.index import tokens as tokens_module
from edu_cli.index.lexical_place import tokenizer_fingerprint
from edu_cli.index.tokens import open_tokenizer

TOKENS = open_tokenizer()


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("C++ 是什么", "c++"),
        ("用C++编写", "c++"),
        ("C# 委托", "c#"),
        ("F# 与 C#。", "c#"),
        (".NET 平台", ".net"),
        ("运行在.NET上", ".net"),
        ("A*算法", "a*"),
        ("B+树索引", "b+"),
        ("TCP/IP 分几层", "tcp/ip"),
        ("k-means 聚类", "k-means"),
        ("变量 node_id 的值", "node_id"),
        ("std::vector 扩容", "std::vector"),
        ("截止 2031-09-01 提交", "2031-09-01"),
        ("按 GB/T 7714 著录", "gb/t7714"),
        ("按GB/T7714著录", "gb/t7714"),
        ("BERT-base 模型", "bert-base"),
        ("ＢＥＲＴ－ｂａｓｅ", "bert-base"),
        ("版本 v1.2.3", "v1.2.3"),
        ("R&D 部门", "r&d"),
    ],
)
def test_a_term_survives_whole(text, term):
    assert term in TOKENS(text)


@pytest.mark.parametrize(
    ("text", "parts"),
    [("TCP/IP", {"tcp", "ip"}), ("BERT-base", {"bert", "base"}), ("2031-09-01", {"2031", "09", "01"})],
)
def test_the_parts_of_a_term_are_found_too(text, parts):
    assert parts <= set(TOKENS(text))


def test_markdown_emphasis_is_no_part_of_a_term():
    assert TOKENS("**粗体** 和 *word* 与 **bold**") == TOKENS("粗体 和 word 与 bold")


def test_traditional_and_simplified_text_give_the_same_tokens():
    assert TOKENS("資料庫系統與軟體計畫") == TOKENS("资料库系统与软体计划")


def test_width_and_case_are_folded():
    assert TOKENS("ＨａｓｈＭａｐ　１２３") == TOKENS("hashmap 123") == ["hashmap", "123"]


def test_invisible_characters_do_not_cut_words():
    assert TOKENS("算\u00ad法 Hash\u200bMap") == TOKENS("算法 HashMap")


def test_only_punctuation_is_left_out():
    assert TOKENS("，。！？（）——…… \t\n《》") == []
    assert "的" in TOKENS("算法的")


def test_kana_and_thai_are_cut_into_pairs():
    assert TOKENS("カタカナ") == ["カタ", "タカ", "カナ"]


def test_a_very_long_run_is_cut_short():
    assert all(len(token) <= 64 for token in TOKENS("a" * 100_000 + " " + "b-" * 5000 + "c"))


def test_the_fallback_gives_the_same_tokens_as_rjieba(tmp_path, monkeypatch):
    sample = "小明硕士毕业于中国科学院计算所，后在日本京都大学深造。跳跃表与红黑树、事务的隔离级别，南京市长江大桥。"
    with monkeypatch.context() as patched:
        patched.setattr(tokens_module, "cutter_name", lambda: "jieba")
        slow = open_tokenizer.__wrapped__(None, tmp_path / "jieba")
    assert slow(sample) == TOKENS(sample)
    assert slow.fingerprint != TOKENS.fingerprint
    assert list((tmp_path / "jieba").iterdir()), "jieba's cache must not lie in the common temp folder"


def test_course_terms_of_the_user_dictionary_stay_whole(tmp_path):
    path = tmp_path / "terms.txt"
    path.write_text("# 课程术语\n跳跃表\n多版本并发控制\t数据库\n最小 二乘\n", encoding="utf-8")
    tokenizer = open_tokenizer(path)
    assert "跳跃表" not in TOKENS("跳跃表的实现")
    assert "跳跃表" in tokenizer("跳跃表的实现")
    assert "多版本并发控制" in tokenizer("MVCC 即多版本并发控制")
    assert "最小 二乘" in tokenizer("用最小 二乘估计")
    assert tokenizer.fingerprint != TOKENS.fingerprint
    assert tokenizer.fingerprint == tokenizer_fingerprint(path)


def test_a_dictionary_in_jiebas_own_format_can_be_used(tmp_path):
    path = tmp_path / "jieba.txt"
    path.write_text("跳跃表 5 n\n云计算 3\n", encoding="utf-8")
    assert {"跳跃表", "云计算"} <= set(open_tokenizer(path)("跳跃表和云计算"))


def test_a_missing_user_dictionary_is_told(tmp_path):
    with pytest.raises(ConfigError, match=r"terms\.txt"):
        open_tokenizer(tmp_path / "terms.txt")


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=80))
def test_any_text_can_be_cut_and_no_token_is_empty_or_blank(text):
    for token in TOKENS(text):
        assert token
        assert token.strip()


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="数据库算法的C+#.*/-_ 12aB，。計畫", max_size=40))
def test_cutting_is_deterministic_and_blind_to_case(text):
    assert TOKENS(text) == TOKENS(text.upper()) == TOKENS(text.lower())
