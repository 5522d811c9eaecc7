"""What a clause denies, and the words that cannot both hold of the same thing."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from pathlib import Path

from edu_cli.ask.verification.terms import grams

# Words that hold a negating character without negating anything
_NOT_NEGATION = re.compile(
    r"不仅|不但|不只|不光|不同(?![期步意])|不断|不管|不过|不少(?!于)|不久|不等式|不定积分|不变量|不动点|不及格|不合格|不规则|不可变|不可数|不可重复读|读未提交|未提交读|不论|不妨|不禁|不由得|不得不|不可不|不能不|非\S{0,4}不可|无论|无线|无限|无穷|无向|无监督|无损|无符号|"
    r"非常|非线性|非空|非对称|非监督|非负|未来|未知|未必|没关系|差不多|是否|能否|可否|能不能|是不是|会不会|要不要|可不可以|对不对|有没有|莫尔|非洲|无锡|无花果|非功能|非阻塞|非关系|不锈钢"
)
# between a negation and what it negates: 不(能), 不(应当), 无(须)
_AUXILIARY = re.compile(
    r"^(?:了|掉|到|予以?|能够?|会|可以?|得|应当?|应该|须|必须?|需要?|要|准|许|允许|再|曾|被|是|用|有|法|止|于)*"
)
_WHOLE = 20  # characters of a predicate that is compared as a whole
_LEAD = 3  # characters that tell who denies how
_BETWEEN = 2  # characters that may stand between a negation, its auxiliaries and what it negates
_BOUNDS = (
    (re.compile(r"(?:不得|不能|不应|不可|不许|不)(?:再)?(?:少|低|小|短|早)于"), "至少"),
    (re.compile(r"(?:最多)?(?:不得|不能|不应|不可|不许|不)(?:再)?(?:超过|超出|(?:多|高|大|长|晚)于)"), "至多"),
    (re.compile(r"([㐀-鿿]{2})不(?:了|到|成|起|住|完)"), r"不能\1"),
    (re.compile(r"没有?(?:什么|任何)?关系|没关系"), "无关"),
    (re.compile(r"里没有|中没有"), "没有"),
    (re.compile(r"(?:没有?|未)(?=及格|合格)"), "不"),
    (re.compile(r"(?:可以|允许|能够?|可)(?:少|低|小|短|早)于"), "可低于"),
    (re.compile(r"(?:可以|允许|能够?|可)(?:超过|超出|(?:多|高|大|长|晚)于)"), "可超过"),
    (re.compile(r"(?:没有|不具有?|不产生)(?:法律)?效力"), "无效"),
    (re.compile(r"\bno longer\b"), "not"),
    (re.compile(r"超出"), "超过"),
    (re.compile(r"不(?:知道|清楚|明确|了解)"), "未知"),
    (re.compile(r"最少"), "至少"),
    (re.compile(r"最多|最长|上限[是为]?"), "至多"),
)
_NEGATION = re.compile(
    r"不|没|无|未|非|勿|莫|毋|(?<![特区分个鉴识级类差])别(?![人名的处称墅])|禁止|严禁|拒绝|免于|\b(?:not|no|never|without|cannot|none|nor|neither)\b|n't\b"
)

_DIRECTIONS = ("左", "右", "南", "北", "东", "西")
_LINK_BEFORE = re.compile(
    r"(?:[而也都会将更要就是呈成的与和则并随之了地得]|同时|不断|逐[步渐]|明显|显著|大大|一般|通常|反而|仍然?|应当?|须|可以?)+$"
)
_LINK_AFTER = re.compile(r"^[了的地着]+")
_TURN = re.compile(
    r"可以?|能够?|仍|也|还|都|就|则|会|应|须|要|是"
)  # a verb of its own follows: what is said is not denied
_COMPARING = re.compile(
    r"(.{2,16}?)([大小高低多少早晚长短优劣快慢强弱先好差]于|(?<![相对无])比(?![例较如喻重值]))(.{2,14})"
)


def negations(text: str) -> int:
    """How many times a `plain` clause negates."""
    return len(_NEGATION.findall(_veiled(text)))


def denied(clause: str) -> list[tuple[str, str, str]]:
    """What a `plain` clause negates: (who denies how, the negation as written, all that it negates).

    "测试集不得用来调参" -> ("试集不得", "不得用来调参", "用来调参"). A negation of a negation is left out.
    """
    found = []
    for match in _NEGATION.finditer(_veiled(clause)):
        after = clause[match.end() :]
        predicate = _AUXILIARY.sub("", after)
        if predicate and not _NEGATION.match(predicate):
            written = match.end() + len(after) - len(predicate) + 4
            lead = clause[max(0, match.start() - 2) : written - 4]
            what = re.split(r"(?<=..)的", predicate)[0] if len(predicate) > _WHOLE else predicate
            phrase = clause[match.start() : written]
            found.append((lead if len(lead) > _LEAD else phrase, phrase, what))
    return found


def spliced(clause: str) -> list[str]:
    """A `plain` clause's words around each negation, joined without it: "病死率不高" -> "率高"."""
    found = []
    for match in _NEGATION.finditer(_veiled(clause)):
        before, after = clause[: match.start()][-2:], _AUXILIARY.sub("", clause[match.end() :])[:2]
        if len(before) == _BETWEEN and after:
            found.append(before[-1:] + after if len(after) == 1 else before + after)
    return found


