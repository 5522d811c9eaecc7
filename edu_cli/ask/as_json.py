"""Answers as the plain values of the contract's JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from edu_cli.types import Answer, Citation, Passage, Step


def answer_json(answer: Answer) -> dict[str, Any]:
    """The JSON object of `edu ask`."""
    use = answer.llm
    return {
        "schema": 1,
        "question": answer.question,
        "standalone_question": answer.standalone_question,
        "answer": answer.answer,
        "refused": answer.refused,
        "confidence": round(answer.confidence, 4),
        "route": answer.route,
        "kind": answer.kind,
        "strategy": answer.strategy,
        "mode": answer.mode,
        "queries": list(answer.queries),
        "citations": [citation_json(c) for c in answer.citations],
        "passages": [passage_json(n, p) for n, p in enumerate(answer.passages, 1)],
        "faq": dict(answer.faq) if answer.faq else None,
        "session": answer.session,
        "pending_id": answer.pending_id,
        "llm": {
            "model": use.model,
            "calls": use.calls,
            "prompt_tokens": use.prompt_tokens,
            "completion_tokens": use.completion_tokens,
        },
        "steps": [step_json(s) for s in answer.steps],
        "warnings": list(answer.warnings),
        "seconds": answer.seconds,
    }


def step_json(step: Step) -> dict[str, Any]:
    """One step; `prompts` are those that its LLM calls used, as name@version."""
    return {
        "name": step.name,
        "seconds": step.seconds,
        "detail": step.detail,
        "tokens": step.tokens,
        "prompts": list(step.prompts),
    }


def citation_json(citation: Citation) -> dict[str, Any]:
    """One citation."""
    return {
        "n": citation.n,
        "doc": citation.doc,
        "section": list(citation.section),
        "page": citation.page,
        "quote": citation.quote,
        "claim": citation.claim,
        "support": citation.support,
    }


def passage_json(n: int, passage: Passage) -> dict[str, Any]:
    """One passage as it was given to the model, numbered; `queries` are those of several searches that found it."""
    return {
        "n": n,
        "doc": passage.doc,
        "section": list(passage.section),
        "page": passage.page,
        "parent_id": passage.parent_id,
        "score": round(passage.score, 6),
        "text": passage.context,
        "queries": list(passage.queries),
    }
