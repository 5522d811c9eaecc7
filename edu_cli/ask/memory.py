"""Conversations: the last turns word by word, what came before them as notes on the learner."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from edu_cli.ask.verification.markers import MARKER
from edu_cli.ask.verification.marks import unmarked
from edu_cli.types import Message, SessionTurn

if TYPE_CHECKING:
    from edu_cli.prompts import Prompt
    from edu_cli.protocols import AskRecords, ChatModel
    from edu_cli.types import Session

WINDOW = 10  # turns that later prompts may carry
_FOLD_AT_ONCE = 5  # turns folded together, so that not every question pays for a summary
_ANSWER_CHARS = 600


@dataclass(frozen=True, slots=True)
class Talk:
    """The conversation before a question. `session_id` None: it is not kept."""

    session_id: str | None
    turns: tuple[SessionTurn, ...]
    summary: str

    def messages(self) -> tuple[Message, ...]:
        """The turns as messages of a chat, oldest first."""
        return tuple(
            message
            for turn in self.turns
            for message in (Message("user", turn.question), Message("assistant", unmarked(turn.answer)[:_ANSWER_CHARS]))
        )


def recall(records: AskRecords | None, tenant: str, session_id: str | None, history: Sequence[Message]) -> Talk:
    """The conversation named, or the one given with the question."""
    found: Session | None = records.session(tenant, session_id) if records and session_id else None
    if found:
        return Talk(session_id, found.turns[-WINDOW:], found.summary)
    return Talk(session_id, _turns(history)[-WINDOW:], "")


def new_session_id() -> str:
    """An id for a new conversation: eight hex digits."""
    return os.urandom(4).hex()


def _turns(history: Sequence[Message]) -> tuple[SessionTurn, ...]:
    turns: list[SessionTurn] = []
    for message in history:
        if message.role == "user":
            turns.append(SessionTurn(message.content, message.content, ""))
        elif message.role == "assistant" and turns:
            turns[-1] = SessionTurn(turns[-1].question, turns[-1].standalone, message.content)
    return tuple(turns)


def is_due(records: AskRecords, tenant: str, session_id: str) -> bool:
    """Whether enough turns have left the window to be folded into the summary, some at once."""
    session = records.session(tenant, session_id)
    return session is not None and len(session.turns) - WINDOW - session.folded >= _FOLD_AT_ONCE


def fold_older(records: AskRecords, tenant: str, session_id: str, chat: ChatModel, prompt: Prompt) -> None:
    """Folds the turns that have left the window into the summary. Raises ChatError."""
    session = records.session(tenant, session_id)
    if session is None:
        return
    until = len(session.turns) - WINDOW
    talk = "\n".join(f"问：{t.standalone}\n答：{_said(t)}" for t in session.turns[session.folded : until])
    reply = chat.complete(
        [Message("system", prompt.text), Message("user", f"笔记：{session.summary or '（无）'}\n\n对话：\n{talk}")],
        temperature=0.0,
    )
    records.fold_session(tenant, session_id, MARKER.sub("", reply.text)[:600], until)


def _said(turn: SessionTurn) -> str:
    """The beginning of an answer; its markers count passages that notes know nothing of."""
    return MARKER.sub("", unmarked(turn.answer))[:200]