def shared_denial(clause: str, others: Sequence[str]) -> bool:
    """Whether a negation of the clause stands, with what it negates, in one of the other `plain` clauses too.

    In a clause that is about the same, the first two characters of what it negates are enough.
    """
    for _, phrase, what in denied(clause):
        short = phrase[: phrase.find(what[:2]) + 2] if what[:2] in phrase else phrase
        if any(phrase in other or (short in other and clause[:2] in other) for other in others):
            return True
    return False


def is_denied_at(clause: str, at: int) -> bool:
    """Whether a negation stands before position `at` of a `plain` clause with little but auxiliaries between."""
    before = [match.end() for match in _NEGATION.finditer(_veiled(clause)) if match.end() <= at]
    return bool(before) and at >= 0 and len(_AUXILIARY.sub("", clause[before[-1] : at])) <= _BETWEEN


def denied_of(bag: frozenset[str], clause: str) -> bool:
    """Whether a `plain` clause denies something of what `bag` names: 转销法不符合…."""
    ends = [clause.rfind(gram) + len(gram) for gram in bag if gram in clause]
    return bool(ends) and bool(_NEGATION.match(_LINK_BEFORE.sub("", _veiled(clause)[max(ends) :])))


def denied_before(bag: frozenset[str], clause: str) -> bool:
    """Whether all that `bag` names of a `plain` clause stands behind a negation: 不能用甲或乙的丙来表示丁."""
    starts = [clause.find(gram) for gram in bag if gram in clause]
    match = _NEGATION.search(_veiled(clause))
    if not match or match[0] in ("没", "无", "未", "非") or not starts or match.end() > min(starts):
        return False
    return not _TURN.search(clause[match.end() : min(starts)])


def subject_of(clause: str) -> str:
    """The two characters before the first negation of a `plain` clause."""
    match = _NEGATION.search(_veiled(clause))
    return clause[: match.start()].strip()[-2:] if match else ""


def ends_denying(clause: str) -> bool:
    """Whether a `plain` clause ends with a short denial that leaves out what is denied: 乙和丙不使用."""
    last = [match.end() for match in _NEGATION.finditer(_veiled(clause))]
    return bool(last) and len(clause) - last[-1] <= _BETWEEN


def bounds(text: str) -> str:
    """A `plain` text with the ways to say a bound or denial made one: 不少于 -> 至少, 避免不了 -> 不能避免."""
    for pattern, word in _BOUNDS:
        text = pattern.sub(word, text)
    return text


