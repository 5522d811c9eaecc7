"""Settings written into a TOML file that people edit too: only the lines of these keys change."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from edu_cli.errors import ConfigError


def write_settings(path: Path, section: str, values: Mapping[str, float | int | bool]) -> None:
    """Sets the keys of `[section]`, making file, section and lines where they are absent. Raises ConfigError."""
    try:
        before = path.read_text(encoding="utf-8-sig") if path.exists() else ""
        draft = path.with_name(path.name + ".new")
        draft.write_text(with_settings(before, section, values), encoding="utf-8")
        draft.replace(path)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be written: {error}.", hint="mend its permissions or encoding") from error


def with_settings(text: str, section: str, values: Mapping[str, float | int | bool]) -> str:
    """The text of the file with these keys set."""
    lines = text.splitlines()
    start = next((i for i, line in enumerate(lines) if re.fullmatch(rf"\s*\[{section}\]\s*(#.*)?", line)), None)
    if start is None:
        lines += ([""] if lines and lines[-1].strip() else []) + [f"[{section}]"]
        start = len(lines) - 1
    end = next((i for i in range(start + 1, len(lines)) if lines[i].lstrip().startswith("[")), len(lines))
    left = dict(values)
    for i in range(start + 1, end):
        match = re.match(r"\s*([\w-]+)\s*=", lines[i])
        if match and match[1] in left:
            lines[i] = f"{match[1]} = {_literal(left.pop(match[1]))}"
    while end > start + 1 and not lines[end - 1].strip():
        end -= 1
    lines[end:end] = [f"{key} = {_literal(value)}" for key, value in left.items()]
    return "\n".join(lines) + "\n"


def _literal(value: float | int | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)
