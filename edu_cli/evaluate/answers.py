"""An answer against its references: exact match, contained, character F1 and ROUGE-L, on folded Chinese."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from edu_cli.ask.verification.markers import MARKER
from edu_cli.ask.verification.numerals import numbers
from edu_cli.ask.verification.terms import plain

_KEPT = re.compile(r"[^\W_]|%|(?<=\d)[.](?=\d)|[+#](?=\W|$)")
_TOKEN = re.compile(r"\d+(?:\.\d+)?|[a-z]+[0-9]*|[^\W_]|[%+#]")
_LONGEST = 4000  # tokens; ROUGE-L is quadratic


def folded_answer(text: str) -> str:
    """`text` for comparing: no citation marks, width, case and script folded, Chinese numerals as digits, no
    punctuation, no white space.
    """
    return "".join(match[0] for match in _KEPT.finditer(_comparable(text)))


def answer_measures(answer: str, references: Sequence[str]) -> dict[str, float]:
    """Each measure against the reference that it fits best; `answer` may be empty, `references` not."""
    folded, words = folded_answer(answer), _tokens(answer)
    wanted = [folded_answer(reference) for reference in references]
    wanted_words = [_tokens(reference) for reference in references]
    return {
        "EM": max(float(folded == one) for one in wanted),
        "Contains": max(float(bool(one) and one in folded) for one in wanted),
        "F1": max(_f1(words, one) for one in wanted_words),
        "ROUGE-L": max(_rouge_l(words, one) for one in wanted_words),
    }


def _comparable(text: str) -> str:
    return re.sub(r"(?<=\d),(?=\d{3})", "", _arabic(plain(MARKER.sub("", text))))


def _arabic(text: str) -> str:
    """Numbers that stand by a unit or are written out in full, in digits: 五千元 and 5,000元 and 0.5万元 are one."""
    pieces, end = [], 0
    for number in numbers(text):
        raw = text[number.start : number.end]
        digits = re.match(r"(?:百分之)?[\d.,零〇一二三四五六七八九十百千万亿两点]+", raw)
        unit = number.unit if number.unit in ("%", "时刻") else raw[digits.end() :].strip() if digits else ""
        pieces += [text[end : number.start], f"{number.value:.10g}", unit]
        end = number.end
    return "".join([*pieces, text[end:]])


def _tokens(text: str) -> list[str]:
    """Chinese characters, numbers and Latin words."""
    return _TOKEN.findall(_comparable(text))[:_LONGEST]


def _f1(got: Sequence[str], wanted: Sequence[str]) -> float:
    return _harmonic(sum((Counter(got) & Counter(wanted)).values()), len(got), len(wanted))


def _rouge_l(got: Sequence[str], wanted: Sequence[str]) -> float:
    return _harmonic(_common_subsequence(got, wanted), len(got), len(wanted))


def _harmonic(shared: int, n_got: int, n_wanted: int) -> float:
    if not n_got and not n_wanted:
        return 1.0
    return 2 * shared / (n_got + n_wanted)


def _common_subsequence(first: Sequence[str], second: Sequence[str]) -> int:
    """Length of the longest common subsequence, bit-parallel: one big-integer step a token of `first`."""
    places: dict[str, int] = {}
    for i, token in enumerate(second):
        places[token] = places.get(token, 0) | 1 << i
    full = (1 << len(second)) - 1
    row = full
    for token in first:
        matched = row & places.get(token, 0)
        row = ((row + matched) | (row - matched)) & full
    return len(second) - row.bit_count()
