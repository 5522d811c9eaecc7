"""Characters as a PDF stores them -> as they are meant: symbol fonts, radicals in place of characters, odd spaces."""

from __future__ import annotations

import functools
import re
import unicodedata

_SYMBOL_LOWER = "αβχδεφγηιϕκλμνοπθρστυϖωξψζ"
_SYMBOL_UPPER = "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ"
_SYMBOL_SIGNS = {0xA3: "≤", 0xA5: "∞", 0xAE: "→", 0xB1: "±", 0xB3: "≥", 0xB4: "×", 0xB6: "∂", 0xB9: "≠", 0xBA: "≡"}
_SYMBOL_SIGNS |= {0xBB: "≈", 0xC5: "⊕", 0xC7: "∩", 0xC8: "∪", 0xCE: "∈", 0xCF: "∉", 0xD1: "∇", 0xD5: "∏", 0xD6: "√"}
_SYMBOL_SIGNS |= {0xDE: "⇒", 0xE5: "∑", 0xF2: "∫", 0x22: "∀", 0x24: "∃", 0x2D: "−"}
_BULLETS = {0xB7: "•", 0x6C: "●", 0x6E: "■", 0x75: "◆", 0xA7: "▪", 0xA8: "□", 0xD8: "➢", 0xFC: "✓", 0x76: "❖"}
_BULLETS |= {0xFB: "✗", 0xE0: "→", 0x9F: "•", 0x77: "◆", 0xB2: "◆"}
_DINGBATS = {"3": "✓", "4": "✔", "5": "✕", "6": "✖", "8": "✘", "l": "●", "n": "■", "u": "◆", "H": "★"}

# Radicals that some print drivers write in place of the character and that have no decomposition in Unicode.
_RADICALS = dict(
    zip(
        "⺁⺄⺊⺎⺓⺜⺝⺠⺫⺬⺮⺶⺹⺼⻁⻄⻅⻆⻈⻉⻊⻋⻐⻑⻓⻔⻗⻘⻙⻚⻛⻜⻝⻠⻡⻢⻣⻤⻥⻦⻧⻨⻩⻪⻬⻮⻰",
        "厂乙卜兀幺日月民目示竹羊老月虎西见角讠贝足车钅長长门雨青韦页风飞食饣首马骨鬼鱼鸟卤麦黄黾齐齿龙",
        strict=True,
    )
)
_RADICAL = re.compile("[\u2e80-\u2fdf]")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff]")
_LEADER = re.compile(r"\s*(?:[.…⋯·‥・]\s?){6,}")
_SPACE = re.compile("[\t\u00a0\u2000-\u200a\u202f\u205f\u3000]")


def clean(text: str) -> str:
    """Text without control characters, with plain spaces, and with characters where radicals stood."""
    text = _LEADER.sub(" …… ", _SPACE.sub(" ", _CONTROL.sub("", text)))
    return _RADICAL.sub(lambda found: _character(found.group()), text)


def meant(char: str, font: str) -> str:
    """What a character in the private area of a symbol font shows; any other unchanged."""
    if "\uf000" <= char <= "\uf0ff":
        return _shown(char, "symbol" in font.lower())
    if "\uf8e5" <= char <= "\uf8fe":  # pieces of large brackets and roots: nothing that can be read aloud
        return " "
    return _DINGBATS.get(char, char) if "dingbats" in font.lower() else char


@functools.cache
def _shown(char: str, symbol: bool) -> str:
    code = ord(char) - 0xF000
    if not symbol:
        return _BULLETS.get(code, char)
    if 0x61 <= code <= 0x7A:
        return _SYMBOL_LOWER[code - 0x61]
    if 0x41 <= code <= 0x5A:
        return _SYMBOL_UPPER[code - 0x41]
    if code in _SYMBOL_SIGNS:
        return _SYMBOL_SIGNS[code]
    return chr(code) if 0x20 <= code <= 0x3F else _BULLETS.get(code, char)


@functools.cache
def _character(radical: str) -> str:
    return _RADICALS.get(radical) or unicodedata.normalize("NFKC", radical)
