"""What in a claim the passage speaks against, or lacks though it must have it: numbers, names, denials, quotations.

The rules and constants were chosen on the tuning half of tests/data/claims.json by bench/verify.py.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import Any

from edu_cli.ask.verification import facts
from edu_cli.ask.verification.terms import grams, plain

_RIVAL_MARGIN = 2  # with so many more shared grams a clause with another number is what the claim speaks of
_SAME_REST = 0.8  # of a clause without its subject, for two clauses to say the same
_JOINING = frozenset("和与及或的、")
_DENIED_FROM = 0.6  # the share of a denied predicate that stands in the clause which affirms it
_ENOUGH_SHARED = 4  # grams that make a short clause comparable with a long one
_ALIGNED = 0.5  # two clauses are about the same when this share of the shorter one's grams is in the other
_SHORT_QUOTE = 6  # a term in quotation marks may be the writer's own emphasis
_SENTENCE = re.compile(r"[。！？!?\n]")
_SUMMING = ("种", "类", "")  # 两种气候 sums up what the passage names
_CLAUSE = re.compile(r"[，,；;。！？!?\n|]|：(?=\S{6})|、(?=[^、，,；;。]*\d)")


def contradiction(claim: str, passage: str, window: str, heading: str = "") -> str:
    """What in `claim` the passage (its `window` above all) speaks against or lacks though it must have it; else ""."""
    for quote in facts.quotes(claim):
        if not facts.is_verbatim(quote, passage + heading) and len(plain(quote)) >= _SHORT_QUOTE:
            return f"the quotation “{quote}” does not stand in the passage"
    said, source = facts.bounds(plain(claim)), plain(f"{heading}\n{passage}")
    missing = facts.names(said) - facts.names(source)
    missing = {name for name in missing if name not in source}
    if missing:
        return f"the passage has no {sorted(missing)[0]}"
    clauses = _clauses(plain_lines(f"{heading}\n{passage}"))
    near = _clauses(plain_lines(window))
    by_sentence = [_clauses(plain_lines(part)) for part in _SENTENCE.split(window)]
    return (
        _numbers_against(said, clauses)
        or _polarity_against(said, clauses)
        or _denied(said, near)
        or _of_another_subject(said, by_sentence)
    )


def plain_lines(text: str) -> str:
    """`plain` line by line, so that line ends stay; bounds said in one way."""
    return "\n".join(facts.bounds(plain(line)) for line in text.split("\n"))


@functools.lru_cache(maxsize=512)
def _clauses(text: str) -> tuple[str, ...]:
    return tuple(part for part in (p.strip() for p in _CLAUSE.split(text)) if part)


def _numbers_against(said: str, clauses: Sequence[str]) -> str:
    """A number that the passage lacks, or has only by something else than the claim puts it to."""
    source = [(clause, facts.numbers(clause)) for clause in clauses]
    for clause in _clauses(said):
        for claimed in facts.numbers(clause):
            shown = clause[claimed.start : claimed.end]
            if (
                shown[0] == "一"
                or (shown[0] == "两" and claimed.unit in _SUMMING)
                or (claimed.value in (0, 1) and not claimed.unit)
            ):
                continue
            holding = [(c, ns) for c, ns in source if any(facts.agrees(claimed, n) for n in ns)]
            if not holding:
                return f"the passage has no {shown}"
            rivals = [
                (c, ns)
                for c, ns in source
                if not any(facts.agrees(claimed, n) for n in ns) and any(_same_kind(claimed, n) for n in ns)
            ]
            rest = grams(clause) - grams(shown)
            mine = max(len(rest & grams(c)) for c, _ in holding)
            other = max((len(rest & grams(c)) for c, _ in rivals), default=0)
            if other >= mine + _RIVAL_MARGIN and other >= _ALIGNED * len(rest):
                return f"the passage has another number than {shown} there"
            if (
                _swapped(clause, claimed, holding)
                or _of_another(clause, holding, rivals)
                or _ends_otherwise(clause, claimed, holding, rivals)
            ):
                return f"the passage puts {shown} to something else"
    return ""


def _same_kind(claimed: facts.Number, found: facts.Number) -> bool:
    return claimed.unit == found.unit


def _of_another(clause: str, holding: Sequence[tuple[str, Any]], rivals: Sequence[tuple[str, Any]]) -> bool:
    """What the clause begins with stands by a rival number and by none that agrees."""
    first = grams(re.sub(r"^[^㐀-鿿a-z]+", "", clause)[:3])
    with_rival = any(first <= grams(text) for text, _ in rivals)
    return bool(first) and with_rival and not any(first & grams(text) for text, _ in holding)


def _swapped(clause: str, claimed: facts.Number, holding: Sequence[tuple[str, Sequence[facts.Number]]]) -> bool:
    """Within one clause ("理论32学时实验16学时"): what stands before the number stands before a rival there."""
    lead = re.sub(r"[^㐀-鿿a-z]", "", clause[: claimed.start])[-2:]
    if len(lead) < 2:
        return False
    for text, found in holding:
        mine = [n for n in found if facts.agrees(claimed, n)]
        rivals = [n for n in found if not facts.agrees(claimed, n) and n.unit == claimed.unit]
        if any(lead in text[max(0, n.start - 6) : n.start] for n in mine):
            return False
        if any(lead in text[max(0, n.start - 6) : n.start] for n in rivals):
            return True
    return False


def _ends_otherwise(clause: str, claimed: facts.Number, holding: Sequence[Any], rivals: Sequence[Any]) -> bool:
    """What follows the number follows only a rival number in the passage: "23:00开始" where 21:00 begins."""
    tail = clause[claimed.end :].lstrip()[:2]
    if len(tail) < 2 or not grams(tail):
        return False
    after_mine = any(
        text[n.end :].lstrip().startswith(tail) for text, ns in holding for n in ns if facts.agrees(claimed, n)
    )
    after_rival = any(
        text[n.end :].lstrip().startswith(tail) for text, ns in rivals for n in ns if _same_kind(claimed, n)
    )
    return after_rival and not after_mine and not any(tail in text for text, _ in holding)


def _polarity_against(said: str, clauses: Sequence[str]) -> str:
    """A clause of the claim whose nearest clause of the passage says the opposite."""
    for clause in _clauses(said):
        mine = _core(clause)
        if len(mine) < 2:
            continue
        near = sorted(((_likeness(mine, _core(c)), c) for c in clauses), reverse=True)[:3]
        near = [(score, c) for score, c in near if score >= max(_ALIGNED, near[0][0] - 0.1)]
        if not near:
            continue
        if all(facts.opposed(clause, c) for _, c in near):
            return "the passage says the opposite"
    return ""


def _denied(said: str, clauses: Sequence[str]) -> str:
    """A predicate that one of the two denies and the other only affirms."""
    mine = _clauses(said)
    for ours, theirs in ((mine, clauses), (clauses, mine)):
        written = "\n".join(theirs)
        for clause in ours:
            for phrase, predicate in facts.denied(clause):
                if phrase not in written and _affirmed(grams(predicate), clause, ours, theirs):
                    return f"the passage says the opposite: {predicate}"
            if any(words in written for words in facts.spliced(clause)) and not facts.shared_denial(clause, written):
                return f"the passage says the opposite of: {clause}"
    return ""


def _affirmed(bag: frozenset[str], denying: str, ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether the other side affirms what `denying` denies, and its own side does not do so nearer to their words."""
    bag = frozenset(g for g in bag if not _JOINING.intersection(g)) or bag
    near = [c for c in theirs if _has_of(bag, c)]
    if not near or any(_denies(c, bag) for c in near):
        return False
    if any(grams(word) and grams(word) <= bag for c in theirs for _, word in facts.denied(c)):
        return False  # denied there in fewer words
    if any(n[:3] == denying[:3] for n in near):
        return True
    also = [c for c in ours if c != denying and _has_of(bag, c) and not _denies(c, bag)]
    return all(_likeness(_core(n), _core(denying)) > _likeness(_core(n), _core(c)) for n in near for c in also)


def _has_of(bag: frozenset[str], clause: str) -> bool:
    shared = len(bag & grams(clause))
    return bool(bag) and shared >= min(2, len(bag)) and shared >= _DENIED_FROM * len(bag)


def _denies(clause: str, bag: frozenset[str]) -> bool:
    """Whether the clause has the predicate under a negation."""
    return facts.is_denied_at(clause, min((clause.find(g) for g in bag if g in clause), default=0))


def _of_another_subject(said: str, sentences_: Sequence[Sequence[str]]) -> str:
    """What the passage says of one thing put to another: "寒流增温" where it has "暖流增温，寒流降温"."""
    for clause in _clauses(said):
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


@functools.lru_cache(maxsize=4096)
def _core(clause: str) -> frozenset[str]:
    return grams(re.sub(r"[不没未无非]", "", clause))


def _likeness(mine: frozenset[str], other: frozenset[str]) -> float:
    """Shared grams over the claim's, held back where the other clause is far shorter."""
    shared = len(mine & other)
    if shared >= _ENOUGH_SHARED:
        return shared / min(len(mine), len(other))
    return shared / len(mine) if shared >= 2 else 0.0
