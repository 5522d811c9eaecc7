"""Draft -> claims: the stretches of text that a group of citation markers (or none) stands for."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass

from edu_cli.ask.verification.markers import find_markers
from edu_cli.text import sentences

# what is left of "，详见[7]和[9]。", "根据资料[1]，…" or "参考资料：[1]" once the markers are gone
_CONNECTOR = re.compile(
    r"\W|详见|参见|参考|参照|请?见|来源|资料|文档|材料|引自|引用|出处|编号|如下?|和|与|及|以及|或|等|还有|另见|根据|依据|按照|由|从|"
    r"(?:提供|给出)的|所述|内容|可知|可见|中|里|see(?: also)?|cf|and|sources?|references?|according to",
    re.IGNORECASE,
)
_ITEM = re.compile(r"^\s*(?:[-*•+]\s+)?(?:\*\*)?(?:[（(]\d{1,2}[)）]|\d{1,2}(?:[、)）]|[.．](?!\d)))\s*")
_CODE_LINE = re.compile(r"\s*(?:```|~~~)")


@dataclass(frozen=True, slots=True)
class Claim:
    """One stretch of the draft, markers taken out. `cited` are its markers' numbers that exist, `invalid` the others.

    `sentence` counts the sentences; claims of one sentence share it. `code` tells that it stands in a code block.
    `lent` are the markers of the words that lead in to it: 根据资料[1]，….
    """

    text: str
    cited: tuple[int, ...]
    invalid: tuple[int, ...]
    sentence: int
    code: bool = False
    lent: tuple[int, ...] = ()

    @property
    def numbers(self) -> tuple[int, ...]:
        """The passages that it is held against."""
        return self.cited or self.lent

    @property
    def is_bare(self) -> bool:
        """Whether it is made of connecting words alone."""
        return not _CONNECTOR.sub("", self.text)

    @property
    def connects(self) -> bool:
        """Whether nothing but connecting words is left since the markers were taken out."""
        return bool(self.cited or self.invalid) and self.is_bare

    @property
    def is_leftover(self) -> bool:
        """Whether it only led to passages that do not exist."""
        return self.connects and not self.cited

    @property
    def said(self) -> str:
        """The text without the mark of a list's item: the 2 of "2. …" is no number that a passage must have."""
        return _ITEM.sub("", self.text)


def split_claims(draft: str, last: int, *, quoted: Callable[[str], bool] = lambda _: False) -> list[Claim]:
    """The claims of `draft`, in order; their texts joined are the draft without markers (1 to `last` exist)."""
    body, marks = _take_out(draft, quoted)
    spans = sentences(body)
    claims: list[Claim] = []
    for at, (start, end) in enumerate(spans):
        code = body.count("```", 0, start) % 2 == 1 or bool(_CODE_LINE.match(body, start))
        cuts = [start, *sorted({p for p, _ in marks if start < p < end}), end]
        for low, cut in itertools.pairwise(cuts):
            numbers = [n for p, ns in marks if low < p <= cut for n in ns]
            cited = tuple(dict.fromkeys(n for n in numbers if 1 <= n <= last))
            invalid = tuple(dict.fromkeys(n for n in numbers if not 1 <= n <= last))
            claims.append(Claim(body[low:cut], cited, invalid, at, code))
    return claims


def _take_out(draft: str, quoted: Callable[[str], bool]) -> tuple[str, list[tuple[int, tuple[int, ...]]]]:
    """The draft without markers, and each marker's numbers at the end of the text that it stands for."""
    body, marks, at = "", [], 0
    leading: list[tuple[int, ...]] = []
    for marker in find_markers(draft, quoted=quoted):
        between = draft[at : marker.start]
        if leading and between.strip():
            body, marks, leading = _lead(body, between, marks, leading)
        else:
            body += between
        at = marker.end
        if not body.strip() or ("\n" in body[len(body.rstrip()) :] and draft[at : at + 1] not in ("", "\n")):
            leading.append(marker.numbers)  # "[1] 暗反应…" at the start of a line stands for what follows
        else:
            marks.append((len(body.rstrip()), marker.numbers))
    rest = draft[at:]
    if leading and rest.strip():
        body, marks, leading = _lead(body, rest, marks, leading)
    else:
        body += rest
    return body, marks


def _lead(
    body: str, text: str, marks: list[tuple[int, tuple[int, ...]]], leading: list[tuple[int, ...]]
) -> tuple[str, list[tuple[int, tuple[int, ...]]], list[tuple[int, ...]]]:
    text = text.lstrip(" :：")
    spans = sentences(text)
    first = spans[0][1] if spans else 0  # markers that stand alone belong to nothing
    end = len(body) + len(text[:first].rstrip())
    return body + text, [*marks, *((end, numbers) for numbers in leading)], []
