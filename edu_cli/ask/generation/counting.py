"""So many things: 四个必要条件, 三大特性, 6 种状态; in questions, in what announces a list, and in headings."""

from __future__ import annotations

NUMERAL = r"(?:[两二三四五六七八九十]|(?<![\d.])(?:[2-9]|1[0-2]))"
KINDS = r"(?:大|个|种|类|条|项|点|步|方面|部分|阶段)"  # what is counted; 三小时 and 五年 are no things
_NUMERALS = "二三四五六七八九十"


def count_of(numeral: str) -> int:
    """What a NUMERAL says."""
    return int(numeral) if numeral.isdigit() else _NUMERALS.index(numeral.replace("两", "二")) + 2
