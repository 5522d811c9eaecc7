"""The metadata block at the head of a Markdown file."""

from __future__ import annotations

import re

_YAML = re.compile(r"---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_TOML = re.compile(r"\+\+\+[ \t]*\n(.*?)^\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_YAML_LINE = re.compile(r"[\w.\"'-]+[ \t]*:(?:[ \t]|$)|[ \t]*-(?:[ \t]|$)|[ \t]+\S|[ \t]*#|[ \t]*$|[\]})]")
_TOML_LINE = re.compile(r"[\w.\"'-]+[ \t]*=|[ \t]*\[|[ \t]+\S|[ \t]*#|[ \t]*$|[\]})]")


def read_front_matter(text: str) -> tuple[dict[str, str], str]:
    """The top-level keys with their values as text (a list's items joined by ", "), and the text after the block.

    ({}, text) where the file begins otherwise, or with a thematic break that only looks like one.
    """
    for whole, line, sign in ((_YAML, _YAML_LINE, ":"), (_TOML, _TOML_LINE, "=")):
        match = whole.match(text)
        if match and all(line.match(part) for part in match[1].splitlines()):
            return _values(match[1], sign), text[match.end() :]
    return {}, text


def _values(block: str, sign: str) -> dict[str, str]:
    found: dict[str, str] = {}
    key = ""
    for line in block.splitlines():
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        if line[0] not in " \t-" and sign in line:
            key, _, value = (part.strip() for part in line.partition(sign))
            found[key.strip("\"'")] = _plain(value)
            key = key.strip("\"'")
        elif key and ":" not in stripped:
            item = _plain(stripped.removeprefix("-").strip())
            found[key] = f"{found[key]}, {item}".removeprefix(", ") if item else found[key]
    return {name: value for name, value in found.items() if value}


def _plain(value: str) -> str:
    if len(value) > 1 and value[0] == "[" and value[-1] == "]":
        return ", ".join(_plain(item.strip()) for item in value[1:-1].split(",") if item.strip())
    if value in ("|", ">", "|-", ">-"):
        return ""
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value
