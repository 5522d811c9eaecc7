"""Draft, verify, and try again within one budget: a draft of our own making is doubted before it is shown as final."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from edu_cli.ask.generation.generate import Draft, Grounding, Show, generate
from edu_cli.ask.generation.grade import grade
from edu_cli.ask.generation.phrases import language
from edu_cli.ask.plan.planning import Queries
from edu_cli.ask.plan.rewrite import rephrased
from edu_cli.ask.plan.seek import seek
from edu_cli.ask.trail import CountedChat
from edu_cli.ask.turn import Turn, UnansweredError
from edu_cli.ask.verification.verify import Verified, verify
from edu_cli.errors import ChatError
from edu_cli.types import SearchResult

RETRIES = 2  # in all: one new draft where it is not grounded, one new search where it does not answer


@dataclass(frozen=True, slots=True)
class Attempt:
    """A draft with what it was written from and how it was judged; `verified` is None where the model declined."""

    draft: Draft
    verified: Verified | None
    found: SearchResult
    wanted: Queries


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with an attempt: sentences without a ground (written again), or no use (searched again)."""

    kind: Literal["ungrounded", "useless"]
    sentences: tuple[str, ...]
    why: str


def write(turn: Turn, chat: CountedChat, found: SearchResult, wanted: Queries, *, can_search: bool) -> Attempt:
    """The best attempt within the budget; what stays doubtful is told as a warning.

    `ask.grade`: `off` takes the first draft as verification leaves it; `auto` has it written again once where
    verification finds sentences without a ground; `always` asks the LLM's grader about every draft too. The grader
    only adds doubts: what the offline rules do not bear out stays marked whatever it says. Raises UnansweredError.
    """
    mode, tried = turn.tools.settings.ask.grade, set[str]()
    current = _first(turn, chat, found, wanted)
    while mode != "off":
        fault = _fault(turn, chat, current, graded=mode == "always")
        if fault is None:
            break
        again = None
        if fault.kind not in tried and len(tried) < RETRIES and (fault.kind == "ungrounded" or can_search):
            again = _retried(turn, chat, current, fault)
        if again is None:
            times = {0: "", 1: " after another try"}.get(len(tried), f" after {len(tried)} more tries")
            _doubt(turn, current, f"the answer is doubtful{times}: {fault.why}")
            break
        tried.add(fault.kind)
        if not _is_better(again, current):
            _doubt(turn, current, f"the answer is doubtful, and another try was no better: {fault.why}")
            break
        current = again
    return current


def _doubt(turn: Turn, attempt: Attempt, why: str) -> None:
    if attempt.verified is not None:  # a refusal is no answer to doubt
        turn.trail.warn(why)


def _first(turn: Turn, chat: CountedChat, found: SearchResult, wanted: Queries) -> Attempt:
    try:
        return _attempt(turn, chat, found, wanted, turn.show)
    except ChatError as error:
        raise UnansweredError(error, found.passages) from error


def _attempt(
    turn: Turn, chat: CountedChat, found: SearchResult, wanted: Queries, show: Show | None, again: str = ""
) -> Attempt:
    settings = turn.tools.settings
    with turn.trail.step("regenerate" if again else "generate") as note:
        prompt = turn.prompt("answer")
        note.detail = f"{chat.model}, prompt answer@{prompt.version}"
        grounding = Grounding(
            prompt,
            settings.ask.context_tokens,
            settings.llm.temperature,
            turn.talk.messages(),
            turn.learner(),
            again,
        )
        draft = generate(turn.standalone, found.passages, chat, grounding, show)
    if draft.refused:
        return Attempt(draft, None, found, wanted)
    with turn.trail.step("verify") as note:
        verified = verify(draft.text, draft.passages, strict=turn.request.strict, language=language(turn.standalone))
        note.detail = f"{len(verified.citations)} citations, {len(verified.unsupported)} sentences not borne out"
        if verified.declines:
            note.detail = "it only says that the material does not tell"
    return Attempt(draft, None if verified.declines else verified, found, wanted)


def _fault(turn: Turn, chat: CountedChat, attempt: Attempt, *, graded: bool) -> Fault | None:
    """What is wrong by the rules, then by the grader; a reply that was cut off would be cut off again."""
    if attempt.draft.warnings:
        return None
    if attempt.verified is None:
        return Fault("useless", (), "the passages found do not hold the answer") if graded else None
    if bad := attempt.verified.unsupported:
        return Fault("ungrounded", bad, f"{len(bad)} of its statements are not borne out by the passages")
    return _graded(turn, chat, attempt) if graded else None


def _graded(turn: Turn, chat: CountedChat, attempt: Attempt) -> Fault | None:
    with turn.trail.step("grade") as note:
        try:
            prompt = turn.prompt("grade")
            found = grade(turn.standalone, attempt.draft.text, attempt.draft.passages, chat, prompt)
        except ChatError as error:
            turn.trail.warn(f"the answer could not be graded: {error.message}")
            return None
        if found is None:
            turn.trail.warn("the answer could not be graded: the model's verdict cannot be read")
            return None
        note.detail = f"grounded {found.grounded}, useful {found.useful}" + (f": {found.why}" if found.why else "")
    if not found.grounded:
        return Fault("ungrounded", found.unsupported, f"the grader finds it not grounded: {found.why or 'no reason'}")
    if not found.useful:
        return Fault("useless", (), f"the grader finds that it does not answer: {found.why or 'no reason'}")
    return None


def _retried(turn: Turn, chat: CountedChat, attempt: Attempt, fault: Fault) -> Attempt | None:
    """Another attempt; None where there is none to be made, or the LLM fails at it."""
    try:
        if fault.kind == "useless":
            return _searched_again(turn, chat, attempt, fault)
        sentences = "\n".join(f"- {sentence}" for sentence in fault.sentences) or "-"
        again = turn.prompt("again").fill(sentences=sentences)
        return _attempt(turn, chat, attempt.found, attempt.wanted, None, again)
    except ChatError as error:
        turn.trail.warn(f"another try failed: {error.message}")
        return None


def _searched_again(turn: Turn, chat: CountedChat, attempt: Attempt, fault: Fault) -> Attempt | None:
    with turn.trail.step("rephrase") as note:
        question = rephrased(turn.standalone, fault.why, chat, turn.prompt("rephrase"))
        note.detail = question or "nothing new"
    if not question:
        return None
    found = seek(turn, Queries("direct", (question,)))
    if not found.passages or found.confidence < turn.tools.settings.ask.threshold:
        return None
    wanted = replace(attempt.wanted, questions=(*attempt.wanted.questions, question))
    return _attempt(turn, chat, found, wanted, None)


def _is_better(new: Attempt, old: Attempt) -> bool:
    """A new attempt takes the old one's place where less of it, or nothing at all, is without a ground.

    One that declines never does. Counting sentences alone would choose a draft that repeats only the doubtful ones.
    """
    if new.verified is None or not new.verified.text or not new.verified.borne:
        return False
    return old.verified is None or new.verified.doubtful == 0 or new.verified.doubtful < old.verified.doubtful
