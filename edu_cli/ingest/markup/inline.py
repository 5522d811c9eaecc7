"""Markdown inline source -> what is kept of it: code, formulas and links verbatim, pictures as their names, no tags."""

from __future__ import annotations

import html
import re

_TAGS = (
    "a|abbr|b|big|br|center|cite|code|dd|del|details|dfn|div|dl|dt|em|figcaption|figure|font|h[1-6]|hr|i|iframe|img|ins|"
    "kbd|label|li|mark|nobr|ol|p|q|s|samp|section|small|source|span|strike|strong|sub|summary|sup|svg|table|tbody|td|th|"
    "thead|tr|tt|u|ul|var|video|wbr"
)
_INLINE = re.compile(
    rf"""
      (?P<kept> (?<!`)(`++).{{1,2000}}?(?<!`)\2(?!`) | \$\$.{{1,2000}}?\$\$ | \$[^$\n]{{1,300}}\$ | \\[!<&`$] )
    | !\[ (?P<alt> (?:[^\[\]\\]|\\.|\[[^\[\]]*\])* ) \] (?: \( [^()\n]* (?:\([^()\n]*\)[^()\n]*)* \) | \[[^\[\]\n]*\] )
    | <!--(?:(?!<!--).)*?-->
    | <img\b (?P<img> [^<>]*) >
    | </?(?P<tag> {_TAGS} ) (?= [\s/>] ) [^<>]* >
    | (?<=[)\]])\{{[ ]?[.:\#][^{{}}\n]*\}}                        # {{ .class }} of some site builders
    | &(?:\#\d{{1,7}}|\#[xX][0-9a-fA-F]{{1,6}}|[A-Za-z][A-Za-z0-9]{{1,31}});
    """,
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
_ALT = re.compile(r"""\balt\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)
_NO_NAME = re.compile(
    r"(?:image|img|picture|图片|截图|pic|photo|screenshot)?[-_. \d]*(?:\.(?:png|jpe?g|gif|webp|svg))?", re.IGNORECASE
)
_NEW_LINE = frozenset({"br", "p", "div", "li", "tr", "hr", "summary", "details", "table"})


def tidy_inline(text: str) -> str:
    """`text` with pictures replaced by their alternative text, HTML tags and comments taken out, entities resolved.

    Code spans, formulas and links stay as they are. `<sup>` and `<sub>` become ^ and _: 2<sup>10</sup> is not 210.
    """
    if not any(sign in text for sign in "<&!{"):
        return text
    return _INLINE.sub(_replacement, text)


def _replacement(match: re.Match[str]) -> str:
    if match["kept"]:
        return match[0]
    if match["alt"] is not None:
        return picture_name(match["alt"])
    if match["img"] is not None:
        found = _ALT.search(match["img"])
        return picture_name(next((group for group in found.groups() if group), "")) if found else ""
    if match["tag"]:
        return _for_tag(match["tag"].lower(), is_closing=match[0].startswith("</"))
    return html.unescape(match[0]).replace("\xa0", " ") if match[0].startswith("&") else ""


def picture_name(alt: str) -> str:
    """The alternative text where it says something; empty for `image`, `img_12.png` and the like."""
    alt = " ".join(alt.split())
    return "" if _NO_NAME.fullmatch(alt) else alt


def _for_tag(tag: str, *, is_closing: bool) -> str:
    if tag in ("sup", "sub"):
        return "" if is_closing else "^" if tag == "sup" else "_"
    if tag in ("td", "th"):
        return " "
    return "\n" if tag in _NEW_LINE and (is_closing or tag in ("br", "hr")) else ""