def _veiled(text: str) -> str:
    """`text` with the words that only look negating blanked out, offsets kept."""
    return _NOT_NEGATION.sub(lambda m: "□" * len(m[0]), text)


def opposed(claim: str, evidence: str) -> bool:
    """Whether one `plain` clause has a word whose opposite, and not the word itself, stands in the other."""
    for mine, other in _both_ways():
        if _has(claim, mine) and not _has(claim, other) and _has(evidence, other) and not _has(evidence, mine):
            return True
    return False


def turned(clause: str, evidence: Sequence[str]) -> bool:
    """Whether the evidence says the opposite of the very thing: "质量成正比" where it has "力成正比" and "质量成反比".

    What a word is said of stands right before it or right after it.
    """
    for mine, other in _both_ways():
        for at in _places(clause, mine):
            before, after = _said_of(clause, at, mine)
            same = [_said_of(e, i, mine) for e in evidence for i in _places(e, mine)]
            against = [_said_of(e, i, other) for e in evidence for i in _places(e, other)]
            if before and before in (b for b, _ in against) and before not in (b for b, _ in same):
                return True
            if len(after) > 1 and after in (a for _, a in against) and after not in (a for _, a in same):
                return True
    return False


def _places(clause: str, word: str) -> list[int]:
    if word in _DIRECTIONS:
        return []
    return [
        m.start()
        for m in re.finditer(re.escape(word), clause)
        if clause[m.start() - 1 : m.start()] not in tuple("不非无")
    ]


def _said_of(clause: str, at: int, word: str) -> tuple[str, str]:
    """The two characters before the word, linking ones left out, and the two after it ("" where there are fewer)."""
    before = re.search(r"([㐀-鿿a-z0-9]{2})$", _LINK_BEFORE.sub("", clause[:at]))
    after = re.match(r"([㐀-鿿a-z0-9]{2})", _LINK_AFTER.sub("", clause[at + len(word) :]))
    return before[1] if before else "", after[1] if after else ""


def exchanged(clause: str, evidence: Sequence[str]) -> bool:
    """Whether the two sides of a comparison stand the other way round in the evidence: 甲大于乙, 乙大于甲."""
    for mine in _COMPARING.finditer(clause):
        left, right = grams(mine[1]), grams(mine[3])
        for text in evidence:
            for theirs in _COMPARING.finditer(text):
                if theirs[2] != mine[2] or (mine[2] == "比" and mine[3][-1:] != theirs[3][-1:]):
                    continue
                first, second = grams(theirs[1]), grams(theirs[3])
                if (left & second) - first and (right & first) - second:
                    return True
    return False


def opposite(word: str, other: str) -> bool:
    """Whether two words, single characters too (宽/窄), are opposites of each other."""
    return (word, other) in _both_ways() or (word, other) in _both_ways(single=True)


def same_parity(clause: str, other: str) -> bool:
    """Whether two clauses deny alike: both an even or both an odd number of times."""
    return negations(clause) % 2 == negations(other) % 2


@functools.cache
def _both_ways(*, single: bool = False) -> frozenset[tuple[str, str]]:
    """The pairs of opposites; single characters are words of their own in few places, so that they are kept apart."""
    pairs = [p for p in _opposites() if single == (len(p[0]) == len(p[1]) == 1 and p[0] not in _DIRECTIONS)]
    return frozenset(pair for a, b in pairs for pair in ((a, b), (b, a)))


@functools.cache
def _opposites() -> tuple[tuple[str, str], ...]:
    lines = Path(__file__).with_name("opposites.txt").read_text(encoding="utf-8").splitlines()
    pairs = (line.split("/") for line in lines if line and not line.startswith("#"))
    return tuple((first, second) for first, second in pairs)


def _has(text: str, word: str) -> bool:
    if word in _DIRECTIONS:  # not as part of a name
        return bool(re.search(rf"{word}(?:侧|边|面|部|方|端|上|下|子树|孩子|移|半球)", text))
    at = text.find(word)
    return at >= 0 and not (at and text[at - 1] in "不非无")
