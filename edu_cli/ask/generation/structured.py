"""A prompt and values -> the LLM's JSON reply, read strictly; asked once more where it cannot be used."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from edu_cli.ask.generation.reply import parse_json
from edu_cli.prompts import Prompt
from edu_cli.protocols import ChatModel
from edu_cli.types import Message

T = TypeVar("T")
_AGAIN = "（上次的输出不是所要求的 JSON 对象，请只输出该对象。）"


def structured(chat: ChatModel, prompt: Prompt, values: Mapping[str, Any], read: Callable[[Any], T]) -> T | None:
    """What `read` makes of the reply; None where neither it nor its repair can be used. Raises ChatError.

    The values are sent as one JSON object, so that no text in them can pass for the prompt. `read` raises ValueError,
    TypeError or KeyError for a reply that it cannot use.
    """
    asked = json.dumps(values, ensure_ascii=False)
    for user in (asked, f"{asked}\n\n{_AGAIN}"):
        messages = [Message("system", prompt.text), Message("user", user)]
        reply = chat.complete(messages, temperature=0.0, json_object=True).text
        try:
            return read(parse_json(reply))
        except (ValueError, TypeError, KeyError):
            continue
    return None


def verdict(value: Any) -> bool:
    """A yes or no as models write it: true, 1, "yes", "是". Raises ValueError for anything else."""
    said = str(value).strip().lower()
    if said in ("true", "1", "yes", "是"):
        return True
    if said in ("false", "0", "no", "否"):
        return False
    raise ValueError(f"no verdict: {said[:20]}")
