from __future__ import annotations

import pytest

from edu_cli.evaluate.items import Item, Relevant
from edu_cli.evaluate.misfits import misfits
from edu_cli.types import StoredParent


def parent(section, page, text):
    return StoredParent(f"{section}{page}", "d", "ai/大纲.pdf", "大纲", "ai", section, page, page, text, ())


PARENTS = [
    parent(("第一章 总则", "1.2 费用"), 2, "学费每年五千元，\n分两次交。"),
    parent(("第一章 总则", "1.3 退费"), 3, "开课前七天以内申请退费，收一成手续费。"),
]
DOC = "ai/大纲.pdf"


def remarks(*entries):
    items = [Item(f"q{i}", "问", (entry,)) for i, entry in enumerate(entries, start=1)]
    return misfits(items, [DOC, "other.md"], lambda doc: PARENTS if doc == DOC else [])


@pytest.mark.parametrize(
    "entry",
    [
        Relevant(DOC),
        Relevant(DOC, section="１.2  费用"),
        Relevant(DOC, section="第一章 总则", page=3),
        Relevant(DOC, contains="五千元，分两次"),
        Relevant("gone.md", section="told elsewhere"),
        Relevant(section="any document may have it"),
    ],
)
def test_a_label_that_a_passage_fits_needs_no_remark(entry):
    assert remarks(entry) == []


@pytest.mark.parametrize(
    ("entry", "remark"),
    [
        (Relevant(DOC, section="1.2 费 率"), "has no section '1.2 费 率'; the nearest is '1.2 费用' (wanted by q1)"),
        (Relevant(DOC, page=4), "has no page 4; its pages are 2 to 3 (wanted by q1)"),
        (Relevant(DOC, section="1.2 费用", page=3), "has no page 3 in section '1.2 费用'; its only page is 2"),
        (Relevant(DOC, contains="六千元"), "has no passage that contains '六千元' (wanted by q1)"),
        (
            Relevant(DOC, section="1.3 退费", contains="五千元"),
            "no passage in section '1.3 退费' that contains '五千元'",
        ),
        (Relevant(DOC, page=3, contains="长" * 50), f"no passage on page 3 that contains '{'长' * 40}…'"),
        (Relevant("other.md", section="1"), "'other.md' has no section '1'; it has no headings"),
        (Relevant("other.md", page=1), "'other.md' has no page 1; it has no pages"),
    ],
)
def test_a_label_that_nothing_fits_is_told_with_what_there_is(entry, remark):
    (told,) = remarks(entry)
    assert remark in told


def test_the_same_remark_names_all_its_questions():
    (told,) = remarks(*[Relevant(DOC, page=9)] * 5)
    assert told.endswith("(wanted by q1, q2, q3 …)")
