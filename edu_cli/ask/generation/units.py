"""Passage -> the pieces that may be quoted as an answer: sentences, list items, table rows with their head, code."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from edu_cli.ask.generation.pieces import pieces
from edu_cli.ask.verification.injection import evidence
from edu_cli.ask.verification.terms import plain

ITEM = re.compile(  # how a line begins that is an item of a list
    r"\s*(?:[-*+•·●○■◆※]\s|\d{1,3}[.、)）]|[(（][\d一二三四五六七八九十]{1,3}[)）]|[①-⑳]|[一二三四五六七八九十]{1,3}、)"
)
_STUB = r"(?:\[(?:file|class|func)\]\{[^}\n]*\}-?)+"  # where a site puts code that the source does not hold
_ONLY_STUBS = re.compile(rf"\s*(?:(?:`{{3,}}|~{{3,}})[^\n]*\n)?(?:\s*{_STUB})+\s*(?:(?:`{{3,}}|~{{3,}})\s*)?")
_LEADS_TO_CODE = re.compile(r"(?:代码|程序|如下|如下所示|code)\W*$")
_ONLY_DIRECTIVES = re.compile(  # what a site generator reads and a reader does not see
    r"(?:\s*(?:\{\{[^}\n]*\}\}|\{%[^%\n]*%\}|<!--(?:(?!-->).)*-->|\[{1,2}TOC\]{1,2}|"
    r'(?:!!!|\?\?\?\+?)[ \t]*\w*(?:[ \t]+"[^"\n]*")?|={3}[ \t]+"[^"\n]*"|:{3,}[^\n]*))+\s*',
    re.DOTALL | re.IGNORECASE,
)
_PICTURE = re.compile(r"[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*[-_]\d{1,3}")  # "kafka-order-02": all that a picture says
# "主要有以下原因。": leads to the list that follows, though it ends as a sentence
_ANNOUNCES = re.compile(
    r"(?:以下|如下|下列|下面)(?:[几两三四五六七八九十\d]+[个点种条项类方步大]+)?[^，。；]{0,10}[。.]\W*$"
)
_LEAST_CHARS = 4
_LEAD_CHARS = 80


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of passage `n` (from 1), verbatim: `context[start:end]`. `header` is the head row of its table.

    `is_item` marks list items, `goes_on` what an item says after its first sentence, `is_lead` what announces a list
    ("步骤如下：") and `is_code` a block of code.
    """

    n: int
    start: int
    end: int
    text: str
    header: str = ""
    is_item: bool = False
    goes_on: bool = False
    is_lead: bool = False
    is_code: bool = False
    is_question: bool = False

    @property
    def is_of_list(self) -> bool:
        """Whether it is an item of a list or a part of one."""
        return self.is_item or self.goes_on

    @property
    def shown(self) -> str:
        """The text with what it cannot be read without."""
        return f"{self.header}\n{self.text}" if self.header else self.text


def units(context: str, n: int, *, headings: Sequence[str] = (), is_entry: bool = False) -> list[Unit]:
    """The pieces of one passage in order, without headings, rules, and instructions to an assistant.

    An `is_entry` passage is one of an FAQ: its first line is the question.
    """
    plain_context, titles = evidence(context), {plain(heading) for heading in headings}
    found: list[Unit] = []
    header = ""
    for piece in pieces(context):
        start, end, text = piece.start, piece.end, context[piece.start : piece.end].strip()
        is_hostile = plain_context[start:end] != context[start:end]
        if is_hostile or _cut_heading(text) or len(re.findall(r"\w", text)) < _LEAST_CHARS or plain(text) in titles:
            continue
        is_row, is_code = piece.kind == "row", piece.kind == "code"
        if _ONLY_STUBS.fullmatch(text):
            found[-1:] = [unit for last in found[-1:] if (unit := _without_code(last))]
            continue
        if not is_code and (_ONLY_DIRECTIVES.fullmatch(text) or _PICTURE.fullmatch(text)):
            continue
        if is_row and not header:
            header = text
            continue
        header = header if is_row else ""
        is_lead = text.rstrip("* ").endswith(("：", ":")) and len(text) < _LEAD_CHARS
        is_item = not is_code and bool(ITEM.match(text))
        goes_on = not is_item and bool(found) and found[-1].is_of_list and _is_inside(context, start)
        is_question = is_entry and not found and not is_row
        if is_item and found and _ANNOUNCES.search(found[-1].text) and not found[-1].is_of_list:
            found[-1] = replace(found[-1], is_lead=True)
        found.append(Unit(n, start, end, text, header, is_item, goes_on, is_lead, is_code, is_question))
    return found


def _without_code(unit: Unit) -> Unit | None:
    """What stands before a stub: no lead any more, and nothing where code is all that it leads to."""
    if not unit.is_lead:
        return unit
    return None if _LEADS_TO_CODE.search(unit.text) else replace(unit, is_lead=False)


def is_left_out(context: str, start: int, end: int) -> bool:
    """Whether what stands between two pieces may not be quoted with them: an instruction, or no more than a stub."""
    return bool(re.search(_STUB, context[start:end])) or evidence(context)[start:end] != context[start:end]


def _is_inside(context: str, start: int) -> bool:
    """Whether what stands there, after a piece of a list's item, is on the same line or on an indented one."""
    start += len(context[start:]) - len(context[start:].lstrip())
    before = context[context.rfind("\n", 0, start) + 1 : start]
    return bool(before.strip()) or len(before.expandtabs()) > 1


def _cut_heading(text: str) -> bool:
    """Whether the text is the end of a bold line that serves as a heading, its number cut off: 锁的实现**."""
    return text.endswith("**") and text.count("**") % 2 == 1 and not re.search(r"[。！？；，]", text)
