"""What must agree exactly between a claim and its evidence: numbers with units, names, polarity, quotes."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from pathlib import Path

from edu_cli.ask.verification.terms import plain

_DIGITS = dict(zip("零〇一二三四五六七八九两", (0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 2), strict=True))
_SCALES = {"十": 10, "百": 100, "千": 1000, "万": 10_000, "亿": 100_000_000}
_UNIT = (
    r"(?:%|‰|°c|℃|度|摄氏度|毫秒|微秒|纳秒|秒钟?|分钟|小时|天|日|号|周|个?星期|个?月|学期|学年|年|岁|世纪|年代|"
    r"平方公里|平方米|立方米|公里|千米|毫米|厘米|微米|纳米|米|公斤|千克|毫克|克|吨|升|毫升|万元|亿元|元|块|美元|分|学分|学时|课时|节|讲|"
    r"页|章|条|款|项|题|道|个|名|人|位|次|门|层|种|类|台|组|步|倍|字节|比特|位数|届|期|级|班|楼|室|周岁|"
    r"kb|mb|gb|tb|kib|mib|gib|hz|khz|mhz|ghz|ms|us|ns|km|cm|mm|nm|kg|mg|ml|px|dpi|bit|byte|bytes)"
)
_ARABIC = re.compile(rf"(?<![\d.a-z_])(\d+(?:,\d{{3}})*(?:\.\d+)?)\s*([万亿千百]?)\s*(个?{_UNIT})?", re.IGNORECASE)
_HAN = re.compile(rf"(百分之)?([零〇一二三四五六七八九十百千万亿两]+(?:点[零〇一二三四五六七八九]+)?)\s*(个?{_UNIT})?")
_CLOCK = re.compile(r"(?<!\d)([01]?\d|2[0-4])[:：]([0-5]\d)(?!\d)")
_PERCENT = re.compile(r"百分之")
_LATIN = re.compile(r"[a-z][a-z0-9_+#\-]*[a-z0-9+#]|[a-z]\+\+|[a-z]#")
_QUOTE = re.compile(r"“([^”\n]{2,})”|「([^」\n]{2,})」|『([^』\n]{2,})』|\"([^\"\n]{2,})\"")
# Words that hold a negating character without negating anything
_NOT_NEGATION = re.compile(
    r"不仅|不但|不只|不光|不同(?![期步意])|不断|不管|不过|不少(?!于)|不久|不等式|不定积分|不变量|不动点|不及格|不合格|不规则|不可变|不可数|不可重复读|读未提交|未提交读|不论|不妨|不禁|不由得|不得不|不可不|不能不|非\S{0,4}不可|无论|无线|无限|无穷|无向|无监督|无损|无符号|"
    r"非常|非线性|非空|非对称|非监督|非负|未来|未知|未必|没关系|差不多|是否|能否|可否|能不能|是不是|会不会|要不要|可不可以|对不对|有没有|莫尔|非洲|无锡|无花果|非功能|非阻塞|非关系|不锈钢"
)
# between a negation and what it negates: 不(能), 不(应当), 无(须)
_AUXILIARY = re.compile(
    r"^(?:了|掉|到|能够?|会|可以?|得|应当?|应该|须|必须?|需要?|要|准|许|允许|再|曾|被|是|用|有|法|止|于)*"
)
_BETWEEN = 2  # characters that may stand between a negation, its auxiliaries and what it negates
_BOUNDS = (
    (re.compile(r"(?:不得|不能|不应|不可|不许|不)(?:再)?(?:少|低|小|短|早)于"), "至少"),
    (re.compile(r"(?:最多)?(?:不得|不能|不应|不可|不许|不)(?:再)?(?:超过|超出|(?:多|高|大|长|晚)于)"), "至多"),
    (re.compile(r"([㐀-鿿]{2})不(?:了|到|成|起|住|完)"), r"不能\1"),
    (re.compile(r"最少"), "至少"),
    (re.compile(r"最多|上限[是为]?"), "至多"),
)
_NEGATION = re.compile(
    r"不|没|无|未|非|勿|莫|毋|(?<![特区分个鉴识级类差])别(?![人名的处称墅])|禁止|严禁|拒绝|免于|\b(?:not|no|never|without|cannot|none|nor|neither)\b|n't\b"
)


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it is compared: its value, its unit ("" where none stands by it), and where it stands."""

    value: float
    unit: str
    start: int
    end: int


def numbers(text: str) -> list[Number]:
    """The numbers of a `plain` text, Arabic and Chinese alike (三 = 3, 百分之二十 = 20%, 3万 = 30000), in order."""
    clock = [Number(int(m[1]) * 60 + int(m[2]), "时刻", m.start(), m.end()) for m in _CLOCK.finditer(text)]
    arabic = [_arabic(m) for m in _ARABIC.finditer(_CLOCK.sub(lambda m: "□" * len(m[0]), text))]
    han = [n for match in _HAN.finditer(text) if (n := _han(match))]
    free = [n for n in han if not any(a.start < n.end and n.start < a.end for a in arabic)]
    return sorted([*clock, *arabic, *free], key=lambda n: n.start)


def _arabic(match: re.Match[str]) -> Number:
    value = float(match[1].replace(",", "")) * (_SCALES[match[2]] if match[2] else 1)
    unit = _unit(match[3] or "")
    if unit in ("万元", "亿元"):
        value, unit = value * _SCALES[unit[0]], "元"
    if _PERCENT.search(match.string[max(0, match.start() - 3) : match.start()]):
        unit = "%"
    return Number(value, unit, match.start(), match.end())


