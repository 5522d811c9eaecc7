"""Pure functions over text: folding for comparison, cleaning, sentences, content ids."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable, Iterator

try:
    from _blake2 import blake2b  # hashlib's own, without OpenSSL, which takes longer to load than `edu --help`
except ImportError:
    from hashlib import blake2b

_CJK_RANGES = (
    "\u2e80-\u2fdf"  # radicals
    "\u3005-\u3007"  # 々〆〇
    "\u3040-\u30ff"  # kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # ideographs
    "\uac00-\ud7af"  # hangul
)
_CJK = f"[{_CJK_RANGES}]+"

_TERMINAL_CODES = r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-_])"
_LINE_BREAKS = "\r\n?|[\x0b\x0c\x85\u2028\u2029]"
# Joiners inside emoji and Indic words (U+200C, U+200D) stay: dropping them would change what is seen.
_UNSEEN = (
    "[\x00-\x08\x0e-\x1f\x7f\x80-\x9f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\ufff9-\ufffb"
    "\ufffe\uffff\ud800-\udfff]"
)

_CLOSERS = re.escape("”’」』）】》〉〕｝］)]}")
_END = rf"""(?x)
      [。｡！？‼⁇⁈⁉]+[。！？!?…]*[{_CLOSERS}]*           # Chinese enders
    | (?:(?<!…)…++|(?<!\.)\.{{3,}}+)[{_CLOSERS}]+        # an ellipsis ends a sentence where a quotation closes
    | ．(?![0-9０-９])[{_CLOSERS}]*                      # some textbooks end with it; 3．14 does not
    | (?<![!?])[!?]++[{_CLOSERS}"']*(?=\s|$|[{_CJK_RANGES}])  # not in a!=b, nor in ?x=1
    | \.[{_CLOSERS}"']*(?=\s|$)
    | \n\s*\n
    | \n
    """
_ABBREVIATION = (
    r"(?:^|[\s(（\"'“])(?:[A-Za-z]|[A-Za-z](?:\.[A-Za-z])+|Mr|Mrs|Ms|Dr|Prof|St|Fig|Figs|Eq|Eqs|Sec|Ch|No|Nos|Vol|pp|"
    r"vs|etc|al|cf|approx|Inc|Ltd|Co|Corp|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec)$"
)
_LIST_NUMBER = r"(?:^|\n)[ \t　]*[(（]?[0-9０-９]{1,3}$"
_WRAP_CHARS = 20  # a line shorter than this was ended on purpose, not wrapped
_NEW_ITEM = (
    r"[ \t　]*(?:[-*+•·●○■◆※>#|]|[0-9０-９]{1,3}[.．、)）]|"
    r"[(（][0-9０-９一二三四五六七八九十]{1,3}[)）]|"
    r"[一二三四五六七八九十]{1,3}[、．.]|第[0-9一二三四五六七八九十百]+[章节条篇]|"
    r"[①-⑳]|[A-Ha-h][.．、)）])|[ \t　]{2,}|　"
)


@functools.cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compiled when it is first used: all of them took as long as `edu --help`."""
    return re.compile(pattern)


def fold(text: str) -> str:
    """`text` for comparing: NFKC, case folded, runs of white space as one space. Never stored."""
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text)).strip().casefold()


def is_cjk(char: str) -> bool:
    """Whether the one character is an ideograph, kana or hangul (punctuation is not)."""
    return _compiled(_CJK).match(char) is not None


def cjk_share(text: str) -> float:
    """The share of `is_cjk` characters among those that are not white space; 0 for an empty text."""
    solid = "".join(text.split())
    return 0.0 if solid.isascii() else 1 - len(_compiled(_CJK).sub("", solid)) / len(solid)


