"""Answers for people: the text, its numbered sources, what could not be borne out, and how it was reached."""

from __future__ import annotations

from collections.abc import Sequence

from edu_cli.ask.generation.context import heading
from edu_cli.cli.render import Output
from edu_cli.types import Answer, Leg, Passage

LEGS: tuple[Leg, ...] = ("dense", "sparse", "bm25")
_SUPPORT = {"supported": "", "weak": "（只部分证实）", "unsupported": "（未证实）"}


def show_answer(out: Output, answer: Answer, *, streamed: str, explain: bool) -> None:
    """Prints an answer; `streamed` is what a terminal has already seen of it."""
    if not streamed and answer.answer:
        out.text(answer.answer)
    elif streamed:
        out.text("")
        if answer.answer != streamed.strip():
            out.text(f"\n核对后：\n{answer.answer}" if answer.mode == "generated" else f"\n{answer.answer}")
    show_sources(out, answer)
    if answer.pending_id:
        out.note(f"queued for a teacher: {answer.pending_id} (`edu pending show {answer.pending_id}`)")
    for warning in answer.warnings:
        out.warn(warning)
    if explain:
        _explain(out, answer)


def show_sources(out: Output, answer: Answer) -> None:
    """The cited passages, one a line: `[1] doc › section，第3页`."""
    worst = {"supported": 0, "weak": 1, "unsupported": 2}
    standing: dict[int, str] = {}
    for citation in answer.citations:
        old = standing.get(citation.n, citation.support)
        standing[citation.n] = min(old, citation.support, key=lambda s: worst[s])
    if answer.faq and not standing:
        out.text(f"\n来源：常见问题「{answer.faq['question']}」")
    if not standing:
        return
    out.text("\n来源：")
    for n in sorted(standing):
        pages = [c.page for c in answer.citations if c.n == n and c.page is not None]
        out.text(f"[{n}] {heading(answer.passages[n - 1], pages)}{_SUPPORT[standing[n]]}")


def show_passages(out: Output, passages: Sequence[Passage]) -> None:
    """The passages found, where no answer could be written from them."""
    if passages:
        out.text("找到的资料：")
    for n, passage in enumerate(passages, 1):
        out.text(f"[{n}] {heading(passage)}")


def _explain(out: Output, answer: Answer) -> None:
    strategy = f", strategy {answer.strategy}" if answer.strategy else ""
    out.text(
        ("\n" if answer.answer else "")
        + f"route {answer.route}, mode {answer.mode}{strategy}, confidence {answer.confidence:.2f}"
    )
    if answer.queries:
        out.text("searched: " + " | ".join(answer.queries))
    for step in answer.steps:
        out.text(f"  {step.name:<12} {step.seconds * 1000:8.1f} ms  {step.detail}")
    if answer.passages:
        legs: list[Leg] = [leg for leg in LEGS if any(leg in p.sources for p in answer.passages)]
        rows = [
            (
                str(n),
                heading(p),
                f"{p.score:.3f}",
                *(
                    f"#{p.sources[leg].rank} {p.sources[leg].score:.3f} ({p.sources[leg].share:.0%})"
                    if leg in p.sources
                    else "–"
                    for leg in legs
                ),
            )
            for n, p in enumerate(answer.passages, 1)
        ]
        out.table(("n", "passage", "score", *legs), rows, right=(0, 2))
    if answer.citations:
        out.table(
            ("n", "support", "claim", "quote"), [(str(c.n), c.support, c.claim, c.quote) for c in answer.citations]
        )
    use = answer.llm
    if use.calls:
        out.text(f"LLM {use.model}: {use.calls} calls, {use.prompt_tokens} + {use.completion_tokens} tokens")
