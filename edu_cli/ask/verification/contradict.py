"""What in a claim the passage speaks against, or lacks though it must have it: numbers, names, denials, quotations.

The rules and constants were chosen by bench/verify.py on the halves of tests/data/claims.json that are not kept.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from edu_cli.ask.verification import facts, polarity
from edu_cli.ask.verification.alignment import misplaced
from edu_cli.ask.verification.amounts import numbers_against
from edu_cli.ask.verification.clauses import clauses_of, core, likeness, plain_lines
from edu_cli.ask.verification.denials import denial_against
from edu_cli.ask.verification.terms import grams, plain

_SAME_WORDS = 0.65  # of two clauses' grams, for one to be the other affirmed or denied
_CLEARLY = 0.1
_SAME_REST = 0.8  # of a clause without its subject, for two clauses to say the same
_ALIGNED = 0.5  # two clauses are about the same when this share of the shorter one's grams is in the other
_SHORT_QUOTE = 6  # a term in quotation marks may be the writer's own emphasis
_ALWAYS = re.compile(r"一律|一概|任何情况|所有情况|无一例外|毫无例外|\b(?:always|never|in all cases)\b")
_EXCEPT = re.compile(r"但|除外|例外|除非|\b(?:but|except|unless|however)\b")
# a line break ends a sentence where it ends a paragraph or an item's line; else the page's width may have put it there
_SENTENCE = re.compile(r"[。！？!?]|\n\s*\n|(?<=[。；;：:|])\n|\n(?=\s*(?:[-*•#|（(]|\d+[.、)）]))")


def contradiction(claim: str, passage: str, window: str, heading: str = "") -> str:
    """What in `claim` the passage (its `window` above all) speaks against or lacks though it must have it; else ""."""
    for quote in facts.quotes(claim):
        if not facts.is_verbatim(quote, passage + heading) and len(plain(quote)) >= _SHORT_QUOTE:
            return f"the quotation “{quote}” does not stand in the passage"
    said, source = polarity.bounds(plain(claim)), plain(f"{heading}\n{passage}")
    missing = {name for name in facts.names(claim) if name not in source and name.removesuffix("s") not in source}
    if missing:
        return f"the passage has no {sorted(missing)[0]}"
    clauses = clauses_of(plain_lines(f"{heading}\n{passage}"))
    near = clauses_of(plain_lines(window))
    by_sentence = [clauses_of(plain_lines(part)) for part in _SENTENCE.split(window)]
    return (
        numbers_against(said, clauses)
        or _polarity_against(said, clauses)
        or denial_against(said, near)
        or _of_another_subject(said, by_sentence)
        or _without_exception(said, window)
    )


def _polarity_against(said: str, clauses: Sequence[str]) -> str:
    """A clause of the claim whose nearest clause of the passage says the opposite."""
    for clause in clauses_of(said):
        mine = core(clause)
        if len(mine) < 2:
            continue
        about = [c for c in clauses if len(mine & core(c)) >= 2]
        if polarity.turned(clause, about) or polarity.exchanged(clause, about) or _nearest_denies(clause, clauses):
            return "the passage says the opposite"
        near = sorted(((likeness(mine, core(c)), c) for c in clauses), reverse=True)[:3]
        near = [(score, c) for score, c in near if score >= max(_ALIGNED, near[0][0] - 0.1)]
        if near and all(polarity.opposed(clause, c) for _, c in near):
            return "the passage says the opposite"
        word = misplaced(clause, clauses)
        if word:
            return f"the passage has “{word}” there"
    return ""


def _nearest_denies(clause: str, clauses: Sequence[str]) -> bool:
    """Whether a clause of nearly the same words denies what ours affirms, or affirms what ours denies."""
    mine = core(clause)
    near = sorted(((len(mine & other) / len(mine | other), c) for c in clauses if (other := core(c))), reverse=True)
    if not near or near[0][0] < _SAME_WORDS or polarity.same_parity(clause, near[0][1]):
        return False
    alike = next((score for score, c in near if polarity.same_parity(clause, c)), 0.0)
    return alike < near[0][0] - _CLEARLY


def _of_another_subject(said: str, sentences_: Sequence[Sequence[str]]) -> str:
    """What the passage says of one thing put to another: "寒流增温" where it has "暖流增温，寒流降温"."""
    for clause in clauses_of(said):
        subject = clause[:2]
        rest = grams(clause[2:])
        if len(rest) < 2 or not grams(subject):
            continue
        for parts in sentences_:
            for at, part in enumerate(parts):
                if len(rest & grams(part)) < _SAME_REST * len(rest) or any(subject in p for p in parts[: at + 1]):
                    continue
                others = [p for group in sentences_ for p in group if p.startswith(subject)]
                if others and all(len(rest & grams(p)) < _ALIGNED * len(rest) for p in others) and grams(part[:2]):
                    return f"the passage says that of something else: {part}"
    return ""


def _without_exception(said: str, window: str) -> str:
    """What the claim says of all cases, though the passage names exceptions."""
    always, source = _ALWAYS.search(said), plain(window)
    return "the passage makes an exception" if always and always[0] not in source and _EXCEPT.search(source) else ""
