"""Text -> its numbers as they are compared: values with units, in digits, Chinese numerals and English words alike."""

from __future__ import annotations

import re
from dataclasses import dataclass

_DIGITS = dict(zip("零〇一二三四五六七八九两", (0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 2), strict=True))
_SCALES = {"十": 10, "百": 100, "千": 1000, "万": 10_000, "亿": 100_000_000}
_HAN_DIGITS = "零〇一二三四五六七八九十百千万亿两"
_UNIT = (
    r"(?:%|‰|°c|℃|度|摄氏度|毫秒|微秒|纳秒|秒钟?|分钟|小时|工作日|天|日|号|周|星期|月|学期|学年|年|岁|世纪|年代|"
    r"平方公里|平方米|立方米|公里|千米|毫米|厘米|微米|纳米|米|公斤|千克|毫克|克|吨|升|毫升|牛|焦耳?|瓦|伏|安|万元|亿元|元|块|美元|分|学分|学时|课时|"
    r"节|讲|页|章|条|款|项|题|道|个|名|人|位|次|门|层|种|类|处|座|所|件|台|组|步|倍|字节|比特|位数|届|期|级|等|班|楼|室|周岁|"
    r"(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|percent|points?|"
    r"kb|mb|gb|tb|kib|mib|gib|hz|khz|mhz|ghz|ms|us|ns|km|cm|mm|nm|kg|mg|ml|px|dpi|bit|byte|bytes|[gmsnjwvak])(?![a-z]))"
)
# 192.168.1.10, v2.4.1, 28×28: names rather than numbers
COMPOUND = re.compile(r"(?<![\d.a-z])v?\d+(?:\.\d+){2,}(?![\d.])|(?<!\d)\d+(?:\s*[×x*]\s*\d+)+(?!\d)")
_ARABIC = re.compile(
    rf"(?<![\d.a-z_])(?<![a-z]-)(\d+(?:,\d{{3}})*(?:\.\d+)?)\s*([万亿百]|千(?![克米瓦焦赫帕卡伏字]))?\s*(个?{_UNIT})?",
    re.IGNORECASE,
)
_HAN = re.compile(rf"(百分之)?(?<!周)(?<!星期)([{_HAN_DIGITS}]+(?:点[零〇一二三四五六七八九]+)?)\s*(个?{_UNIT})?")
_NEXT_DAY = re.compile(r"第二天")
_RATIO = re.compile(rf"(?!百分之)([{_HAN_DIGITS}]+|\d+)分之([{_HAN_DIGITS}]+|\d+)")
_TENTHS = re.compile(r"(?<![\d第年月])([一二三四五六七八九]|[1-9])成(?![为功立员长本果分绩绿人年型像形])(半)?")
_ENGLISH = re.compile(r"\b(two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b(?:[ -]([a-z]+))?")
_ENGLISH_VALUES = {
    word: value
    for value, word in enumerate(
        ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"), start=2
    )
}
_CLOCK = re.compile(r"(?<!\d)([01]?\d|2[0-4])[:：]([0-5]\d)(?!\d)")
_HALF_OF_DAY = r"(?:清晨|早上|早晨|凌晨|上午|中午|午后|下午|傍晚|晚上|夜里|夜间|每晚|当晚|早|晚)"
_HOUR = r"(二?十[一二三四]?|[零一二三四五六七八九两]|[01]?\d|2[0-4])"
_CLOCK_WORDS = re.compile(
    rf"({_HALF_OF_DAY})?\s*(?<![\d.第]){_HOUR}点(钟|整|半|一刻|三刻|[0-5]?\d分|[{_HAN_DIGITS}]+分|"
    rf"(?=之?以?[前后]|开|关|起|止|到|至|上[课班]|下[课班]|[—–~～-]))?"
)
_AFTERNOON = re.compile(r"午后|下午|傍晚|晚|夜")
_AT, _AT_SOME_HALF = "时刻", "钟点"  # 15:00 or 下午三点; 三点, which may be either
_COUNTERS = frozenset("个条项种类处座所件台组名款道门")
_SAME_UNIT = {
    "号": "日", "天": "日", "块": "元", "秒钟": "秒", "千米": "公里", "km": "公里", "千克": "公斤", "kg": "公斤",
    "℃": "度", "°c": "度", "摄氏度": "度", "周": "星期", "人": "名", "位": "名", "ms": "毫秒", "周岁": "岁",
    "n": "牛", "m": "米", "s": "秒", "g": "克", "w": "瓦", "v": "伏", "a": "安", "j": "焦", "焦耳": "焦",
    "cm": "厘米", "mm": "毫米", "nm": "纳米", "mg": "毫克", "ml": "毫升",
    "second": "秒", "minute": "分钟", "hour": "小时", "day": "日", "week": "星期", "month": "月", "year": "年",
    "percent": "%", "point": "分",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it is compared: its value, its unit ("" where none stands by it), and where it stands.

    A time of day is in minutes; a share is in per cent.
    """

    value: float
    unit: str
    start: int
    end: int


def numbers(text: str) -> list[Number]:
    """The numbers of a `plain` text in order, however written: 百分之二十 and 两成 are 20%, 下午三点 is 15:00."""
    found: list[Number] = []
    text = COMPOUND.sub(lambda m: "□" * len(m[0]), text)
    for read in (_clocks, _shares, _arabic_all, _han_all, _english):
        for number in read(text):
            if not any(n.start < number.end and number.start < n.end for n in found):
                found.append(number)
    return sorted(found, key=lambda n: n.start)


def agrees(claimed: Number, found: Number) -> bool:
    """Whether two numbers say the same: equal values, and units of one kind where both have one."""
    if claimed.unit in (_AT, _AT_SOME_HALF) and found.unit in (_AT, _AT_SOME_HALF):
        half = 720 if _AT_SOME_HALF in (claimed.unit, found.unit) else 1440
        return claimed.value % half == found.value % half
    return claimed.value == found.value and (not claimed.unit or not found.unit or same_kind(claimed, found))


def same_kind(one: Number, other: Number) -> bool:
    """Whether two numbers count or measure alike; 五个 and 五处 do."""
    return (
        one.unit == other.unit or {one.unit, other.unit} <= _COUNTERS or {one.unit, other.unit} == {_AT, _AT_SOME_HALF}
    )


def without_units(text: str) -> str:
    """A `plain` text whose numbers lost the units behind them, which are no names: "5 m/s2" -> "5 "."""
    return re.sub(r"(?<![a-z0-9_])(\d[\d.,]*)\s*(?:[a-z]{1,5}(?:[/·][a-z]{1,3})?\d?)(?![a-z0-9_])", r"\1 ", text)


def canonical(text: str) -> str:
    """A `plain` text with its numbers written in one way, so that 二十年 and 20年 share their characters."""
    pieces, end = [], 0
    for number in numbers(text):
        pieces += [text[end : number.start], f"{number.value:.10g}", number.unit]
        end = number.end
    return "".join([*pieces, text[end:]])


def _clocks(text: str) -> list[Number]:
    found = [Number(int(m[1]) * 60 + int(m[2]), _AT, m.start(), m.end()) for m in _CLOCK.finditer(text)]
    for m in _CLOCK_WORDS.finditer(text):
        hour = int(m[2]) if m[2].isdigit() else _han_value(m[2])
        if (m[1] is None and m[3] is None) or hour is None or hour > 24:
            continue
        minutes = hour * 60 + _minutes(m[3] or "")
        if m[1] and _AFTERNOON.search(m[1]) and hour < 12:
            minutes += 720
        found.append(Number(minutes, _AT if m[1] or hour > 12 else _AT_SOME_HALF, m.start(), m.end()))
    return found


def _minutes(tail: str) -> float:
    named = {"半": 30, "一刻": 15, "三刻": 45}
    if tail in named:
        return named[tail]
    digits = tail.removesuffix("分")
    return (
        float(digits)
        if digits.isdecimal() and digits.isascii()
        else (_han_value(digits) or 0)
        if tail[-1:] == "分"
        else 0
    )


def _shares(text: str) -> list[Number]:
    found = []
    for m in _RATIO.finditer(text):
        below, above = _value(m[1]), _value(m[2])
        if below and above is not None:
            found.append(Number(100 * above / below, "%", m.start(), m.end()))
    tenths = (Number(10 * (_value(m[1]) or 0) + (5 if m[2] else 0), "%", *m.span()) for m in _TENTHS.finditer(text))
    return [*found, *tenths]


def _arabic_all(text: str) -> list[Number]:
    return [_arabic(match) for match in _ARABIC.finditer(text)]


def _arabic(match: re.Match[str]) -> Number:
    value = float(match[1].replace(",", "")) * (_SCALES[match[2]] if match[2] else 1)
    unit = _unit(match[3] or "")
    if unit in ("万元", "亿元"):
        value, unit = value * _SCALES[unit[0]], "元"
    if match.string[max(0, match.start() - 3) : match.start()] == "百分之":
        unit = "%"
    return Number(value, unit, match.start(), match.end())


def _han_all(text: str) -> list[Number]:
    read = _NEXT_DAY.sub("□□□", text)
    return [n for match in _HAN.finditer(read) if (n := _han(match))]


def _han(match: re.Match[str]) -> Number | None:
    """A Chinese numeral; one without a unit and of one character (一样, 千方) is a word, not a number."""
    word, unit = match[2], _unit(match[3] or "")
    if not unit and not match[1] and (len(word) < 2 or not set(word) & set(_DIGITS)):
        return None
    if unit == "处" and word in ("四", "到"):
        return None if re.match(r"[游流寻打漂散张奔]", match.string[match.end() :]) else Number(4, unit, *match.span())
    value = _han_value(word)
    return None if value is None else Number(value, "%" if match[1] else unit, match.start(), match.end())


def _english(text: str) -> list[Number]:
    found = []
    for m in _ENGLISH.finditer(text):
        unit = _unit(m[2] or "")
        known = bool(m[2]) and m[2].rstrip("s") in _SAME_UNIT
        found.append(Number(_ENGLISH_VALUES[m[1]], unit if known else "", m.start(), m.end() if known else m.end(1)))
    return found


def _value(word: str) -> float | None:
    return float(word) if word.isascii() else _han_value(word)


def _han_value(word: str) -> float | None:
    whole, _, fraction = word.partition("点")
    if not whole:
        return None
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
    unit = unit.casefold().strip()
    if unit.startswith("个") and len(unit) > 1:
        unit = unit[1:]
    if len(unit) > 3 and unit.isascii():
        unit = unit.rstrip("s")
    return _SAME_UNIT.get(unit, unit)
