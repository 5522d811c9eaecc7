"""What answers a question before anything is searched: small talk, an earlier answer, the FAQ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from edu_cli.ask.front.answer_cache import answer_of_corpus
from edu_cli.ask.front.greeting import read_talks, small_talk
from edu_cli.text import fold

if TYPE_CHECKING:
    from edu_cli.ask.front.faq import FaqMatch
    from edu_cli.ask.turn import Turn
    from edu_cli.types import Answer, FaqRecord

_VERBATIM = 0.99  # the probability that match_faq gives to an entry in its own words
_ENDS = "?？!！.。 "


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
        if same := _verbatim(turn.standalone, entries):
            note.detail = f"{same.question} ({_VERBATIM:.2f} by words)"
            return _answer_of(turn, same, _VERBATIM)
        found = _matched(turn, entries) if entries else None
        note.detail = (
            f"{found.entry.question} ({found.probability:.2f} by {found.how})" if found else f"{len(entries)} entries"
        )
    if not found:
        return None
    if not found.accepted:
        turn.trail.near_faq = found.offers(turn.tools.settings.ask.faq_offer)
        return None
    return _answer_of(turn, found.entry, found.probability)


def _verbatim(question: str, entries: Sequence[FaqRecord]) -> FaqRecord | None:
    """The entry that is asked for in its own words: told before what compares other wordings is loaded."""
    wanted = fold(question).strip(_ENDS)
    same = [entry for entry in entries if fold(entry.question).strip(_ENDS) == wanted] if wanted else []
    return min(same, key=lambda entry: entry.faq_id, default=None)


def _matched(turn: Turn, entries: Sequence[FaqRecord]) -> FaqMatch | None:
    from edu_cli.ask.front.faq import FaqEncoder, match_faq

    encode = turn.tools.encode
    encoder = FaqEncoder(encode, turn.tools.encode_kept or encode) if encode else None
    return match_faq(turn.standalone, entries, encoder)


def _answer_of(turn: Turn, entry: FaqRecord, probability: float) -> Answer:
    value = {"id": entry.faq_id, "question": entry.question, "probability": probability}
    return turn.answer(entry.answer, route="faq", mode="faq", confidence=probability, faq=value)
