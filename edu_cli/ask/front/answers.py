"""What answers a question before anything is searched: small talk, an earlier answer, the FAQ."""

from __future__ import annotations

from edu_cli.ask.front.answer_cache import answer_of_corpus
from edu_cli.ask.front.faq import FaqEncoder, match_faq
from edu_cli.ask.front.greeting import read_talks, small_talk
from edu_cli.ask.turn import Turn
from edu_cli.types import Answer


def front(turn: Turn) -> Answer | None:
    """The answer that costs no search, None where there is none. `--route rag` and `general` pass the front by."""
    if turn.request.route in ("rag", "general"):
        return None
    return answer_of_corpus(turn) or _from_faq(turn)


def greeted(turn: Turn) -> Answer | None:
    """The reply to small talk, None to anything else; only where no route was asked for."""
    if turn.request.route != "auto":
        return None
    with turn.trail.step("greeting") as note:
        found = small_talk(turn.request.question, read_talks(turn.prompt("smalltalk", ".toml")))
        note.detail = found[0] if found else "no small talk"
    return turn.answer(found[1], route="greeting", mode="template") if found else None


def _from_faq(turn: Turn) -> Answer | None:
    records, scope = turn.tools.records, turn.request.scope
    if records is None or scope.doc_ids is not None:
        return None
    with turn.trail.step("faq") as note:
        entries = records.faq(scope.tenant, scope.subject)
        found = match_faq(turn.standalone, entries, _faq_encoder(turn)) if entries else None
        note.detail = (
            f"{found.entry.question} ({found.probability:.2f} by {found.how})" if found else f"{len(entries)} entries"
        )
    if not found:
        return None
    if not found.accepted:
        turn.trail.near_faq = found.offers(turn.tools.settings.ask.faq_offer)
        return None
    value = {"id": found.entry.faq_id, "question": found.entry.question, "probability": found.probability}
    return turn.answer(found.entry.answer, route="faq", mode="faq", confidence=found.probability, faq=value)


def _faq_encoder(turn: Turn) -> FaqEncoder | None:
    encode = turn.tools.encode
    return FaqEncoder(encode, turn.tools.encode_kept or encode) if encode else None
