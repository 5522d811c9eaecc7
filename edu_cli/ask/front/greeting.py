"""Small talk -> a fixed reply, from a template file: no search, no LLM."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass

from edu_cli.ask.generation.phrases import language
from edu_cli.ask.verification.terms import plain
from edu_cli.errors import ConfigError
from edu_cli.prompts import Prompt

_PARTICLES = "呀啊哦呢啦吧哈嘛哟喔耶咯噢呐么哒"
_SPLIT = re.compile(r"[^\w']+|_+")


@dataclass(frozen=True, slots=True)
class Talk:
    """One kind of small talk: the utterances it knows (plain) and its replies by language."""

    name: str
    say: frozenset[str]
    replies: tuple[tuple[str, str], ...]


def read_talks(template: Prompt) -> tuple[Talk, ...]:
    """The kinds of small talk of a template file. Raises ConfigError naming the file."""
    try:
        tables = tomllib.loads(template.text)["talk"]
        return tuple(
            Talk(table["name"], frozenset(_key(s) for s in table["say"]), (("zh", table["zh"]), ("en", table["en"])))
            for table in tables
        )
    except (tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise ConfigError(
            f"{template.source} is no template of small talk: {error}.",
            hint="it needs [[talk]] tables with name, say, zh and en",
        ) from error


def small_talk(question: str, talks: tuple[Talk, ...]) -> tuple[str, str] | None:
    """(kind, reply) where the whole question is small talk ("你好，谢谢！"); None where it asks anything else."""
    whole = _match(_key(question), talks)
    parts = [_key(part) for part in _SPLIT.split(plain(question)) if part]
    found = [whole] if whole else [_match(part, talks) for part in parts]
    if not found or not all(found):
        return None
    talk = next(t for t in found if t)
    return talk.name, dict(talk.replies)[language(question)]


def _match(key: str, talks: tuple[Talk, ...]) -> Talk | None:
    return next((talk for talk in talks if key and key in talk.say), None)


def _key(text: str) -> str:
    key = re.sub(r"[^\w']+|_", "", plain(text))
    stripped = key.rstrip(_PARTICLES)
    return stripped or key
