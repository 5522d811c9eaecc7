"""Fonts whose bytes are no letters (Symbol, Wingdings, MT Extra) -> the signs they draw."""

from __future__ import annotations

# The Symbol encoding. Pieces of tall brackets become one bracket, their middles and feet nothing (a space here).
_SYMBOL_LOW = "!∀#∃%&∍()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"
_SYMBOL_HIGH = "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…  ↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√·¬∧∨⇔⇐⇑⇒⇓◊⟨®©™∑(  [  {    ⟩∫∫  )  ]  }  "
_SYMBOL = {
    **{0x21 + i: sign for i, sign in enumerate(_SYMBOL_LOW)},
    **{0xA0 + i: sign for i, sign in enumerate(_SYMBOL_HIGH)},
}
_WINGDINGS = {0xFC: "✓", 0xFB: "✗", 0xFE: "☑", 0xFD: "☒", 0xA8: "☐", 0x6F: "☐", 0x52: "☑", 0xE0: "→", 0xDF: "←",
              0xF0: "⇒", 0xAB: "★", 0x6C: "●", 0x6E: "■", 0xD8: "➢", 0x75: "◆"}  # fmt: skip
_WINGDINGS_2 = {0x50: "✓", 0x52: "☑", 0xA3: "☐", 0x4F: "✗", 0x51: "☒"}
_MT_EXTRA = {0x4B: "…", 0x4C: "⋯", 0x4D: "⋮", 0x4F: "⋱", 0x75: "ˆ", 0x72: "→", 0x67: "∥", 0x68: "ℏ", 0x6C: "ℓ"}
_FONTS = {
    "symbol": _SYMBOL,
    "wingdings": _WINGDINGS,
    "wingdings 2": _WINGDINGS_2,
    "mt extra": _MT_EXTRA,
}


def symbol_of(face: str, code: int) -> str | None:
    """The sign of a character code (with or without the private-use 0xF000); None in a font of letters."""
    table = _FONTS.get(face.casefold())
    if table is None:
        return None
    return table.get(code & 0xFF if 0xF000 <= code <= 0xF0FF else code, "").strip()


def symbols_of(face: str, raw: bytes) -> str | None:
    """As `symbol_of`, for each byte of a text."""
    if face.casefold() not in _FONTS:
        return None
    return "".join(symbol_of(face, code) or "" for code in raw)
