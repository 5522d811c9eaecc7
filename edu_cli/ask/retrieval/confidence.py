"""Ordered candidates -> the probability that the passages hold the answer.

A logistic model over features of the whole result, fitted with the right passage removed for half of the questions
(bench/fit_confidence.py). Near its training data the number is a probability; on other material it ranks questions, and
`edu eval --calibrate` fits it anew.
"""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

from edu_cli.ask.retrieval.asked import Asked, holds
from edu_cli.ask.retrieval.examine import Examined
from edu_cli.ask.retrieval.ranking import Ranking
from edu_cli.ask.retrieval.reading import log_odds
from edu_cli.ask.retrieval.rerank import Order, by_fusion
from edu_cli.settings import SearchSettings
from edu_cli.text import sentences

_SEEN = 5  # passages that an answer is drawn from
_CROWD = 9  # passages behind the first: many near-equals mean that none stands out
# A question of one term (什么是量子纠缠): a word of it may stand in no passage, however much of the rest (量子, in a
# list of news) does.
_TERM = r"[㐀-鿿a-z0-9+ ]"
_OF_A_TERM = re.compile(
    rf"^(?:请问|请)?(?:什么是|何谓|什么叫做?|为什么会有|(?:解释|介绍|讲讲|说说|说明)(?:一下|下)?)({_TERM}{{2,12}}?)"
    rf"(?:的\w{{2,4}})?[?？。]?$|"
    rf"^((?:(?!的){_TERM}){{2,12}}?)(?<![中里上])(?:是什么(?:意思)?|指的?是什么|的定义(?:是什么)?|有(?:哪些|什么)\w{{2,4}})"
    rf"[?？。]?$"
)
_NAME = re.compile(r"[a-z][a-z0-9]+")  # short-term is no name, nor is 8k
# Of some 1,000 questions of twelve sets that are answered, none has an unknown name of so much weight; from .2 on two
# have, both misspelt (`strange` in what bench/fit_confidence.py tells).
_NAME_WEIGHT = 0.24


def confidence(examined: Examined, order: Order, ranking: Ranking) -> float:
    """0..1; 0 without candidates. The order of the fusion is judged, also where a reader changed it.

    A reader whose probability is a judgement of its own (`Reading.judges`) is believed alone; what another one says of
    the fusion's first passage is a feature beside the rest.
    """
    if not len(order.rows):
        return 0.0
    if order.reading is not None and order.reading.judges and order.probabilities is not None:
        return float(order.probabilities.max())
    model = ranking.confidence if order.probabilities is None else ranking.read_confidence
    return float(1 / (1 + np.exp(-model(confidence_features(examined, order))[0])))


def is_strange(examined: Examined) -> bool:
    """Whether it is asked about something that the material does not know.

    That is one term that stands in no passage of the shortlist, and a word of it in none either; or a name in Latin
    letters that nothing in the corpus holds.
    """
    asked = examined.asked
    named = zip(asked.words, asked.weights.tolist(), asked.missing.tolist(), strict=True)
    if any(missing and weight >= _NAME_WEIGHT and _NAME.fullmatch(word) for word, weight, missing in named):
        return True
    match = _OF_A_TERM.match(asked.folded)
    if not match:
        return False
    term = (match[1] or match[2]).strip()
    texts = (*examined.evidence.texts, *examined.evidence.headings)
    missing = [word for word in asked.words if word in term and not any(holds(text, word) for text in texts)]
    return bool(missing) and not any(holds(text, term) for text in texts)


def calibrated(sure: float, settings: SearchSettings) -> float:
    """The confidence with the project's own correction of its log odds; none by default, and none of certainties."""
    if not 0 < sure < 1 or (settings.confidence_scale, settings.confidence_shift) == (1.0, 0.0):
        return sure
    log_odds = settings.confidence_scale * np.log(sure / (1 - sure)) + settings.confidence_shift
    return float(1 / (1 + np.exp(-log_odds)))


def confidence_features(examined: Examined, order: Order) -> dict[str, float]:
    """What the confidence is judged by, by name: the first passage of the fusion, its first five, and the question."""
    rows = by_fusion(examined).rows if order.reranked else order.rows
    first, seen = rows[0], rows[:_SEEN]
    weighed = examined.weighed.scores
    others = np.sort(np.delete(weighed, first))[::-1]
    features = {
        "first_score": float(weighed[first]),
        "crowd": float(others[:_CROWD].mean()) if len(others) else 0.0,
        "seen_several": float(np.nan_to_num(examined.evidence.column("several"))[seen].max()),
        "strange": float(is_strange(examined)),
    }
    features |= {f"question_{name}": value for name, value in examined.profile.items()}
    return features | _words(examined, seen) | _read(order, seen)


def _words(examined: Examined, seen: npt.NDArray[np.intp]) -> dict[str, float]:
    """The most words in neighbouring sentences of a passage seen; the Latin ones (names, most of them) in none."""
    asked, evidence = examined.asked, examined.evidence
    texts = [text for i in seen for text in (evidence.texts[i], evidence.headings[i])]
    weighed = zip(asked.words, asked.weights.tolist(), strict=True)
    names = [(word, weight) for word, weight in weighed if word.isascii() and not word.isdigit()]
    return {
        "seen_neighbours": max(_in_neighbours(asked, evidence.texts[i]) for i in seen),
        "unheard": float(sum(weight for name, weight in names if not any(name in text for text in texts))),
    }


def _in_neighbours(asked: Asked, text: str) -> float:
    """The greatest weight of the question's words that two neighbouring sentences of a plain text hold."""
    spans = sentences(text)
    if not spans or not asked.words:
        return 0.0
    held = np.stack([asked.held(text[start:end]) for start, end in spans])
    pairs = held[:-1] | held[1:] if len(held) > 1 else held
    return float((pairs @ asked.weights).max())


def _read(order: Order, seen: npt.NDArray[np.intp]) -> dict[str, float]:
    """What a reader says, in log odds: of the fusion's first passage, and of the likeliest of those seen."""
    if order.probabilities is None:
        return {}
    said = log_odds(order.probabilities[seen])
    return {"read_first": float(said[0]), "read_seen": float(said.max())}
