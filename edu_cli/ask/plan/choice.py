"""Doubtful question -> route or strategy, chosen by the LLM. None where its replies cannot be used."""

from __future__ import annotations

from typing import Any, Literal, get_args

from edu_cli.ask.generation.structured import structured
from edu_cli.ask.plan.strategy import Strategy
from edu_cli.prompts import Prompt
from edu_cli.protocols import ChatModel

Route = Literal["course", "general"]


def strategy_by_llm(question: str, chat: ChatModel, prompt: Prompt) -> Strategy | None:
    """How to search for it. Raises ChatError."""
    return structured(
        chat, prompt, {"question": question}, lambda value: _one_of(value["strategy"], get_args(Strategy))
    )


def route_by_llm(question: str, chat: ChatModel, prompt: Prompt) -> Route | None:
    """Whether it is about the course. Raises ChatError."""
    return structured(chat, prompt, {"question": question}, lambda value: _one_of(value["route"], get_args(Route)))


def _one_of(said: object, choices: tuple[Any, ...]) -> Any:
    word = str(said).strip().lower().replace("-", "_")
    if word not in choices:
        raise ValueError(f"{word[:20]} is none of {choices}")
    return word
