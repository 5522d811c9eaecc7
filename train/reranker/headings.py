"""Pages -> their sections, and questions made of the headings: what material.py makes of manuals and notes."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from wording import question_of

from edu_cli.ingest.load import load
from edu_cli.ingest.options import LoadOptions
from edu_cli.text import cjk_share

TITLED_OF = 2  # for so many questions of headings by themselves, one of a heading and its page's title
_TITLED = ("{}的{}", "{}：{}", "{} {}", "{}的{}是什么？", "{}有哪些{}？")
_NUMBER = re.compile(
    r"^\s*(?:第\s*[\d一二三四五六七八九十]+\s*[章节部分篇]|附录\s*[A-Z]\.?|[A-Z]?\d+(?:\.\d+)*[.、）)]?)\s*"
)
_WIDTHS = (60, 4000)  # characters of a section worth asking about


@dataclass(frozen=True)
class Asked:
    """A question, the passages (by their place in the set) that answer it, and what the answer is where it is known."""

    question: str
    answers: tuple[int, ...]
    kind: str
    said: tuple[str, ...] = ()


@dataclass(frozen=True)
class Passage:
    """A passage under its page's title."""

    title: str
    text: str


def of_headings(
    pages: Iterable[Path], rng: random.Random, most: int = 10_000, *, titled: bool = False
) -> tuple[list[Passage], list[Asked]]:
    """Sections of pages and a question made of each heading that names one section only.

    `titled`: of headings that name several, some questions too, with their pages' titles.
    """
    sections = [one for page in sorted(pages) for one in _sections(page)]
    seen: set[str] = set()
    sections = [one for one in sections if not (one[2] in seen or seen.add(one[2]))]
    if len(sections) > most:
        order = sorted({one[0] for one in sections})
        rng.shuffle(order)
        chosen: set[str] = set()
        for page in order:  # whole pages, so that a section keeps its neighbours
            if sum(one[0] in chosen for one in sections) >= most:
                break
            chosen.add(page)
        sections = [one for one in sections if one[0] in chosen]
    often = Counter(heading for _, heading, _ in sections)
    passages = [Passage(title, text) for title, _, text in sections]
    asked = []
    for place, (title, heading, text) in enumerate(sections):
        solid = "".join(heading.split())
        if often[heading] == 1 and 3 <= len(solid) <= 40 and cjk_share(heading) >= 0.3 and solid not in text:
            asked.append(Asked(question_of(heading, title, rng), (place,), "heading"))
    return passages, asked + (_titled(sections, often, len(asked) // TITLED_OF, rng) if titled else [])


def _titled(
    sections: Sequence[tuple[str, str, str]], often: Counter[str], most: int, rng: random.Random
) -> list[Asked]:
    """Of headings that only their page's title makes clear, `most` by lot."""
    pairs = Counter((title, heading) for title, heading, _ in sections)
    able = [
        (place, title, heading)
        for place, (title, heading, _) in enumerate(sections)
        if often[heading] > 1 and pairs[title, heading] == 1 and title != heading
        if 2 <= len(heading) <= 20 and 2 <= len(title) <= 30 and cjk_share(heading) >= 0.5
    ]
    return [
        Asked(rng.choice(_TITLED).format(title, heading), (place,), "heading")
        for place, title, heading in rng.sample(able, min(most, len(able)))
    ]


def _sections(page: Path) -> Iterator[tuple[str, str, str]]:
    """(title, heading, text) of a page's sections that are mostly Chinese and of a length worth asking about."""
    try:
        blocks = load(page, LoadOptions()).blocks
    except Exception as error:  # noqa: BLE001
        print(f"{page}: {error}")
        return
    title = next((block.text for block in blocks if block.kind == "heading"), "")
    heading, body = "", []
    for block in [*blocks, None]:
        if block is not None and block.kind != "heading":
            body.append(block.text)
            continue
        text = "\n\n".join(body).strip()
        if heading and _WIDTHS[0] <= len(text) <= _WIDTHS[1] and cjk_share(text) >= 0.4:
            yield _bare(title), _bare(heading), text
        heading, body = (block.text if block else ""), []


def _bare(heading: str) -> str:
    return re.sub(r"[¶#*`]+", "", _NUMBER.sub("", heading.strip())).strip()
