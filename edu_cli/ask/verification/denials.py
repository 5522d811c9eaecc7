"""A predicate that the claim or the passage denies and the other one only affirms.

The rules and constants were chosen by bench/verify.py on the halves of tests/data/claims.json that are not kept.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from edu_cli.ask.verification import polarity
from edu_cli.ask.verification.clauses import clauses_of, core, likeness
from edu_cli.ask.verification.terms import grams, letters
from edu_cli.text import cjk_share

_JOINING = frozenset("和与及或的、")
_DENIED_FROM = 0.6  # the share of a denied predicate that stands in the clause which affirms it
_SHORT = 6  # characters of a predicate that may be spelt with others between
_DENIED_ENGLISH = 0.8  # the same of words, which are fewer
_SAME_CONDITION = 0.8
_SUBJECT = 10  # characters that name of what a clause speaks
_UNTIL = re.compile(r"除非|直到|\b(?:until|unless)\b")  # affirms what it denies until then


def denial_against(said: str, clauses: Sequence[str]) -> str:
    """A predicate that one of the two denies and the other only affirms."""
    mine = clauses_of(said)
    for ours, theirs in ((mine, clauses), (clauses, mine)):
        written = "\n".join(theirs)
        for at, clause in enumerate(ours):
            if not cjk_share(clause):
                if _denied_in_english(clause, theirs):
                    return f"the passage says the opposite of: {clause}"
                continue
            for lead, phrase, predicate in polarity.denied(clause):
                known = phrase in written or lead in written or _denied_in_short(clause, phrase, theirs)
                if not known and (
                    _affirmed(predicate, clause, ours, theirs) or _after_the_same(ours, at, predicate, theirs)
                ):
                    return f"the passage says the opposite: {predicate}"
            if any(words in written for words in polarity.spliced(clause)) and not polarity.shared_denial(
                clause, theirs
            ):
                return f"the passage says the opposite of: {clause}"
    return ""


def _denied_in_english(clause: str, theirs: Sequence[str]) -> bool:
    """Whether all that the clause denies stands in a clause that denies nothing, and in none that does."""
    for *_, predicate in polarity.denied(clause):
        words = letters(predicate)
        words = words if len(words) > 1 else letters(clause)
        near = [c for c in theirs if len(words & letters(c)) >= max(2, _DENIED_ENGLISH * len(words))]
        if near and not any(polarity.negations(c) or _UNTIL.search(c) for c in near):
            return True
    return False


def _denied_in_short(clause: str, phrase: str, theirs: Sequence[str]) -> bool:
    """Whether the other side denies something of the same subject without naming it again: 乙不保证."""
    subject = clause[: clause.find(phrase)].strip()[:_SUBJECT]
    return len(subject) > 1 and any(subject in c and polarity.ends_denying(c) for c in theirs)


def _affirmed(predicate: str, denying: str, ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether the other side affirms what `denying` denies, and its own side does not do so nearer to their words."""
    bag = grams(predicate)
    spelt = [c for c in theirs if _spells(predicate, c)]
    if any(polarity.subject_of(denying) in c for c in spelt) and not any(map(polarity.negations, spelt)):
        return True
    bag = frozenset(g for g in bag if not _JOINING.intersection(g)) or bag
    near = [c for c in theirs if _has_of(bag, c) and not _UNTIL.search(c) and not polarity.denied_of(bag, c)]
    if not near or any(_denies(c, bag) or polarity.denied_before(bag, c) for c in near):
        return False
    if any(grams(word) and grams(word) <= bag for c in theirs for *_, word in polarity.denied(c)):
        return False  # denied there in fewer words
    if any(n[:3] == denying[:3] for n in near):
        return True
    also = [c for c in ours if c != denying and _has_of(bag, c) and not _denies(c, bag)]
    return all(likeness(core(n), core(denying)) > likeness(core(n), core(c)) for n in near for c in also)


def _after_the_same(ours: Sequence[str], at: int, predicate: str, theirs: Sequence[str]) -> bool:
    """Whether the other side affirms the predicate right after the same clause: 恒容时充入惰性气体，平衡(不)移动."""
    if not at:
        return False
    condition, bag = core(ours[at - 1]), grams(predicate)
    return bool(condition) and any(
        len(condition & core(before)) >= _SAME_CONDITION * len(condition | core(before))
        and bag <= grams(clause)
        and not polarity.negations(clause)
        for before, clause in itertools.pairwise(theirs)
    )


def _spells(predicate: str, clause: str) -> bool:
    """Whether the characters of a short predicate stand in the clause in order, close together: 另收费, 另外收费."""
    if not 2 < len(predicate) <= _SHORT:
        return False
    return bool(re.search(".?".join(map(re.escape, predicate)), clause))


def _has_of(bag: frozenset[str], clause: str) -> bool:
    shared = len(bag & grams(clause))
    return bool(bag) and shared >= min(2, len(bag)) and shared >= _DENIED_FROM * len(bag)


def _denies(clause: str, bag: frozenset[str]) -> bool:
    """Whether the clause has the predicate under a negation."""
    return any(polarity.is_denied_at(clause, m.start()) for g in bag for m in re.finditer(re.escape(g), clause))
