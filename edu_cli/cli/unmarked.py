"""Markdown of the material as people read it on a terminal: without stars, link targets and tags; code as it is."""

from __future__ import annotations

import re

from edu_cli.ask.generation.pieces import pieces

_CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)")
_MARKS = (
    (re.compile(r"!\[([^\]]*)\]\([^)\s]*(?:\s[^)]*)?\)"), r"\1"),  # pictures
    (re.compile(r"(?<!!)\[([^\]\n]+)\]\((?:[a-z]+:|[./#])(?:[^()\s]|\([^()\s]*\))*(?:\s[^)]*)?\)"), r"\1"),
    (re.compile(r"(?<![a-zA-Z0-9*])\*\*(?=[^\s*])(.+?)(?<=\S)\*\*(?![a-zA-Z0-9*])"), r"\1"),
    (re.compile(r"^[ \t]{0,3}#{1,6}[ \t]+", re.MULTILINE), ""),
    (re.compile(r"</?(?:span|font|b|i|u|em|strong|mark|p|div|center|img|a|sup|sub)(?:\s[^<>]*)?/?>"), ""),
    (re.compile(r"<br\s*/?>"), " "),
)


def unmarked(text: str) -> str:
    """`text` without the marks of Markdown and HTML that only a renderer wants; blocks and spans of code stay."""
    parts = ((text[piece.start : piece.end], piece.kind) for piece in pieces(text))
    return "".join(part if kind == "code" else _outside_code(part) for part, kind in parts)


def _outside_code(text: str) -> str:
    done, at = "", 0
    for code in _CODE.finditer(text):
        done += _without_marks(text[at : code.start()]) + code[0]
        at = code.end()
    return done + _without_marks(text[at:])


def _without_marks(text: str) -> str:
    for mark, said in _MARKS:
        text = mark.sub(said, text)
    return text
