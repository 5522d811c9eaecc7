"""Answers for people: the text, its numbered sources, what could not be borne out, and how it was reached."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from edu_cli.ask.as_json import passage_json
from edu_cli.ask.generation.context import heading
from edu_cli.ask.generation.phrases import language
from edu_cli.ask.turn import UnansweredError
from edu_cli.cli.visible import safe

if TYPE_CHECKING:
    from edu_cli.cli.render import Output
    from edu_cli.errors import EduError
    from edu_cli.types import Answer, Leg, Passage

LEGS: tuple[Leg, ...] = ("dense", "sparse", "bm25")
# What stands beside an answer is in the language of its question; --explain is about edu, and in English like --help.
_WORDS = {
    "zh": {
        "sources": "来源：",
        "web": "来源（网络，不是课程资料）：",
        "faq": "来源：常见问题「{}」",
        "checked": "核对后：",
        "found": "找到的资料：",
        "weak": "（只部分证实）",
        "unsupported": "（未证实）",
    },
    "en": {
        "sources": "Sources:",
        "web": "Sources (the web, not the material):",
        "faq": 'Source: the FAQ entry "{}"',
        "checked": "After checking:",
        "found": "Found in the material:",
        "weak": " (borne out in part)",
        "unsupported": " (not borne out)",
    },
}


def failure_json(error: EduError, question: str) -> dict[str, Any]:
    """The JSON object of a question that failed; with the passages that were found, where the LLM was to answer it."""
    told = {"code": error.code, "message": safe(error.message), "hint": safe(error.hint)}
    failed: dict[str, Any] = {"schema": 1, "error": told, "question": question}
    if isinstance(error, UnansweredError):
        failed["passages"] = [passage_json(n, p) for n, p in enumerate(error.passages, 1)]
    return failed


def show_answer(out: Output, answer: Answer, *, streamed: str, explain: bool) -> None:
    """Prints an answer; `streamed` is what a terminal has already seen of it."""
    words = _WORDS[language(answer.question)]
    if not streamed and answer.answer:
        out.text(_unmarked(answer.answer) if _is_quoted(answer) else answer.answer)
    elif streamed:
        out.text("")
        if answer.answer != streamed.strip():
            checked = f"{words['checked']}\n" if answer.mode == "generated" else ""
            out.text(f"\n{checked}{answer.answer}")
    show_sources(out, answer)
    if answer.pending_id:
        out.note(f"queued for a teacher: {answer.pending_id} (`edu pending show {answer.pending_id}`)")
    for warning in answer.warnings:
        out.warn(warning)
    if explain:
        _explain(out, answer)


def _is_quoted(answer: Answer) -> bool:
    """Whether the text is the material's own, also where it was kept from another time."""
    cited = answer.citations
    return answer.mode in ("extractive", "faq") or (bool(cited) and all(c.claim == c.quote for c in cited))


def _unmarked(text: str) -> str:
    if not any(mark in text for mark in "*[#<"):
        return text
    from edu_cli.cli.unmarked import unmarked

    return unmarked(text)


def show_sources(out: Output, answer: Answer) -> None:
    """The cited passages, one a line: `[1] doc › section，第3页`."""
    spoken = language(answer.question)
    words, best = _WORDS[spoken], {"supported": 0, "weak": 1, "unsupported": 2}
    standing: dict[int, str] = {}
    for citation in answer.citations:
        old = standing.get(citation.n, citation.support)
        standing[citation.n] = min(old, citation.support, key=lambda s: best[s])
    if answer.faq and not standing:
        out.text("\n" + words["faq"].format(answer.faq["question"]))
    if not standing:
        return
    out.text(f"\n{words['web' if answer.route == 'web' else 'sources']}")
    for n in sorted(standing):
        pages = [c.page for c in answer.citations if c.n == n and c.page is not None]
        out.text(f"[{n}] {heading(answer.passages[n - 1], pages, spoken)}{words.get(standing[n], '')}")


def show_passages(out: Output, passages: Sequence[Passage], question: str) -> None:
    """The passages found, where no answer could be written from them."""
    spoken = language(question)
    if passages:
        out.text(_WORDS[spoken]["found"])
    for n, passage in enumerate(passages, 1):
        out.text(f"[{n}] {heading(passage, language=spoken)}")


def _explain(out: Output, answer: Answer) -> None:
    strategy = f", strategy {answer.strategy}" if answer.strategy else ""
    out.text(
        ("\n" if answer.answer else "")
        + f"route {answer.route}, mode {answer.mode}{strategy}, confidence {answer.confidence:.2f}"
    )
    if answer.standalone_question != answer.question:
        out.text(f"understood as: {answer.standalone_question}")
    for n, query in enumerate(answer.queries, 1):
        out.text(f"searched for {n}: {query}")
    for step in answer.steps:
        tokens = f" ({step.tokens} tokens, {', '.join(step.prompts)})" if step.prompts else ""
        out.text(f"  {step.name:<12} {step.seconds * 1000:8.1f} ms  {step.detail}{tokens}")
    if answer.passages:
        _explain_passages(out, answer)
    if answer.citations:
        out.table(
            ("n", "support", "claim", "quote"), [(str(c.n), c.support, c.claim, c.quote) for c in answer.citations]
        )
    use = answer.llm
    if use.calls:
        out.text(f"LLM {use.model}: {use.calls} calls, {use.prompt_tokens} + {use.completion_tokens} tokens")


def _explain_passages(out: Output, answer: Answer) -> None:
    """A row a passage: the rank, score and share of each leg, and the queries that it was found by."""
    legs: list[Leg] = [leg for leg in LEGS if any(leg in p.sources for p in answer.passages)]
    several = any(p.queries for p in answer.passages)
    rows = []
    for n, passage in enumerate(answer.passages, 1):
        held = [
            f"#{one.rank} {one.score:.3f} ({one.share:.0%})" if (one := passage.sources.get(leg)) else "–"
            for leg in legs
        ]
        found_by = ", ".join(str(q) for q, query in enumerate(answer.queries, 1) if query in passage.queries)
        row = (str(n), heading(passage, language="en"), f"{passage.score:.3f}", *held)
        rows.append((*row, found_by) if several else row)
    headers = ("n", "passage", "score", *legs, *(("found by",) if several else ()))
    out.table(headers, rows, right=(0, 2))
