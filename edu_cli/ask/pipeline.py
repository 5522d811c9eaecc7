"""Question -> answer. The steps are those of the README: each is a function, listed here in order."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from edu_cli.ask.as_json import answer_json
from edu_cli.ask.front.answer_cache import remember_answer
from edu_cli.ask.front.answers import front, greeted
from edu_cli.ask.memory import fold_older, is_due, new_session_id, recall
from edu_cli.ask.plan.lead_in import without_lead_in
from edu_cli.ask.trail import CountedChat, Trail
from edu_cli.ask.turn import Turn, UnansweredError
from edu_cli.errors import ChatError, StoreError, UsageError
from edu_cli.text import clean
from edu_cli.types import SessionTurn

if TYPE_CHECKING:
    from edu_cli.ask.memory import Talk
    from edu_cli.ask.plan.planning import Queries
    from edu_cli.ask.request import AskRequest, AskTools
    from edu_cli.protocols import AskRecords
    from edu_cli.types import Answer, SearchResult


_WORD = re.compile(r"\w")


def ask(request: AskRequest, tools: AskTools, show: Callable[[str], None] | None = None) -> Answer:
    """Answers one question; `show` is given the answer's text as the LLM writes it.

    1. begin: the conversation; small talk ends here. 2. complete a follow-up; front: an earlier answer, the FAQ.
    3. plan: route and strategy. 4. queries: the strategy's rewrites. 5. seek: passages with a confidence.
    6. decline below the threshold. 7. draft and verify, by the LLM or from the passages' sentences. 8. remember.
    Raises UsageError for an empty question, UnansweredError (with the passages) where the LLM fails.
    """
    turn = _begin(request, tools, show)
    greeting = greeted(turn)
    turn = turn if greeting else _completed(turn)
    try:
        answer = greeting or front(turn) or _reasoned(turn)
    except UnansweredError as error:
        _remember_failure(turn, error)
        raise
    return answer if request.plan else _remember(turn, answer)


def passages_for(request: AskRequest, tools: AskTools) -> tuple[Queries, SearchResult]:
    """What `request.strategy` searches for and what it finds, without front layer, threshold or answer.

    The queries' strategy is `direct` where the one asked for has nothing to rewrite, or lacks its LLM. Raises
    UsageError for an empty question.
    """
    from edu_cli.ask.plan.planning import plan, queries
    from edu_cli.ask.plan.seek import seek

    turn = _completed(_begin(request, tools, None))
    wanted = queries(turn, plan(turn).strategy or "direct")
    return wanted, seek(turn, wanted)


def _begin(request: AskRequest, tools: AskTools, show: Callable[[str], None] | None) -> Turn:
    request = replace(request, question=clean(request.question)[0])  # a pasted control code is no part of it
    if not request.question.strip():
        raise UsageError("The question is empty.", hint='edu ask "…", or - to read it from stdin')
    if not _WORD.search(request.question):
        raise UsageError(f"There is no word in the question {request.question.strip()!r}.", hint="ask in words")
    records, tenant = tools.records, request.scope.tenant
    session = request.session
    if request.resume and records:
        session = records.last_session(tenant) or new_session_id()
    talk = recall(records, tenant, session, request.history)
    chat = CountedChat(tools.chat) if tools.chat else None
    return Turn(request, tools, Trail(chat), chat, show, talk, " ".join(request.question.split()))


def _completed(turn: Turn) -> Turn:
    """The turn with its question made standalone, where a conversation went before it."""
    turn = replace(turn, standalone=without_lead_in(turn.standalone))
    return replace(turn, standalone=_standalone(turn, turn.talk)) if turn.talk.turns else turn


def _standalone(turn: Turn, talk: Talk) -> str:
    """A follow-up as a question of its own; one that needs no context stays as it is."""
    from edu_cli.ask.plan.follow_up import is_follow_up, pointed_out, standalone_by_rule
    from edu_cli.ask.plan.rewrite import standalone_by_llm

    question = turn.standalone
    with turn.trail.step("standalone") as note:
        if not is_follow_up(question):
            note.detail = "complete as it is"
            return question
        found = pointed_out(question, talk.turns)  # what is counted out is surer than what a model makes of it
        try:
            if turn.chat and not found:
                found = standalone_by_llm(question, talk.turns, turn.chat, turn.prompt("standalone"))
                if not found:
                    turn.trail.warn("the follow-up was completed by rule, since the model's rewrite could not be used")
        except ChatError as error:
            turn.trail.warn(f"the follow-up was completed by rule, since the model failed: {error.message}")
        found = note.detail = found or standalone_by_rule(question, talk.turns)
    return found


def _reasoned(turn: Turn) -> Answer:
    from edu_cli.ask.reasoning import (
        reasoned,
    )  # a third of a second of imports, which small talk and the FAQ do without

    return reasoned(turn)


def _remember(turn: Turn, answer: Answer) -> Answer:
    """Keeps the turn, the answer and the trace; a store that cannot be written costs a warning, not the answer."""
    records, session = turn.tools.records, turn.talk.session_id
    if records is None:
        return answer
    try:
        remember_answer(turn, answer)
        if session:
            kept = SessionTurn(turn.request.question, turn.standalone, answer.answer)
            records.add_turn(turn.tenant, session, kept)
            answer = _folded(turn, answer, records, session)
        if turn.tools.settings.ask.traces == "on":
            records.add_trace(turn.tenant, answer_json(answer), _exchanges(turn))
    except StoreError as error:
        return replace(answer, warnings=(*answer.warnings, f"not all was kept: {error.message}"))
    return answer


def _folded(turn: Turn, answer: Answer, records: AskRecords, session: str) -> Answer:
    """The answer with what it cost to fold older turns into the notes on the learner, where there were enough."""
    chat = turn.chat
    if chat is None or not is_due(records, turn.tenant, session):
        return answer
    warnings = answer.warnings
    with turn.trail.step("summary") as note:
        try:
            fold_older(records, turn.tenant, session, chat, turn.prompt("summary"))
            note.detail = "older turns became notes on the learner"
        except ChatError as error:
            note.detail = "failed"
            warnings = (*warnings, f"older turns were not summed up: {error.message}")
    return replace(answer, llm=chat.use, steps=tuple(turn.trail.steps), warnings=warnings)


def _remember_failure(turn: Turn, error: UnansweredError) -> None:
    """Keeps the trace of a question that the LLM failed at; where that fails too, the first failure is what is told."""
    records = turn.tools.records
    if records is None or turn.tools.settings.ask.traces != "on":
        return
    value = answer_json(turn.answer("", route="rag", mode="generated", confidence=0.0, passages=error.passages))
    try:
        records.add_trace(
            turn.tenant, {**value, "error": {"code": error.code, "message": error.message}}, _exchanges(turn)
        )
    except StoreError:
        return


def _exchanges(turn: Turn) -> list[dict[str, object]]:
    said = turn.chat.exchanges if turn.chat else []
    return [
        {"messages": [{"role": m.role, "content": m.content} for m in messages], "reply": reply}
        for messages, reply in said
    ]