def clean(text: str) -> tuple[str, int]:
    """`text` as it may be stored, and how many characters were taken out.

    Line ends become LF; terminal escapes, control characters, lone surrogates, bidirectional marks and characters that
    show nothing (zero-width space, soft hyphen, BOM) go.
    """
    text = _compiled(_LINE_BREAKS).sub("\n", text)
    before = len(text)
    if "\x1b" in text:
        text = _compiled(_TERMINAL_CODES).sub("", text)
    text = _compiled(_UNSEEN).sub("", text)
    return text, before - len(text)


def shortened(text: str, most: int) -> str:
    """`text` in at most so many characters; an ellipsis, which counts, stands for what was cut off its end."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def counted(n: int, one: str, many: str = "") -> str:
    """So many of something: "1 chunk", "3 chunks"; `many` where its plural has more than an s."""
    return f"{n} {one if n == 1 else many or one + 's'}"


def nearest(word: str, known: Iterable[str], *, cutoff: float = 0.5) -> str:
    """The known name that `word` may have been meant as, to be offered; "" where none is alike enough.

    `cutoff` is the share of the characters of both that must agree: of two, one may be mistaken (al for ai). With 0 the
    most like is named however little it is.
    """
    import difflib

    found = difflib.get_close_matches(word, list(known), n=1, cutoff=cutoff)
    return found[0] if found else ""


def content_id(*parts: str) -> str:
    """32 hex digits that depend on the parts and on where one ends (BLAKE2b, 128 bits)."""
    raws = [part.encode("utf-8", "surrogatepass") for part in parts]
    return blake2b(b"".join([len(raw).to_bytes(8, "big") + raw for raw in raws]), digest_size=16).hexdigest()


def sentences(text: str) -> list[tuple[int, int]]:
    """Spans (start, end) that tile `text`: each one sentence with its closing marks and the white space after it.

    Chinese and Latin enders count; decimals, abbreviations, list numbers, file names, URLs and inline code are not cut.
    A line break ends a sentence unless the line looks wrapped (long, no ender, next line no new item). [] for an empty
    text.
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for end in _ends(text):
        if end > start and not text[start:end].isspace():
            spans.append((start, end))
            start = end
    if start < len(text):
        if spans and text[start:].isspace():
            spans[-1] = (spans[-1][0], len(text))
        else:
            spans.append((start, len(text)))
    return spans


def _ends(text: str) -> Iterator[int]:
    start = 0
    for match in _compiled(_END).finditer(text):
        end = match.end()
        first = match[0][0]
        if first == "\n":
            if not match[0].count("\n") > 1 and _is_wrapped(text, match.start(), end):
                continue
        elif (first in ".．" and not _is_full_stop(text, start, match.start())) or _in_code(text, start, end):
            continue
        else:
            end = _take_quote(text, start, end)
            while end < len(text) and text[end].isspace():
                end += 1
        yield end
        start = end


def _is_full_stop(text: str, start: int, at: int) -> bool:
    before = text[max(start, at - 12) : at]
    return bool(before.strip()) and not any(_compiled(one).search(before) for one in (_ABBREVIATION, _LIST_NUMBER))


def _in_code(text: str, start: int, at: int) -> bool:
    """Whether `at` lies between two backticks of one line, in a sentence that begins at `start`."""
    if text.find("`", start, at) < 0 or text.count("`", start, at) % 2 == 0:
        return False
    closing, line_end = text.find("`", at), text.find("\n", at)
    return closing >= 0 and not 0 <= line_end < closing


def _take_quote(text: str, start: int, end: int) -> int:
    """A straight quote after the ender closes when an odd number of them stands in the sentence before it."""
    if end < len(text) and text[end] in "\"'" and text.count(text[end], start, end) % 2:
        return end + 1
    return end


def _is_wrapped(text: str, at: int, after: int) -> bool:
    line_start = text.rfind("\n", 0, at) + 1
    line = text[line_start:at].rstrip()
    if len(line) < _WRAP_CHARS or line[-1] in "：:；;。！？!?.…|`" or _compiled(_NEW_ITEM).match(text, after):
        return False
    return after < len(text) and not text[after].isspace()