def _han(match: re.Match[str]) -> Number | None:
    """A Chinese numeral; one without a unit and of one character (一样, 千方) is a word, not a number."""
    word, unit = match[2], _unit(match[3] or "")
    if not unit and not match[1] and (len(word) < 2 or not set(word) & set(_DIGITS)):
        return None
    value = _han_value(word)
    return None if value is None else Number(value, "%" if match[1] else unit, match.start(), match.end())


def _han_value(word: str) -> float | None:
    whole, _, fraction = word.partition("点")
    if all(char in _DIGITS for char in whole):
        total: float = int("".join(str(_DIGITS[char]) for char in whole))
    else:
        total, section, digit = 0, 0, 0
        for char in whole:
            if char in _DIGITS:
                digit = _DIGITS[char]
            elif char in "万亿":
                total, section, digit = (total + section + digit or 1) * _SCALES[char], 0, 0
            else:
                section, digit = section + (digit or 1) * _SCALES[char], 0
        total += section + digit
    return total + float("0." + "".join(str(_DIGITS[char]) for char in fraction)) if fraction else total


def _unit(unit: str) -> str:
    same = {
        "号": "日",
        "块": "元",
        "秒钟": "秒",
        "千米": "公里",
        "km": "公里",
        "千克": "公斤",
        "kg": "公斤",
        "℃": "度",
        "°c": "度",
        "摄氏度": "度",
        "周": "星期",
        "个星期": "星期",
        "人": "名",
        "位": "名",
        "ms": "毫秒",
        "个月": "月",
        "周岁": "岁",
    }
    unit = unit.casefold().strip()
    if unit.startswith("个") and len(unit) > 1 and unit not in same:
        unit = unit[1:]
    return same.get(unit, unit)


def agrees(claimed: Number, found: Number) -> bool:
    """Whether two numbers say the same: equal values, and equal units where both have one."""
    return claimed.value == found.value and (not claimed.unit or not found.unit or claimed.unit == found.unit)


def names(text: str) -> set[str]:
    """Latin names and terms of a `plain` text."""
    return {match[0] for match in _LATIN.finditer(text)}


def quotes(text: str) -> list[str]:
    """What stands in quotation marks, as written."""
    return [next(filter(None, match.groups())) for match in _QUOTE.finditer(text)]


def is_verbatim(quote: str, passage: str) -> bool:
    """Whether a quote stands in the passage, white space, width and script aside; `…` may leave parts out."""
    source = re.sub(r"\s", "", plain(passage))
    parts = [re.sub(r"\s", "", plain(part)).strip(",。.;；，、:：") for part in re.split(r"…+|\.{3,}", quote)]
    at = 0
    for part in parts:
        at = source.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return True


def negations(text: str) -> int:
    """How many times a `plain` clause negates."""
    return len(_NEGATION.findall(_veiled(text)))


def denied(clause: str) -> list[tuple[str, str]]:
    """What a `plain` clause negates: (the negation as written, all that follows it without auxiliaries).

    "测试集不得用来调参" -> ("不得用来调参", "用来调参"). A negation of a negation is left out.
    """
    found = []
    for match in _NEGATION.finditer(_veiled(clause)):
        after = clause[match.end() :]
        predicate = _AUXILIARY.sub("", after)
        if predicate and not _NEGATION.match(predicate):
            written = match.end() + len(after) - len(predicate) + 4
            found.append((clause[match.start() : written], re.split(r"(?<=..)的", predicate)[0]))
    return found


def spliced(clause: str) -> list[str]:
    """A `plain` clause's words around each negation, joined without it: "病死率不高" -> "率高"."""
    found = []
    for match in _NEGATION.finditer(_veiled(clause)):
        before, after = clause[: match.start()][-2:], _AUXILIARY.sub("", clause[match.end() :])[:2]
        if len(before) == _BETWEEN and after:
            found.append(before[-1:] + after if len(after) == 1 else before + after)
    return found


def shared_denial(clause: str, other: str) -> bool:
    """Whether a negation of the clause stands, with what it negates, in the other `plain` text too."""
    return any(phrase in other for phrase, _ in denied(clause))


def is_denied_at(clause: str, at: int) -> bool:
    """Whether a negation stands before position `at` of a `plain` clause with little but auxiliaries between."""
    before = [match.end() for match in _NEGATION.finditer(_veiled(clause)) if match.end() <= at]
    return bool(before) and len(_AUXILIARY.sub("", clause[before[-1] : at])) <= _BETWEEN


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
    for first, second in _opposites():
        for mine, other in ((first, second), (second, first)):
            if _has(claim, mine) and not _has(claim, other) and _has(evidence, other) and not _has(evidence, mine):
                return True
    return False


@functools.cache
def _opposites() -> tuple[tuple[str, str], ...]:
    lines = Path(__file__).with_name("opposites.txt").read_text(encoding="utf-8").splitlines()
    pairs = (line.split("/") for line in lines if line and not line.startswith("#"))
    return tuple((first, second) for first, second in pairs)


def _has(text: str, word: str) -> bool:
    if word in ("左", "右", "南", "北", "东", "西"):  # as a direction, not as part of a name
        return bool(re.search(rf"{word}(?:侧|边|面|部|方|端|上|下|子树|孩子|移|半球)", text))
    at = text.find(word)
    return at >= 0 and not (at and text[at - 1] in "不非无")


def year_like(number: Number) -> bool:
    """Whether a number without a unit may be a year, so that it is compared even when nothing else agrees."""
    return not number.unit and 1000 <= number.value <= 2200 and number.value == int(number.value)


def matter(text: str) -> str:
    """`text` without what carries no claim: bullets, marks of Markdown, white space."""
    return re.sub(r"^[\s>#*\-+•·\d.、)）(（]+|[*_`#\s]+", "", plain(text))
