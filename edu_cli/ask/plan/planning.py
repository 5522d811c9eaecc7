"""Question -> route, kind and strategy; then the questions that are searched for."""

from __future__ import annotations

from dataclasses import dataclass

from edu_cli.ask.front.classify import QuestionVectors, classify, route_model
from edu_cli.ask.plan.choice import route_by_llm, strategy_by_llm
from edu_cli.ask.plan.follow_up import points_at_nothing
from edu_cli.ask.plan.rewrite import general_question, hypothetical, sub_questions
from edu_cli.ask.plan.strategy import MOST_PARTS, Plan, choose_strategy, searched_parts, split_question
from edu_cli.ask.trail import CountedChat
from edu_cli.ask.turn import Turn
from edu_cli.errors import ChatError

_LOOKED_AT_FIRST = "; the material is looked at first"
_IN_DOUBT = "; in doubt, so the LLM decides where the material has no answer"


@dataclass(frozen=True, slots=True)
class Planned:
    """`route` is rag or general; `kind` and `strategy` are for the search that even a general question gets first.

    `doubtful`: the classifier holds the question more likely general than not, but not surely enough to treat it so.
    """

    route: str
    kind: str | None
    strategy: str | None
    doubtful: bool = False


@dataclass(frozen=True, slots=True)
class Queries:
    """What is searched for, the question itself first; `passage` is a hypothetical one that searches with it."""

    strategy: str
    questions: tuple[str, ...]
    passage: str = ""


def plan(turn: Turn) -> Planned:
    """Route by flag, rule or classifier; strategy by flag or rule, by the LLM where the rules are in doubt."""
    forced, doubtful = turn.request.route, False
    route = "general" if forced == "general" else "rag"
    if forced == "auto":
        with turn.trail.step("classify") as note:
            found = classify(turn.standalone, route_model(turn.tools.classifier), _vectors(turn))
            route = "general" if found.label == "general" else "rag"
            # a rule is sure; of the classifier's `course`, `probability` is that it is one
            doubtful = route == "rag" and found.probability <= 0.5 and turn.chat is not None
            note.detail = f"{found.label}, {found.how}" + _LOOKED_AT_FIRST * (route == "general") + _IN_DOUBT * doubtful
    if forced == "general":
        return Planned(route, None, None)
    if points_at_nothing(turn.standalone):
        turn.trail.warn("the question does not name what it is about: name it, or go on with a conversation (-c)")
    with turn.trail.step("strategy") as note:
        chosen = _chosen(turn, turn.chat if route == "rag" else None)
        note.detail = f"{chosen.strategy}, {chosen.how}"
        if needs_llm(turn.standalone, chosen.strategy) and (turn.chat is None or route == "general"):
            why = "that needs an LLM" if turn.chat is None else "it is only a look"
            note.detail += f"; searched as it is, since {why}"
    return Planned(route, chosen.kind, chosen.strategy, doubtful)


def _vectors(turn: Turn) -> QuestionVectors | None:
    tools = turn.tools
    return QuestionVectors(tools.encoder, tools.encode) if tools.encoder and tools.encode else None


def _chosen(turn: Turn, chat: CountedChat | None) -> Plan:
    """By flag or rule; where the rules are in doubt, by `chat` if it is given."""
    wanted = turn.request.strategy.replace("-", "_")
    by_rule = choose_strategy(turn.standalone)
    if wanted != "auto":
        return Plan(by_rule.kind, wanted, "as asked for")  # type: ignore[arg-type]
    if not by_rule.doubtful or chat is None:
        return by_rule
    try:
        found = strategy_by_llm(turn.standalone, chat, turn.prompt("strategy"))
    except ChatError as error:
        turn.trail.warn(f"the strategy was chosen by rule, since the model failed: {error.message}")
        return by_rule
    if found is None:
        turn.trail.warn("the strategy was chosen by rule, since the model's choice could not be used")
        return by_rule
    return Plan(by_rule.kind if found != "direct" else "precise", found, f"LLM; {by_rule.how}")


def is_general_after_all(turn: Turn, planned: Planned) -> bool:
    """Whether the LLM takes a doubtful question, which the material does not answer, for one of general knowledge."""
    if not planned.doubtful or turn.chat is None:
        return False
    with turn.trail.step("classify") as note:
        try:
            route = route_by_llm(turn.standalone, turn.chat, turn.prompt("route"))
        except ChatError as error:
            turn.trail.warn(
                f"a doubtful question counts as one about the course, since the model failed: {error.message}"
            )
            route = None
        note.detail = f"{route or 'course'}, LLM"
    return route == "general"


def needs_llm(question: str, strategy: str) -> bool:
    """Whether the strategy's rewrites cannot be made by rule."""
    return strategy in ("hyde", "step_back") or (strategy == "multi_query" and not split_question(question))


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
            if len(parts) > MOST_PARTS:
                turn.trail.warn(f"{len(parts)} questions at once: the first {MOST_PARTS} were looked for")
            return Queries(strategy, (question, *searched_parts(parts[:MOST_PARTS])))
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
