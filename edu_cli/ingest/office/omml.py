"""Office formulas (OMML) -> LaTeX, without the dollar signs."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

from edu_cli.ingest.office.ooxml import Element, attribute, child, children, local

_GREEK_LETTERS = "αβγδεζηθικλμνξοπρςστυφχψωΓΔΘΛΞΠΣΥΦΨΩϵϑϕϱϖ"
_GREEK_NAMES = """
    alpha beta gamma delta varepsilon zeta eta theta iota kappa lambda mu nu xi o pi rho varsigma sigma tau upsilon
    varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega epsilon vartheta phi varrho varpi
"""
_GREEK = dict(zip(_GREEK_LETTERS, _GREEK_NAMES.split(), strict=True))
_SIGNS = {
    "×": "times", "÷": "div", "±": "pm", "∓": "mp", "·": "cdot", "⋅": "cdot", "∙": "cdot", "∗": "ast", "∘": "circ",
    "≤": "le", "≥": "ge", "≠": "ne", "≈": "approx", "≡": "equiv", "∼": "sim", "≃": "simeq", "≅": "cong", "∝": "propto",
    "≪": "ll", "≫": "gg", "∞": "infty", "∂": "partial", "∇": "nabla", "∑": "sum", "∏": "prod", "∐": "coprod",
    "∫": "int", "∬": "iint", "∭": "iiint", "∮": "oint", "∈": "in", "∉": "notin", "∋": "ni", "⊂": "subset",
    "⊃": "supset", "⊆": "subseteq", "⊇": "supseteq", "∪": "cup", "∩": "cap", "⋃": "bigcup", "⋂": "bigcap",
    "∅": "emptyset", "∖": "setminus", "∀": "forall", "∃": "exists", "¬": "neg", "∧": "land", "∨": "lor", "⊕": "oplus",
    "⊗": "otimes", "⊙": "odot", "⊥": "perp", "∥": "parallel", "∠": "angle", "△": "triangle", "→": "to", "←": "gets",
    "↔": "leftrightarrow", "⇒": "Rightarrow", "⇐": "Leftarrow", "⇔": "Leftrightarrow", "↦": "mapsto", "↑": "uparrow",
    "↓": "downarrow", "…": "dots", "⋯": "cdots", "⋮": "vdots", "⋱": "ddots", "ℝ": "mathbb{R}", "ℕ": "mathbb{N}",
    "ℤ": "mathbb{Z}", "ℚ": "mathbb{Q}", "ℂ": "mathbb{C}", "ℓ": "ell", "ħ": "hbar", "ℏ": "hbar", "°": "degree",
    "√": "surd", "∵": "because", "∴": "therefore", "⟨": "langle", "⟩": "rangle", "〈": "langle", "〉": "rangle",
    "‖": "|", "⌈": "lceil", "⌉": "rceil", "⌊": "lfloor", "⌋": "rfloor", "{": "{", "}": "}", "%": "%", "#": "#",
    "&": "&", "$": "$", "_": "_",
}  # fmt: skip
_COMMANDS = {**_GREEK, **_SIGNS}
_INVISIBLE = dict.fromkeys(map(ord, "\u2061\u2062\u2063\u2064\u200b"), None)  # function application, invisible times, …
_ACCENTS = {
    "\u0302": "hat", "\u0303": "tilde", "\u0304": "bar", "\u0305": "overline", "\u0307": "dot", "\u0308": "ddot",
    "\u20db": "dddot", "\u030c": "check", "\u0301": "acute", "\u0300": "grave", "\u0306": "breve", "\u20d7": "vec",
    "\u20d6": "overleftarrow", "\u20e1": "overleftrightarrow", "¯": "bar", "^": "hat", "~": "tilde", "→": "vec",
}  # fmt: skip
_GROUPS = {"⏞": "overbrace", "⏟": "underbrace", "⎴": "overbracket", "⎵": "underbracket", "→": "overrightarrow"}
_FUNCTION_NAMES = """
    arccos arcsin arctan arg cos cosh cot coth csc deg det dim exp gcd hom inf ker lg lim liminf limsup ln log max min
    Pr sec sin sinh sup tan tanh
