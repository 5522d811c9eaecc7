"""Sentences with probabilities -> those that are quoted: the best, and others where they are about the question."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from edu_cli.ask.verification.terms import plain

_ORDINAL = re.compile(r"第[一二三四五六七八九十百\d]+")
_NAMED = re.compile(r"[a-z0-9_+#.]*[a-z0-9_+#]")
_TERM = re.compile(
    r"^(?:请问)?(?:什么是|何谓|什么叫做?)([^?？，。]{2,20})[?？。]?$|"
    r"^([^?？，。的]{2,20}?)(?:是什么|是指什么|指的是什么|是什么意思|的定义(?:是什么)?)[?？。]?$"
)
# A sentence that opens with the term asked about defines it: of 13 questions of the sets of train/fit_extract.py where
# another sentence was likelier, it was the right one in 12; in the last its odds were under 1:200.
_TERM_ODDS = 0.02
_GLOSS = re.compile(r"[（(][^）)]*[）)]|[\W_]")
_LEAST_MORE = 5  # characters after the term
# "元组是…", "在 Python 语言中，元组也是…": of 7 such questions where another sentence was likelier, this one was
# right in 6 and the other in none, whatever the odds
_DEFINES = r"(?:[^，,。；;]{{1,20}}[，,]\s*)?{term}(?:[（(][^）)]*[）)])?[也就则]?(?:是|指|即|称为|叫)"


@dataclass(frozen=True, slots=True)
class Rule:
    """Sentences are taken, best first, until their probabilities reach `enough`, `most` at the most.

    None is taken below `least` or below `share` of the best one's probability, nor, from another passage, with less
    than `about` of the weight of the question's words that the best one has. Values: train/fit_extract.py.
    """

    enough: float
    least: float
    share: float
    most: int
    about: float


def choose(
    question: str,
    sentences: Sequence[str],
    owners: Sequence[int],
    shared: npt.NDArray[np.float64],
    probabilities: npt.NDArray[np.float64],
    rule: Rule,
) -> list[int]:
    """Indexes of the quoted sentences, best first.

    `owners` are the sentences' passages, `shared` their shares of the question's words. The best is the likeliest,
    unless one close behind it names more of what the question names: asked about 第三范式, not a sentence of 第一范式.
    One that defines the term asked about is quoted with sentences of its own passage only.
    """
    order = sorted(range(len(sentences)), key=lambda i: (-probabilities[i], i))[: rule.most]
    least = max(rule.least, rule.share * float(probabilities[order[0]]))
    asked = plain(question)
    defining = _defining(asked, sentences, probabilities)
    best = order[0] if defining is None else defining
    ordinals = {i: _said(_ORDINAL, asked, sentences[i]) for i in {best, *order}}
    names = {i: _said(_NAMED, asked, sentences[i]) for i in {best, *order}}
    for i in order[1:] if defining is None else ():
        if probabilities[i] >= least and ordinals[i] | names[i] > ordinals[best] | names[best]:
            best = i
    taken = [best]
    for i in order if defining is None else [i for i in order if owners[i] == owners[best]]:
        if probabilities[taken].sum() >= rule.enough or probabilities[i] < least:
            break
        is_near = owners[i] == owners[best]
        about = is_near or (shared[i] >= rule.about * shared[best] and names[i] >= names[best])
        if i != best and about and ordinals[i] >= ordinals[best]:
            taken.append(i)
    return taken


def says_what(term: str) -> re.Pattern[str]:
    """A sentence, `plain`, that says what a term is: 元组是…, 在 Python 语言中，元组也是…."""
    return re.compile(_DEFINES.format(term=re.escape(term)))


def _defining(asked: str, sentences: Sequence[str], probabilities: npt.NDArray[np.float64]) -> int | None:
    """The likeliest sentence that opens with the term whose meaning is asked for or says what it is, if any."""
    match = _TERM.match(asked)
    if not match:
        return None
    term, least = (match[1] or match[2]).strip(), _TERM_ODDS * float(probabilities.max())
    told = [re.sub(r"^[\W\d_]+", "", plain(text)) for text in sentences]
    defines = says_what(term)
    found = [
        i
        for i, text in enumerate(told)
        if (_opens_with(text, term) and probabilities[i] >= least) or (probabilities[i] > 0 and defines.match(text))
    ]
    return max(found, key=lambda i: float(probabilities[i]), default=None)


def _opens_with(text: str, term: str) -> bool:
    """Whether a text opens with a term and goes on to say something: 梯度消失问题（vanishing gradient）does not."""
    return text.startswith(term) and len(_GLOSS.sub("", text)) >= len(term) + _LEAST_MORE


def _said(pattern: re.Pattern[str], asked: str, sentence: str) -> frozenset[str]:
    """What the question names that the sentence says."""
    said = plain(sentence)
    return frozenset(name for name in pattern.findall(asked) if name in said)
