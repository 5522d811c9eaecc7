"""Citation markers: `[1]`, `［1］`, `【1】`, `[1,2]`, `[1-3]`, `[资料1]`, `（资料1）`, `【1†来源】` and their kin."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

_NAME = r"(?:资料|来源|文档|段落|引用|参考|编号|source|passage|doc(?:ument)?|ref)"
_WORD = rf"{_NAME}?\s*[#:：]?\s*"
_NUMBER = rf"\^?\s*{_WORD}\d{{1,3}}"
_NUMBERS = rf"{_NUMBER}(?:\s*(?:[,，、;；/]|[-–—~～至到])\s*{_NUMBER})*"
_ECHO = r"(?:-[0-9a-f]{6,12}(?![0-9a-z]))?"  # the fence's word, which some models copy along with the number
MARKER = re.compile(
    rf"[\[［【](?P<twice>[\[［【])?\s*(?P<square>{_NUMBERS})\s*(?:†[^\]］】]{{0,80}})?\s*(?(twice)[\]］】])[\]］】]{_ECHO}|"
    rf"[(（]\s*(?P<round>{_NAME}{_NUMBERS})\s*[)）]",
    re.IGNORECASE,
)
_RANGE = re.compile(r"(\d+)\s*[-–—~～至到]\s*(?:" + _WORD + r")(\d+)", re.IGNORECASE)
_MAX_RANGE = 20
# code spans and blocks: what stands in them is text of the answer, no marker
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]+`", re.DOTALL)
_PARTIAL = re.compile(r"[\[［【][^\]］】\n]{0,40}(?:[\]］】]{1,2}(?:-[0-9a-f]{0,12})?)?\Z|[(（][^)）\n]{0,12}\Z")


@dataclass(frozen=True, slots=True)
class Marker:
    """One marker in a text: where it stands and the numbers that it names, in order, each once."""

    start: int
    end: int
    numbers: tuple[int, ...]


def find_markers(text: str, *, quoted: Callable[[str], bool] = lambda _: False) -> list[Marker]:
    """The markers of `text`, in order. `quoted("nums[7]")` tells that such an index stands in the material as code."""
    code = [match.span() for match in _CODE.finditer(text)]
    found = []
    for match in MARKER.finditer(text):
        if any(start <= match.start() < end for start, end in code):
            continue
        name = re.search(r"[A-Za-z_][\w.]*\Z", text[: match.start()])
        if name and quoted(name[0] + match[0]):
            continue
        found.append(Marker(match.start(), match.end(), _numbers(match["square"] or match["round"])))
    return found


def _numbers(inside: str) -> tuple[int, ...]:
    numbers: list[int] = []
    for match in re.finditer(_RANGE.pattern + r"|(\d+)", inside, re.IGNORECASE):
        if match[3] is not None:
            numbers.append(int(match[3]))
        else:
            low, high = int(match[1]), int(match[2])
            numbers.extend(range(low, high + 1) if low <= high < low + _MAX_RANGE else (low, high))
    return tuple(dict.fromkeys(numbers))


class MarkerFilter:
    """Keeps a stream's markers to those that exist: the pieces shown carry only [n] with 1 <= n <= `last`."""

    def __init__(self, last: int, *, quoted: Callable[[str], bool] = lambda _: False) -> None:
        self._last = last
        self._quoted = quoted
        self._text = ""
        self._shown = 0

    def feed(self, piece: str) -> str:
        """What may be shown now; a marker that is not complete yet is held back."""
        self._text += piece
        partial = _PARTIAL.search(self._text, self._shown)
        return self._until(partial.start() if partial else len(self._text))

    def finish(self) -> str:
        """What was held back."""
        return self._until(len(self._text))

    def _until(self, end: int) -> str:
        out, at = "", self._shown
        for marker in find_markers(self._text[:end], quoted=self._quoted):
            if marker.start >= self._shown:
                out += self._text[at : marker.start] + written(n for n in marker.numbers if 1 <= n <= self._last)
                at = marker.end
        self._shown = max(end, self._shown)
        return out + self._text[at:end]


def written(numbers: Iterable[int]) -> str:
    """Numbers as markers: `[1][3]`."""
    return "".join(f"[{n}]" for n in numbers)