"""
_FUNCTIONS = frozenset(_FUNCTION_NAMES.split())
_ALPHABETS = {"double-struck": "mathbb", "script": "mathcal", "fraktur": "mathfrak", "sans-serif": "mathsf"}


def latex(formula: Element) -> str:
    """LaTeX of an `m:oMath` or `m:oMathPara` (several formulas of one paragraph stand on lines of their own)."""
    if local(formula) == "oMathPara":
        return r" \\ ".join(filter(None, (latex(e) for e in children(formula, "oMath"))))
    return _tidy(_all(formula))


def symbols(text: str) -> str:
    """Greek letters and operators as commands, the rest as it stands; styled Unicode letters as plain ones."""
    out: list[str] = []
    for sign in text.translate(_INVISIBLE):
        plain = _plain(sign)
        command = _COMMANDS.get(plain)
        out.append(f"\\{command}{' ' if command[-1].isalpha() else ''}" if command else plain)
    return "".join(out)


def _plain(sign: str) -> str:
    """The letter of a mathematical alphabet (U+1D400 block) as the ordinary letter that it styles."""
    return unicodedata.normalize("NFKC", sign) if 0x1D400 <= ord(sign) <= 0x1D7FF else sign


def _all(element: Element | None) -> str:
    return "".join(map(_one, element if element is not None else ()))


def _one(element: Element) -> str:
    name = local(element)
    write = _WRITERS.get(name)
    if write:
        return write(element)
    # Containers such as e, num, ins, sdt, hyperlink hold formula parts; property elements hold none.
    return "" if name.endswith("Pr") or name in ("del", "moveFrom") else _all(element)


def _part(element: Element, name: str) -> str:
    return _all(child(element, name)).strip()


def _property(element: Element, name: str, default: str) -> str:
    """`m:xPr/m:name/@m:val` of an element of whatever kind."""
    found = child(element, f"{local(element)}Pr", name)
    return default if found is None else attribute(found, "val", default)


def _run(element: Element) -> str:
    text = "".join(t.text or "" for t in element if local(t) == "t")
    properties = child(element, "rPr")
    script = child(properties, "scr")
    if child(properties, "nor") is not None and text.strip():
        return f"\\text{{{text}}}"
    style = child(properties, "sty")
    if text.strip() in _FUNCTIONS and style is not None and attribute(style, "val") == "p":
        return f"\\{text.strip()} "
    written = symbols(text)
    alphabet = _ALPHABETS.get(attribute(script, "val")) if script is not None else None
    return f"\\{alphabet}{{{written}}}" if alphabet and text.strip() else written


def _braced(text: str) -> str:
    return f"{{{text}}}"


def _base(text: str) -> str:
    """What a script is put to: braced unless it is one sign or one command."""
    is_single = len(text) == 1 or (text.startswith("\\") and text[1:].isalpha())
    return text if is_single else _braced(text)


def _fraction(element: Element) -> str:
    top, bottom = _part(element, "num"), _part(element, "den")
    kind = _property(element, "type", "bar")
    if kind == "lin":
        return f"{_base(top)}/{_base(bottom)}"
    return f"\\binom{{{top}}}{{{bottom}}}" if kind == "noBar" else f"\\frac{{{top}}}{{{bottom}}}"


def _radical(element: Element) -> str:
    degree = _part(element, "deg")
    return f"\\sqrt{f'[{degree}]' if degree else ''}{{{_part(element, 'e')}}}"


def _scripts(element: Element) -> str:
    lower, upper = _part(element, "sub"), _part(element, "sup")
    marks = (f"_{{{lower}}}" if lower else "") + (f"^{{{upper}}}" if upper else "")
    base = _base(_part(element, "e"))
    return f"{{}}{marks}{base}" if local(element) == "sPre" else f"{base}{marks}"


def _nary(element: Element) -> str:
    sign = symbols(_property(element, "chr", "∫")).strip()
    lower, upper = _part(element, "sub"), _part(element, "sup")
    marks = (f"_{{{lower}}}" if lower else "") + (f"^{{{upper}}}" if upper else "")
    return f"{sign}{marks} {_part(element, 'e')}"


def _delimited(element: Element) -> str:
    left, right = _property(element, "begChr", "("), _property(element, "endChr", ")")
    separator = symbols(_property(element, "sepChr", "|"))
    inside = f" {separator} ".join(_all(e).strip() for e in children(element, "e"))
    if inside.startswith("\\binom") and (left, right) == ("(", ")"):
        return inside
    if "\\" not in inside and {left, right} <= set("()[]|"):
        return f"{left}{inside}{right}"  # nothing tall inside
    return f"\\left{symbols(left).strip() or '.'} {inside} \\right{symbols(right).strip() or '.'}"


def _function(element: Element) -> str:
    name = _part(element, "fName")
    plain = name if not name.isalpha() else (f"\\{name}" if name in _FUNCTIONS else f"\\operatorname{{{name}}}")
    return f"{plain} {_part(element, 'e')}"


def _limit(element: Element) -> str:
    base, mark = _part(element, "e"), "_" if local(element) == "limLow" else "^"
    under = _part(element, "lim")
    if base in _FUNCTIONS:
        base = f"\\{base}"
    if base.startswith("\\") and base[1:].strip().isalpha():
        return f"{base.strip()}{mark}{{{under}}}"
    return f"\\{'under' if mark == '_' else 'over'}set{{{under}}}{{{base}}}"


def _matrix(element: Element) -> str:
    rows = [" & ".join(_all(e).strip() for e in children(row, "e")) for row in children(element, "mr")]
    return "\\begin{matrix}" + r" \\ ".join(rows) + "\\end{matrix}"


def _equations(element: Element) -> str:
    rows = [_all(e).strip().replace("\\&", "&") for e in children(element, "e")]  # here & marks where lines align
    return "\\begin{aligned}" + r" \\ ".join(rows) + "\\end{aligned}"


def _accent(element: Element) -> str:
    return f"\\{_ACCENTS.get(_property(element, 'chr', chr(0x302)), 'hat')}{{{_part(element, 'e')}}}"


def _bar(element: Element) -> str:
    return f"\\{'overline' if _property(element, 'pos', 'bot') == 'top' else 'underline'}{{{_part(element, 'e')}}}"


def _group(element: Element) -> str:
    return f"\\{_GROUPS.get(_property(element, 'chr', '⏟'), 'underbrace')}{{{_part(element, 'e')}}}"


def _tidy(text: str) -> str:
    return " ".join(text.split())


_WRITERS: dict[str, Callable[[Element], str]] = {
    "r": _run,
    "f": _fraction,
    "rad": _radical,
    **dict.fromkeys(("sSup", "sSub", "sSubSup", "sPre"), _scripts),
    "nary": _nary,
    "d": _delimited,
    "func": _function,
    **dict.fromkeys(("limLow", "limUpp"), _limit),
    "m": _matrix,
    "eqArr": _equations,
    "acc": _accent,
    "bar": _bar,
    "groupChr": _group,
    "borderBox": lambda e: f"\\boxed{{{_part(e, 'e')}}}",
}
