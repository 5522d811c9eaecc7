from __future__ import annotations

import pytest
from passages import passage

from edu_cli.evaluate.items import Item, Relevant
from edu_cli.evaluate.relevance import fits_entry, found_at, grain_of, judge


def grades(entries, passages):
    return judge(Item("q", "问", tuple(entries)), passages).grades


def test_documents_are_ranked_once_however_many_of_their_parents_hit():
    hits = [passage(doc, section=[str(i)]) for i, doc in enumerate(["x.md", "x.md", "y.md", "a.md", "x.md", "a.md"])]
    assert grades([Relevant(doc="a.md")], hits) == (0, 0, 1)


def test_what_was_found_takes_no_second_rank():
    hits = [passage("a.md", section=["一"]), passage("a.md", section=["二"]), passage("b.md")]
    assert grades([Relevant(doc="a.md"), Relevant(doc="b.md", grade=2)], hits) == (1, 2)


def test_a_hit_that_fits_several_entries_takes_a_rank_for_each():
    hits = [passage("a.md", text="甲和乙"), passage("b.md", text="丙")]
    entries = [Relevant(contains="甲"), Relevant(contains="乙", grade=3), Relevant(contains="丙")]
    assert grades(entries, hits) == (3, 1, 1)


def test_sections_count_separately_when_labels_name_sections():
    hits = [
        passage("a.md", section=["1", "1.1"]),
        passage("a.md", section=["1", "1.2"]),
        passage("a.md", section=["2"]),
    ]
    assert grades([Relevant(doc="a.md", section="2")], hits) == (0, 0, 1)
    assert grain_of(Item("q", "问", (Relevant(doc="a.md", section="2"), Relevant(doc="b.md")))) == "section"


def test_two_parts_of_one_irrelevant_section_take_one_rank():
    hits = [passage("a.md", section=["1"], parent="p1"), passage("a.md", section=["1"], parent="p2"), passage("b.md")]
    assert grades([Relevant(doc="b.md", section="x"), Relevant(doc="b.md")], hits) == (0, 1)


@pytest.mark.parametrize(
    ("entry", "fits"),
    [
        (Relevant(doc="a.pdf"), True),
        (Relevant(doc="b.pdf"), False),
        (Relevant(section="１.２ 反向传播"), True),
        (Relevant(section="1.2反向传播"), True),
        (Relevant(section="反向传播"), False),
        (Relevant(page=3), True),
        (Relevant(page=4), True),
        (Relevant(page=5), False),
        (Relevant(contains="学习 率 ＝０.1"), True),
        (Relevant(contains="学习率=0.2"), False),
        (Relevant(doc="a.pdf", page=5), False),
        (Relevant(doc="a.pdf", section="1.2 反向传播", page=3, contains="学习率"), True),
    ],
)
def test_a_hit_fits_when_every_key_that_is_given_fits(entry, fits):
    hit = passage("a.pdf", section=["第一章", "1.2 反向传播"], page=3, page_end=4, text="学习率=0.1 时收敛")
    assert fits_entry(hit, entry) is fits


def test_a_hit_stands_for_the_documents_that_hold_the_same_text():
    assert fits_entry(passage("a.md", also=["copy/a.md"]), Relevant(doc="copy/a.md"))


def test_a_hit_without_pages_fits_no_page():
    assert not fits_entry(passage("a.md"), Relevant(page=1))


def test_found_at_counts_positions_from_one():
    assert found_at([passage("x"), passage("a")], Relevant(doc="a")) == 2
    assert found_at([passage("x")], Relevant(doc="a")) is None


def test_entries_of_grade_zero_are_not_relevant():
    assert judge(Item("q", "问", (Relevant(doc="a", grade=0), Relevant(doc="b"))), [passage("a")]).wanted == (1,)
