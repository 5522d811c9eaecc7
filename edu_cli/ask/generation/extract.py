"""Question + passages -> the sentences that answer it, verbatim, with their numbers: an answer without any LLM."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from edu_cli.ask.generation.choose import choose
from edu_cli.ask.generation.compare import comparing, names_one, passages_of
from edu_cli.ask.generation.context import page_of
from edu_cli.ask.generation.extract_features import NAMES, Features, features
from edu_cli.ask.generation.extract_model import Floats, Model, closest, load_model, read_odds, reading_model
from edu_cli.ask.generation.list_first import COUNTED, with_list_first
from edu_cli.ask.generation.pieces import pieces
from edu_cli.ask.generation.question_type import asked_kind, is_of_another
from edu_cli.ask.generation.quotable import headed_as, quotable
from edu_cli.ask.generation.units import Unit, units
from edu_cli.ask.generation.whole import in_full, is_beside, joined
from edu_cli.ask.verification.terms import coverage, grams, plain
from edu_cli.protocols import Reranker
from edu_cli.types import Citation, Passage

_LEAST_SHARED = 0.12  # of the question's weight: a sentence below it is passed over for one above
_STOPPED = re.compile(r"[。！？!?.][”’」』）)]*\s*$")
_PART_SHARED = 0.5  # of a part's grams
_SHEETS = (".csv", ".tsv", ".xlsx")
_OF_EACH = 2  # pieces on one of the things that are compared


@dataclass(frozen=True, slots=True)
class Extract:
    """A piece of passage `n` (from 1), verbatim, with its probability of holding the answer."""

    n: int
    start: int
    text: str
    probability: float


def extract(question: str, passages: Sequence[Passage], reader: Reranker | None = None) -> list[Extract]:
    """The pieces that answer `question`, best first; [] without text, or where none names whose detail is asked for.

    A `reader` that coefficients were fitted for reads the likeliest pieces. Raises what its scoring raises.
    """
    if is_of_another(question, [" ".join((p.title, *p.section, p.context)) for p in passages]):
        return []
    found = [unit for n, passage in enumerate(passages, 1) for unit in _units(passage, n)]
    if not found:
        return []
    quoted = quotable(question, passages, found)
    places = [" › ".join(dict.fromkeys(part for part in (p.title, *p.section) if part)) for p in passages]
    said, owners = [u.shown for u in quoted], [u.n for u in quoted]
    rows = features(question, said, owners, places)
    model = reading_model(reader.name) if reader else None
    if reader and model:
        scores = _read(question, said, [places[n - 1] for n in owners], rows, reader, model)
    else:
        model = load_model()
        scores = _sharing(rows, owners, model.scores(rows))
    odds = np.exp(scores - scores.max())
    probabilities = odds / odds.sum()
    covered = rows[:, NAMES.index("coverage")]
    chosen = choose(question, said, owners, covered, probabilities, model.rule)
    headed = headed_as(question, passages)
    chosen = with_list_first(question, chosen, quoted, probabilities, places, headed, model.rule.share)
    return _whole_pieces(question, found, [(quoted[i], float(probabilities[i])) for i in chosen], passages)


def _units(passage: Passage, n: int) -> list[Unit]:
    is_entry = passage.doc.lower().endswith(_SHEETS)
    return units(passage.context, n, headings=(passage.title, *passage.section), is_entry=is_entry)


def _sharing(rows: Features, owners: Sequence[int], scores: Floats) -> Floats:
    """The scores of the pieces that share words with the question; the rest are ruled out."""
    shared = rows[:, NAMES.index("coverage_with_title")]
    if shared.max() >= _LEAST_SHARED:
        return np.where(shared < _LEAST_SHARED, -np.inf, scores)
    # found by meaning, in other words throughout: the best passage is all there is to go by
    return np.where(np.array(owners) > min(owners), -np.inf, scores)


def _read(
    question: str, said: Sequence[str], places: Sequence[str], rows: Features, reader: Reranker, model: Model
) -> Floats:
    """The scores of the pieces that the reader was shown; the rest are ruled out."""
    close = closest(load_model().scores(rows))
    read = read_odds(reader, question, [places[i] for i in close], [said[i] for i in close])
    scores = np.full(len(said), -np.inf)
    scores[close] = model.scores(np.column_stack([rows[close], read]))
    return scores


def extract_parts(
    question: str,
    parts: Sequence[str],
    passages: Sequence[Passage],
    things: Sequence[str] = (),
    reader: Reranker | None = None,
    orders: Mapping[str, Sequence[int]] | None = None,
) -> list[Extract]:
    """As `extract`, for a question in parts: the best piece for each, or the whole's where one piece answers all.

    Parts that were searched for by themselves have the numbers of their passages in `orders`, best first, and are all
    that is answered.

    Of `things` that are compared, what sets them side by side goes before, and a piece for one of them names it.

    A part that cannot be understood alone ("各占多少？") has no piece of its own: what is found for it must share half
    of its words, or `about` as many of the whole question's as the best piece does.
    """
    if things and (pieces := comparing(things, passages)):
        return [Extract(piece.n, piece.start, piece.shown, 1.0) for piece in pieces]
    if things and (found := _of_each(things, passages, reader)):
        return found
    if orders:
        return _apart([piece for part in orders for piece in _of_some(part, orders[part], passages, reader)[:_OF_EACH]])
    whole = extract(question, passages, reader)
    found = [(part, piece) for part in parts for piece in extract(part, passages, reader)[:1]]
    if things:
        found = [(part, piece) for part, piece in found if names_one(piece.text, things)]
    least = load_model().rule.about * _share(question, whole[0]) if whole else 0.0
    best = [piece for part, piece in found if _share(part, piece) >= _PART_SHARED or _share(question, piece) >= least]
    if len({(e.n, e.start) for e in best}) < 2:
        return whole
    return _apart(best)


def _apart(pieces: Sequence[Extract]) -> list[Extract]:
    """The pieces without those that another, before them, holds."""
    taken: list[Extract] = []
    for piece in pieces:
        if not any(_repeats(piece.text, other.text) for other in taken):
            taken.append(piece)
    return taken


def _of_some(
    question: str, numbers: Sequence[int], passages: Sequence[Passage], reader: Reranker | None
) -> list[Extract]:
    """What answers a question from some of the passages, by their numbers (from 1)."""
    found = extract(question, [passages[n - 1] for n in numbers], reader)
    return [replace(piece, n=numbers[piece.n - 1]) for piece in found]


def _of_each(things: Sequence[str], passages: Sequence[Passage], reader: Reranker | None) -> list[Extract]:
    """The best pieces on each of the things from what stands under its own heading; [] where one has none."""
    taken: list[Extract] = []
    for thing in things:
        numbers = passages_of(thing, [other for other in things if other != thing], passages)
        found = _of_some(f"{thing}是什么，有什么特点？", numbers, passages, reader)[:_OF_EACH]
        if not found:
            return []
        taken += found
    return taken


def _whole_pieces(
    question: str, found: Sequence[Unit], chosen: Sequence[tuple[Unit, float]], passages: Sequence[Passage]
) -> list[Extract]:
    asked = plain(question)
    kind = asked_kind(asked)
    wants_list, wants_steps = kind == "list" or bool(COUNTED.search(asked)), kind in ("how", "why")
    items = [one.n for one, _ in chosen if one.is_item]
    taken: list[tuple[Unit, float]] = []
    for one, probability in chosen:
        context, is_of_list = passages[one.n - 1].context, one.is_item and items.count(one.n) > 1
        wants = {"wants_list": wants_list or is_of_list, "wants_steps": wants_steps, "wants_name": kind == "who"}
        unit = in_full(one, found, context, **wants)
        same = next((at for at, (other, _) in enumerate(taken) if is_beside(unit, other)), None)
        if same is not None:
            taken[same] = (joined(taken[same][0], unit, context), taken[same][1])
        elif not any(_repeats(unit.text, other.text) for other, _ in taken):
            taken.append((unit, probability))
        if (wants_list or wants_steps) and (one.is_of_list or one.is_lead) and taken[0][0].end > one.end:
            break  # the list is the answer
    return [Extract(unit.n, unit.start, unit.shown, round(probability, 4)) for unit, probability in taken]


def _share(question: str, piece: Extract) -> float:
    return coverage(grams(question), grams(piece.text))


def _repeats(text: str, other: str) -> bool:
    mine, theirs = grams(text), grams(other)
    return len(mine & theirs) >= 0.9 * len(mine)


def as_answer(extracts: Sequence[Extract]) -> str:
    """The pieces in reading order, each followed by its `[n]`; a sentence that the source wraps stands on one line."""
    return "\n".join(_marked(_unwrapped(e.text), e.n) for e in _in_order(extracts))


def _marked(text: str, n: int) -> str:
    """`text` with the mark where it reads well: not on the fence of a block, nor on the edge of a table."""
    space = "\n" if text.endswith(("```", "~~~")) else " " if text.endswith("|") else ""
    return f"{text}{space}[{n}]"


def _unwrapped(text: str) -> str:
    said = ((text[piece.start : piece.end], piece.kind) for piece in pieces(text))
    # what ends without a full stop may be the lines of a board, whose breaks mean something
    return "".join(
        re.sub(r"\n(?=.)", " ", part) if kind == "sentence" and _STOPPED.search(part) else part for part, kind in said
    )


def citations_of(extracts: Sequence[Extract], passages: Sequence[Passage]) -> tuple[Citation, ...]:
    """What each piece cites: itself, so each is supported."""
    cited = ((e, passages[e.n - 1]) for e in _in_order(extracts))
    return tuple(Citation(e.n, p.doc, p.section, page_of(p, e.text), e.text, e.text, "supported") for e, p in cited)


def _in_order(extracts: Sequence[Extract]) -> list[Extract]:
    return sorted(extracts, key=lambda e: (e.n, e.start))
