"""What one answer took: its steps with their times, and the calls and tokens of the LLM."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from edu_cli.types import ChatReply, LlmUse, Step

if TYPE_CHECKING:
    from edu_cli.protocols import ChatModel
    from edu_cli.types import FaqRecord, Message


class Note:
    """What a step has to say about its outcome, filled in while it runs."""

    def __init__(self) -> None:
        self.detail = ""


class Trail:
    """Steps in the order in which they ended, each with the tokens and prompts of the LLM calls made in it."""

    def __init__(self, chat: CountedChat | None = None) -> None:
        self.started = time.perf_counter()
        self.steps: list[Step] = []
        self.prompts: list[str] = []  # name@version of those loaded since the last step ended
        self._chat = chat
        self.warnings: list[str] = []
        self.passages_key = ""  # under which an answer from the passages found is kept
        self.near_faq: tuple[FaqRecord, ...] = ()  # entries that may have been meant

    @contextmanager
    def step(self, name: str) -> Iterator[Note]:
        """Times what runs inside; a step that raises is kept too."""
        note, start, before = Note(), time.perf_counter(), self._use()
        self.prompts.clear()
        try:
            yield note
        finally:
            after = self._use()
            prompts = tuple(dict.fromkeys(self.prompts)) if after.calls > before.calls else ()
            tokens = after.prompt_tokens + after.completion_tokens - before.prompt_tokens - before.completion_tokens
            self.steps.append(Step(name, round(time.perf_counter() - start, 6), note.detail, tokens, prompts))
            self.prompts.clear()

    def _use(self) -> LlmUse:
        return self._chat.use if self._chat else LlmUse()

    def warn(self, warning: str) -> None:
        """Adds a warning, once."""
        if warning not in self.warnings:
            self.warnings.append(warning)

    @property
    def seconds(self) -> float:
        """Since the question came."""
        return round(time.perf_counter() - self.started, 6)


class CountedChat:
    """A ChatModel that adds up what its calls cost and keeps what was said, for the trace."""

    def __init__(self, chat: ChatModel) -> None:
        self._chat = chat
        self._use = LlmUse(chat.model)
        self.exchanges: list[tuple[tuple[Message, ...], str]] = []

    @property
    def model(self) -> str:
        """The model's name."""
        return self._chat.model

    @property
    def use(self) -> LlmUse:
        """Calls and tokens so far."""
        return self._use

    def complete(self, messages: Sequence[Message], *, temperature: float, json_object: bool = False) -> ChatReply:
        """As ChatModel.complete."""
        self._called()
        reply = self._chat.complete(messages, temperature=temperature, json_object=json_object)
        self._cost(messages, reply)
        return reply

    def stream(self, messages: Sequence[Message], *, temperature: float) -> Iterator[str | ChatReply]:
        """As ChatModel.stream."""
        self._called()
        for piece in self._chat.stream(messages, temperature=temperature):
            if isinstance(piece, ChatReply):
                self._cost(messages, piece)
            yield piece

    def _called(self) -> None:
        self._use = LlmUse(self._use.model, self._use.calls + 1, self._use.prompt_tokens, self._use.completion_tokens)

    def _cost(self, messages: Sequence[Message], reply: ChatReply) -> None:
        self.exchanges.append((tuple(messages), reply.text))
        self._use = LlmUse(
            self._use.model,
            self._use.calls,
            self._use.prompt_tokens + reply.prompt_tokens,
            self._use.completion_tokens + reply.completion_tokens,
        )
