"""How much a reading of bytes looks like text: characters in common use, next to each other as in words.

The weights and the threshold are judged by bench/decode.py: real texts cut to 5..2000 characters, in every encoding.
"""

from __future__ import annotations

import codecs
import functools
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from edu_cli.ingest.text.plausible import han_share

# Codec -> the name it is reported by.
CODECS = {
    "utf-8": "utf-8",
    "utf-16-le": "utf-16-le",
    "utf-16-be": "utf-16-be",
    "utf-32-le": "utf-32-le",
    "utf-32-be": "utf-32-be",
    "gb18030": "gb18030",
    "big5hkscs": "big5",
    "cp932": "shift_jis",
    "euc_jp": "euc_jp",
    "cp949": "euc_kr",
    "cp1252": "windows-1252",
}
_TOLD = {"cp932": "Japanese", "euc_jp": "Japanese", "cp949": "Korean", "cp1252": "Western European"}
_LEAST = 0.45
_DECLARED_BONUS = 0.1
_VALID_UTF8 = 0.7  # a GBK word is rarely valid UTF-8, but 小 alone is also a Cyrillic letter
_PRIOR = {"gb18030": 0.6, "utf-8": 0.6}  # shared out among the characters: it decides where there are a few
_USUAL_SHARE = 0.4  # of neighbouring characters that words are made of, in running Chinese text
_WINDOWS, _WINDOW_CHARS = 40, 400
_COMMON_HANGUL = frozenset(
    "이다는을의에가고하지로도한들서를은자기사어그나시아라대리인만부정과게해수있전일보스것제주으성동안구원상장무여년했었습니까요면"
    "세계국민와연공경우모비중교화신조적실마발방문식용음간때생위유관학내소선명회된할된등오트드니"
)
_ACCENTED_ALONE = re.compile(r"(?<![^\x00-\x7f])[^\x00-\x7f](?![^\x00-\x7f])")
_MISREAD_RUN = re.compile("[\x80-\xff\u0152-\u0178\u0192\u02c6\u02dc\u2013-\u203a\u20ac\u2122]{2,}")


@dataclass(frozen=True, slots=True)
class Reading:
    """`text` as `codec` reads the bytes; `warning` where a person should look at it."""

    text: str
    codec: str
    warning: str = ""


def best_reading(data: bytes, declared: str = "") -> Reading | None:
    """The most plausible reading of bytes that are not plain UTF-8; None where none is plausible."""
    wanted = _codec(declared)
    best: tuple[float, Reading] | None = None
    for codec in _candidates(data):
        text = data.decode(codec, "replace")
        score = plausibility(text, codec)
        if codec == "utf-8" and "\ufffd" not in text and "\0" not in text:
            score = max(score, _VALID_UTF8)
        if score < _LEAST:
            continue
        score += _DECLARED_BONUS * (codec == wanted) + _PRIOR.get(codec, 0.0) / (1 + sum(c > "\x7f" for c in text))
        if best is None or score > best[0]:
            told = f"read as {_TOLD[codec]} text ({CODECS[codec]})" if codec in _TOLD else ""
            best = score, Reading(text, codec, told)
    return best[1] if best else None


def misread(text: str) -> Reading | None:
    """The text behind `text` where a program once read GBK or UTF-8 as Latin-1 or Windows-1252; None otherwise."""
    runs = _MISREAD_RUN.findall(text[:100_000])
    n_inside = sum(map(len, runs))
    if n_inside < 12 or n_inside < 0.8 * sum(1 for char in text[:100_000] if char > "\x7f"):
        return None
    for raw in _as_bytes(text):
        for codec in ("utf-8", "gb18030"):
            mended = raw.decode(codec, "replace")
            if plausibility(mended, codec) >= _LEAST + 0.1:
                return Reading(mended, codec, f"mended: its {codec} text had been read as Latin-1 and saved so")
    return None


