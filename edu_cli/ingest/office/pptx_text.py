"""The text of a slide's shape: a line a paragraph, bullets, numbers and indents as in an outline."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from typing import NamedTuple

from edu_cli.ingest.office.docx_numbering import chinese_number, circled, letters, roman
from edu_cli.ingest.office.omml import latex
from edu_cli.ingest.office.ooxml import Element, attribute, child, children, chosen, descendants, local, whole_number

_COUNTERS: tuple[tuple[str, Callable[[int], str]], ...] = (
    ("arabic", str),
    ("circleNum", circled),
    ("ea1", chinese_number),
    ("alphaUc", letters),
    ("alphaLc", lambda n: letters(n).lower()),
    ("romanUc", roman),
    ("romanLc", lambda n: roman(n).lower()),
)


class ShapeText(NamedTuple):
    """`is_list` is True where most lines carry a bullet or number."""

    text: str
    is_list: bool


def shape_text(body: Element | None, *, has_bullets: bool) -> ShapeText:
    """`has_bullets` is what the shape inherits (body placeholders do); a paragraph may say otherwise."""
    lines: list[str] = []
    n_marked = 0
    counts: dict[int, int] = defaultdict(int)
    for paragraph in children(body, "p"):
        text = paragraph_text(paragraph).strip("\n").rstrip()
        properties = child(paragraph, "pPr")
        level = whole_number(properties, "lvl", most=8)
        mark = _mark(properties, level, counts, has_bullets=has_bullets) if text.strip() else ""
        if not text.strip():
            continue
        n_marked += bool(mark)
        indent = "  " * level
        first, *rest = text.split("\n")
        lines.append(f"{indent}{mark}{_line(first, mark)}")
        lines += [f"{indent}{' ' * len(mark)}{_line(line, mark)}" for line in rest if line.strip()]
    if n_marked == 1 and len(lines) == 1 and lines[0].startswith("- "):
        return ShapeText(lines[0][2:], is_list=False)
    return ShapeText("\n".join(lines).lstrip("\n"), is_list=n_marked * 2 > len(lines))


def _line(text: str, mark: str) -> str:
    """Prose without the spaces that align it; a line that may be code keeps its indent."""
    is_prose = bool(mark) or "\u2e80" <= text.lstrip()[:1] <= "\uffef"
    return re.sub(r"[ \t]{2,}", " ", text.strip()) if is_prose else text.rstrip()


def paragraph_text(paragraph: Element) -> str:
    """Runs, line breaks, fields other than date and slide number, formulas as LaTeX."""
    return clean("".join(map(_piece, paragraph)))


def clean(text: str) -> str:
    """PowerPoint's line break inside a paragraph, raw or escaped, as a newline."""
    return text.replace("_x000B_", "\n").replace("_x000b_", "\n").replace("\v", "\n").replace("_x000D_", "")


def _piece(e: Element) -> str:
    name = local(e)
    if name == "br":
        return "\n"
    if name == "r" or (name == "fld" and not attribute(e, "type").startswith(("slidenum", "datetime"))):
        found = child(e, "t")
        return found.text or "" if found is not None else ""
    if name == "AlternateContent":
        branch = chosen(e)
        return "".join(map(_piece, branch)) if branch is not None else ""
    if name in ("m", "oMath", "oMathPara"):
        formulas = [latex(f) for f in (descendants(e, "oMath") if name == "m" else [e])]
        return "".join(f"${formula}$" for formula in formulas if formula)
    return ""


def _mark(properties: Element | None, level: int, counts: dict[int, int], *, has_bullets: bool) -> str:
    for deeper in [known for known in counts if known > level]:
        del counts[deeper]
    if child(properties, "buNone") is not None:
        counts[level] = 0
        return ""
    numbered = child(properties, "buAutoNum")
    if numbered is not None:
        start = whole_number(numbered, "startAt", default=1)
        counts[level] = counts[level] + 1 if counts[level] else start
        return _number(attribute(numbered, "type", "arabicPeriod"), counts[level])
    counts[level] = 0
    has_own = child(properties, "buChar") is not None or child(properties, "buBlip") is not None
    return "- " if has_own or has_bullets else ""


def _number(kind: str, n: int) -> str:
    write = next((writer for prefix, writer in _COUNTERS if kind.startswith(prefix)), str)
    text = write(n)
    if kind.endswith("ParenBoth"):
        return f"({text}) "
    if kind.endswith("ParenR"):
        return f"{text}) "
    if kind.startswith("ea1"):
        return f"{text}、"
    return f"{text}. " if kind.endswith("Period") else f"{text} "
