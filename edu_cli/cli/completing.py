"""What a shell is offered at TAB, from the table of plain.py: verbs, commands and the names of flags.

Values of flags, quoted words and unusual shells are left to Typer, whose answers these equal to the letter.
"""

from __future__ import annotations

from edu_cli.cli.plain import NotPlainError, parsed, rows_of

TYPE_CHECKING = False  # as in plain.py
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from edu_cli.cli.plain import Row

    Item = tuple[str, str]  # what can be typed, and what it is


_QUOTING = frozenset("\"'\\")
_ZSH_ESCAPES = (('"', '""'), ("'", "''"), ("$", "\\$"), ("`", "\\`"), (":", "\\\\:"))


def completed(environ: Mapping[str, str]) -> str | None:
    """The answer to the shell that asks through these variables, None where Typer has to give it."""
    shell = environ["_EDU_COMPLETE"]
    if shell not in ("complete_bash", "complete_zsh", "complete_fish"):
        return None
    try:
        items = _items(*_typed(environ, shell))
    except (NotPlainError, KeyError, ValueError):
        return None
    if shell == "complete_bash":
        return "\n".join(value for value, _ in items) + "\n"
    if shell == "complete_zsh":
        told = "\n".join(f'"{_escaped(value)}"' + (f':"{_escaped(about)}"' if about else "") for value, about in items)
        return f"_arguments '*: :(({told}))'\n" if items else "_files\n"
    if environ.get("_TYPER_COMPLETE_FISH_ACTION") != "get-args":
        return None
    return "\n".join(f"{value}\t{about}" if about else value for value, about in items) + "\n"


def _typed(environ: Mapping[str, str], shell: str) -> tuple[list[str], str]:
    """The words before the one that is being typed, and what there is of that one."""
    line = environ["COMP_WORDS" if shell == "complete_bash" else "_TYPER_COMPLETE_ARGS"]
    if not _QUOTING.isdisjoint(line):
        raise NotPlainError
    words = line.split()
    if shell == "complete_bash":
        place = int(environ["COMP_CWORD"])
        return words[1:place], words[place] if place < len(words) else ""
    is_begun = len(words) > 1 and not line.endswith(" ")
    return (words[1:-1], words[-1]) if is_begun else (words[1:], "")


def _items(before: Sequence[str], begun: str) -> list[Item]:
    if begun.startswith("-"):
        return _flags(before, begun)
    rows = rows_of(before[0] if before else "")
    if len(before) > 1 or not (row := rows[before[0] if before else ""])["commands"]:
        raise NotPlainError  # a value
    return [(name, about) for name, about in row["commands"].items() if name.startswith(begun)]


def _flags(before: Sequence[str], begun: str) -> list[Item]:
    """The flags that begin so, without those given already that can be given once."""
    if "=" in begun:
        raise NotPlainError
    row, given = _command(list(before))
    free = (one for one in row["params"] if one["many"] or one["name"] not in given)
    return [(name, one["about"]) for one in free for name in (*one["on"], *one["off"]) if name.startswith(begun)]


def _command(before: list[str]) -> tuple[Row, Mapping[str, object]]:
    """The command that flags are typed for, and those that it has."""
    if not before:
        return rows_of("")[""], {}
    if len(before) == 1 and (row := rows_of(before[0])[before[0]])["commands"] and not row["default"]:
        return row, {}
    _, row, given = parsed(before)
    return row, given


def _escaped(text: str) -> str:
    for mark, escape in _ZSH_ESCAPES:
        text = text.replace(mark, escape)
    return text
