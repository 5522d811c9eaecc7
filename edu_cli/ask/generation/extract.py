"""Question + passages -> the sentences that answer it, verbatim, with their numbers: an answer without any LLM."""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from edu_cli.ask.generation.extract_features import NAMES, features
from edu_cli.ask.generation.question_type import asked_kind
from edu_cli.ask.generation.units import Unit, in_full, units
from edu_cli.ask.verification.terms import grams, plain
from edu_cli.types import Citation, Passage

_MODEL = Path(__file__).with_name("extract_model.json")  # written by train/fit_extract.py
_LEAST_SHARED = 0.12  # of the question's weight: a sentence below it is passed over for one above


@dataclass(frozen=True, slots=True)
class Model:
    """A linear score per sentence, made a probability over all of a question's sentences.

    Sentences are taken, best first, until their probabilities reach `enough`: at most `most`, none below `least` or
    below `share` of the best one's.
    """

    mean: tuple[float, ...]
    scale: tuple[float, ...]
    weights: tuple[float, ...]
    enough: float
    least: float
    share: float
    most: int


@dataclass(frozen=True, slots=True)
class Extract:
    """A piece of passage `n` (from 1), verbatim, with its probability of holding the answer."""

    n: int
    start: int
    text: str
    probability: float


def extract(question: str, passages: Sequence[Passage]) -> list[Extract]:
    """The pieces that answer `question`, best first; [] where there is no passage with text."""
    found = [u for n, p in enumerate(passages, 1) for u in units(p.context, n, headings=(p.title, *p.section))]
    if not found:
        return []
    model = load_model()
    titles = [" ".join((p.title, *p.section)) for p in passages]
    rows = features(question, [u.shown for u in found], [u.n for u in found], titles)
    scores = (rows - np.array(model.mean)) / np.array(model.scale) @ np.array(model.weights)
    shared = rows[:, NAMES.index("coverage_with_title")]
    if shared.max() >= _LEAST_SHARED:
        scores[shared < _LEAST_SHARED] = -np.inf
    else:  # found by meaning, in other words throughout: the best passage is all there is to go by
        scores[[u.n > 1 for u in found]] = -np.inf
    odds = np.exp(scores - scores.max())
    return _chosen(question, found, odds / odds.sum(), passages)


def extract_parts(question: str, parts: Sequence[str], passages: Sequence[Passage]) -> list[Extract]:
    """As `extract`, for a question in parts: the best piece for each, or the whole's where one piece answers all."""
    whole = extract(question, passages)
    best = [found[0] for part in parts if (found := extract(part, passages))]
    if len({(e.n, e.start) for e in best}) < 2:
        return whole
    taken: list[Extract] = []
    for piece in best:
        if not any(_repeats(piece.text, other.text) for other in taken):
            taken.append(piece)
    return taken


@functools.cache
def load_model() -> Model:
    """The bundled coefficients."""
    raw = json.loads(_MODEL.read_text(encoding="utf-8"))
    if raw["names"] != list(NAMES):
        raise ValueError(f"{_MODEL.name} was fitted for other features; run train/fit_extract.py")
    mean, scale, weights = (tuple(raw[name]) for name in ("mean", "scale", "weights"))
    return Model(mean, scale, weights, raw["enough"], raw["least"], raw["share"], raw["most"])


def _chosen(
    question: str, found: Sequence[Unit], probabilities: npt.NDArray[np.float64], passages: Sequence[Passage]
) -> list[Extract]:
    model = load_model()
    wants_list = asked_kind(plain(question)) in ("list", "how")
    order = sorted(range(len(found)), key=lambda i: (-probabilities[i], i))
    taken: list[Extract] = []
    sum_taken = 0.0
    for i in order[: model.most]:
        least = max(model.least, model.share * float(probabilities[order[0]]))
        if taken and (sum_taken >= model.enough or probabilities[i] < least):
            break
        unit = in_full(found[i], found, passages[found[i].n - 1].context, wants_list=wants_list)
        sum_taken += float(probabilities[i])
        if not any(_repeats(unit.text, other.text) for other in taken):
            taken.append(Extract(unit.n, unit.start, unit.shown, round(float(probabilities[i]), 4)))
    return taken


def _repeats(text: str, other: str) -> bool:
    mine, theirs = grams(text), grams(other)
    return len(mine & theirs) >= 0.9 * len(mine)


def as_answer(extracts: Sequence[Extract]) -> str:
    """The pieces in reading order, each followed by its `[n]`."""
    return "\n".join(f"{e.text}[{e.n}]" for e in _in_order(extracts))


def citations_of(extracts: Sequence[Extract], passages: Sequence[Passage]) -> tuple[Citation, ...]:
    """What each piece cites: itself, so each is supported."""
    cited = ((e, passages[e.n - 1]) for e in _in_order(extracts))
    return tuple(Citation(e.n, p.doc, p.section, p.page, e.text, e.text, "supported") for e, p in cited)


def _in_order(extracts: Sequence[Extract]) -> list[Extract]:
    return sorted(extracts, key=lambda e: (e.n, e.start))
