from __future__ import annotations

from edu_cli.ingest.split.sections import to_sections
from edu_cli.types import Block, Document, FaqEntry


def heading(level: int, text: str) -> Block:
    return Block("heading", text, level=level)


def sections(*blocks: Block) -> list[tuple[tuple[str, ...], list[str]]]:
    found = to_sections(Document("md", "题", blocks))
    return [(section.path, [block.text for block in section.blocks]) for section in found]


def test_text_stands_under_the_headings_above_it() -> None:
    text = Block("paragraph", "文")
    assert sections(text, heading(1, "一"), heading(2, "甲"), text, heading(2, "乙"), text, heading(1, "二"), text) == [
        ((), ["文"]),
        (("一", "甲"), ["文"]),
        (("一", "乙"), ["文"]),
        (("二",), ["文"]),
    ]


def test_skipped_and_falling_levels_keep_the_path_right() -> None:
    text = Block("paragraph", "文")
    assert sections(heading(3, "深"), text, heading(2, "浅"), text, heading(4, "更深"), text) == [
        (("深",), ["文"]),
        (("浅",), ["文"]),
        (("浅", "更深"), ["文"]),
    ]


def test_headings_without_any_text_are_kept_together() -> None:
    text = Block("paragraph", "文")
    assert sections(heading(1, "题"), heading(2, "甲"), heading(2, "乙"), heading(2, "丙"), text, heading(2, "丁")) == [
        (("题",), ["甲", "乙"]),
        (("题", "丙"), ["文"]),
        (("题",), ["丁"]),
    ]


def test_a_document_of_headings_only_loses_none() -> None:
    found = sections(heading(1, "一"), heading(2, "甲"), heading(1, "二"), heading(1, "三"))
    assert [title for _, titles in found for title in titles] == ["甲", "二", "三"]
    assert found[0][0] == ("一",)


def test_each_faq_entry_is_a_section() -> None:
    blocks = (Block("paragraph", "问\n答"), Block("paragraph", "再问\n再答"))
    document = Document("csv", "题", blocks, faq=(FaqEntry("问", "答"), FaqEntry("再问", "再答")))
    assert [section.blocks for section in to_sections(document)] == [(blocks[0],), (blocks[1],)]
