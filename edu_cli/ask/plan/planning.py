"""Question -> route, kind and strategy; then the questions that are searched for."""

from __future__ import annotations

from dataclasses import dataclass

from edu_cli.ask.front.classify import classify, route_model
from edu_cli.ask.plan.rewrite import general_question, hypothetical, sub_questions
from edu_cli.ask.plan.strategy import Plan, choose_strategy, split_question
from edu_cli.ask.turn import Turn
from edu_cli.errors import ChatError


@dataclass(frozen=True, slots=True)
class Planned:
    """`route` is rag or general; `kind` and `strategy` are for the search that even a general question gets first."""

    route: str
    kind: str | None
    strategy: str | None


@dataclass(frozen=True, slots=True)
class Queries:
    """What is searched for, the question itself first; `passage` is a hypothetical one that searches with it."""

    strategy: str
    questions: tuple[str, ...]
    passage: str = ""


def plan(turn: Turn) -> Planned:
    """Route by flag, rule or classifier; strategy by flag or rule. No LLM is asked."""
    forced = turn.request.route
    route = "general" if forced == "general" else "rag"
    if forced == "auto":
        with turn.trail.step("classify") as note:
            found = classify(turn.standalone, route_model(turn.tools.classifier))
            route = "general" if found.label == "general" else "rag"
            note.detail = f"{found.label}, {found.how}"
    if forced == "general":
        return Planned(route, None, None)
    with turn.trail.step("strategy") as note:
        chosen = _chosen(turn)
        note.detail = f"{chosen.strategy}, {chosen.how}"
    return Planned(route, chosen.kind, chosen.strategy)


def _chosen(turn: Turn) -> Plan:
    wanted = turn.request.strategy.replace("-", "_")
    by_rule = choose_strategy(turn.standalone)
    if wanted == "auto":
        return by_rule
    return Plan(by_rule.kind, wanted, "as asked for")  # type: ignore[arg-type]


def queries(turn: Turn, strategy: str) -> Queries:
    """What the strategy searches for; a rewrite that fails, or lacks its LLM, falls back and is told."""
    question = turn.standalone
    direct = Queries("direct", (question,))
    if strategy == "direct":
        return direct
    with turn.trail.step("rewrite") as note:
        parts = split_question(question) if strategy == "multi_query" else ()
        if parts:
            note.detail = "split by rule"
            return Queries(strategy, (question, *parts))
        if turn.chat is None:
            note.detail = f"{strategy} needs an LLM: searched as it is"
            return direct
        try:
            found = _rewritten(turn, strategy)
        except ChatError as error:
            turn.trail.warn(f"the question was searched as it is, since rewriting it failed: {error.message}")
            return direct
        note.detail = " | ".join(found.questions[1:]) or found.passage[:60]
    if found.strategy == "direct":
        turn.trail.warn("the question was searched as it is, since the model's rewrite could not be used")
    return found


def _rewritten(turn: Turn, strategy: str) -> Queries:
    chat, question = turn.chat, turn.standalone
    if chat is None:
        return Queries("direct", (question,))
    if strategy == "multi_query":
        parts = sub_questions(question, chat, turn.prompt("multi_query"))
        return Queries(strategy, (question, *parts)) if parts else Queries("direct", (question,))
    if strategy == "step_back":
        wider = general_question(question, chat, turn.prompt("step_back"))
        return Queries(strategy, (question, wider)) if wider else Queries("direct", (question,))
    passage = hypothetical(question, chat, turn.prompt("hyde"))
    return Queries(strategy, (question,), passage) if passage else Queries("direct", (question,))