def _as_bytes(text: str) -> Iterator[bytes]:
    for codec in ("latin-1", "cp1252"):
        try:
            yield text.encode(codec)
        except UnicodeEncodeError:
            continue


def _candidates(data: bytes) -> Iterator[str]:
    for codec in CODECS:
        if codec.startswith("utf-32") and (len(data) % 4 or not data.count(0)):
            continue
        if codec.startswith("utf-16") and len(data) % 2:
            continue
        yield codec


def _codec(declared: str) -> str:
    try:
        name = codecs.lookup(declared).name if declared else ""
    except LookupError:
        return ""
    families = {"gb2312": "gb18030", "gbk": "gb18030", "big5": "big5hkscs", "cp950": "big5hkscs", "shift_jis": "cp932"}
    return families.get(name, name)


def plausibility(text: str, codec: str) -> float:
    """About 1 for running text, below 0.4 for bytes read by the wrong codec; ASCII characters do not count."""
    counts = Counter(text)
    total = score = n_han = 0.0
    for char, n in counts.items():
        if "\x1f" < char < "\x7f" or char in "\t\n\r":
            continue
        total += n
        score += n * _weight(char, codec)
        n_han += n * ("\u3400" <= char <= "\u9fff")
    if codec == "cp1252":
        alone = len(_ACCENTED_ALONE.findall(text))
        score -= 1.5 * (total - alone)
    if not total:
        return 1.0
    return (score + 0.5 * n_han * _word_share(text)) / total


def _word_share(text: str) -> float:
    """0..1: how near the neighbouring Chinese characters come to running text; unsure of a few."""
    step = max(_WINDOW_CHARS, len(text) // _WINDOWS)
    share, pairs = han_share("\n".join(text[at : at + _WINDOW_CHARS] for at in range(0, len(text), step)))
    return min(1.0, (share * pairs + _USUAL_SHARE) / (pairs + 2) / _USUAL_SHARE)


@functools.lru_cache(maxsize=50_000)
def _weight(char: str, codec: str) -> float:
    if "\u3400" <= char <= "\u9fff":
        return _han_weight(char)
    if "\u3040" <= char <= "\u30ff" or "\uac00" <= char <= "\ud7a3":
        return _kana_or_hangul_weight(char, codec)
    if char in "、。〈〉《》「」『』【】〔〕\u3000" or "\uff01" <= char <= "\uff60":
        return 0.8
    if "\u2010" <= char <= "\u2027" or char in "°·×€£§±÷©®™‰℃№":
        return 0.6
    return -3.0 if _is_no_text(char) else _sign_weight(char, codec)


def _is_no_text(char: str) -> bool:
    """Control, private and unassigned characters, and half-width kana: what wrong codecs make of most bytes."""
    return unicodedata.category(char) in ("Cc", "Cn", "Co", "Cs") or char == "\ufffd" or "\uff61" <= char <= "\uff9f"


def _sign_weight(char: str, codec: str) -> float:
    if codec == "cp1252":
        return 0.9 if char.isalpha() and char != "ÿ" else -0.2
    return 0.2 if "\u0370" <= char <= "\u04ff" or "\u2100" <= char <= "\u27bf" else -0.2


def _kana_or_hangul_weight(char: str, codec: str) -> float:
    if char >= "\uac00":
        return 0.9 if char in _COMMON_HANGUL else 0.0
    return 0.1 if codec == "gb18030" else 0.9  # GB 2312 has kana too, where EUC-JP has them


def _han_weight(char: str) -> float:
    """Common characters are those of the first levels of GB 2312 and Big5, which were ordered by use."""
    try:
        lead = char.encode("gb2312")[0]
        simplified = 0.5 if lead < 0xD8 else 0.0
    except UnicodeEncodeError:
        simplified = -0.5
    try:
        lead = char.encode("big5")[0]
        traditional = 0.4 if lead < 0xC9 else -0.1
    except UnicodeEncodeError:
        traditional = -0.5
    return max(simplified, traditional)
