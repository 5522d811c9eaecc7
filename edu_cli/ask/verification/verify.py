"""Draft + passages -> answer: every sentence judged against what it cites, false markers dropped and told."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from edu_cli.ask.generation.context import heading, page_of
from edu_cli.ask.verification.absence import tells_absence
from edu_cli.ask.verification.claims import Claim, split_claims
from edu_cli.ask.verification.facts import matter
from edu_cli.ask.verification.injection import evidence, instructions
from edu_cli.ask.verification.markers import written
from edu_cli.ask.verification.marks import MARK, unmarked
from edu_cli.ask.verification.support import Level, Support, support
from edu_cli.ask.verification.terms import plain
from edu_cli.text import shortened
from edu_cli.types import Citation, Passage

_SAYS_NOTHING = 5  # characters: "总之，" or a bullet's mark make no claim
_AMOUNT = re.compile(r"\d\s*(?:%|[^\W\d])|^\W*\d[\d.,]*\W*$")  # "2580元", "10%" and "3.7" are answers
_ANNOUNCES = 40  # characters: a longer sentence before a colon says something by itself
_QUOTE_CHARS = 300
_ELSEWHERE = 0.25  # so much more of a claim must stand in another passage for the cited one to be the wrong one


@dataclass(frozen=True, slots=True)
class Judged:
    """A claim with the support of each passage it cites (or, citing none, of the passage that fits best)."""

    claim: Claim
    supports: tuple[tuple[int, Support], ...]
    level: Level | None
    adopted: bool = False

    @property
    def reason(self) -> str:
        """What speaks against it, of the support nearest to bearing it out."""
        return max((s for _, s in self.supports), key=lambda s: s.rank).reason if self.supports else ""


@dataclass(frozen=True, slots=True)
class Verified:
    """The answer after verification; `unsupported` are the sentences that the material does not bear out.

    `declines`: all that it says is that the material has no answer. `borne` counts what is borne out, in part too.
    """

    text: str
    citations: tuple[Citation, ...]
    unsupported: tuple[str, ...]
    invalid_markers: tuple[int, ...]
    warnings: tuple[str, ...]
    declines: bool = False
    borne: int = 0

    @property
    def doubtful(self) -> float:
        """The share of its statements that the material does not bear out; 0 where it states nothing."""
        return len(self.unsupported) / max(1, len(self.unsupported) + self.borne)


def verify(draft: str, passages: Sequence[Passage], *, strict: bool, language: str = "zh") -> Verified:
    """Judges every claim of `draft` offline. `strict` removes what the material does not bear out, else it is marked.

    A claim without a marker gets that of the passage that bears it out, where one does.
    """
    draft = unmarked(draft)
    judged, claims = judge(draft, passages), split_claims(draft, len(passages))
    text = _text(judged, strict=strict, mark=MARK[language])
    bad = tuple(_shown(j.claim) for j in judged if j.level == "unsupported")
    invalid = tuple(sorted({n for claim in claims for n in claim.invalid}))
    warnings = [
        f"{p.doc} contains instructions to the assistant; they were not followed and count as no evidence"
        for p in passages
        if instructions(p.context)
    ]
    if invalid:
        warnings.append(f"the model cited {written(invalid)}, which do not exist; the markers were dropped")
    warnings += [
        f"{'removed' if strict else 'not borne out'}: {_shown(j.claim)} ({j.reason or 'no passage says so'})"
        for j in judged
        if j.level == "unsupported"
    ]
    borne = sum(j.level in ("supported", "weak") for j in judged)
    declines = _declines(judged)
    if not declines and not any(j.level in ("supported", "unsupported") or _is_apart(j.claim) for j in judged):
        warnings.append("no passage bears out any sentence of the answer in full")
    cited = _citations(judged, passages, strict)
    return Verified(text, cited, bad, invalid, tuple(warnings), declines, borne)


def _is_apart(claim: Claim) -> bool:
    return claim.code or bool(claim.numbers)


def _declines(judged: Sequence[Judged]) -> bool:
    says = [item for item in judged if item.level is not None or tells_absence(item.claim.text)]
    return bool(says) and all(item.level is None for item in says)


def judge(draft: str, passages: Sequence[Passage]) -> list[Judged]:
    """The claims of `draft`, each with its standing; None for what claims nothing (code, a heading)."""
    joined = "\n".join(p.context for p in passages)
    claims = split_claims(draft, len(passages), quoted=lambda code: code in joined)
    return [_judge(claim, claims, passages) for claim in _with_matter(claims, passages)]


def _with_matter(claims: Sequence[Claim], passages: Sequence[Passage]) -> list[Claim]:
    """The claims without sentences that only name sources; what leads in (根据资料[1]，…) lends its markers on."""
    kept: list[Claim] = []
    for _, group in itertools.groupby(claims, key=lambda claim: claim.sentence):
        sentence = [claim for claim in group if not claim.is_leftover]
        places = [_names_place(claim, passages) for claim in sentence]
        names_any = any(places) or any(claim.connects for claim in sentence)
        if names_any and all(place or claim.is_bare for claim, place in zip(sentence, places, strict=True)):
            continue
        lent: tuple[int, ...] = ()
        for claim in sentence:
            kept.append(replace(claim, lent=lent) if lent and not claim.cited else claim)
            lent = claim.cited if claim.connects else ()
    return kept


def _names_place(claim: Claim, passages: Sequence[Passage]) -> bool:
    """Whether all that it says is where a passage stands: small models copy the line above it."""
    said = re.sub(r"\W", "", plain(claim.text))
    return any(p.doc in claim.text and said in re.sub(r"\W", "", plain(heading(p))) for p in passages)


def _judge(claim: Claim, claims: Sequence[Claim], passages: Sequence[Passage]) -> Judged:
    if claim.code or claim.connects or (not claim.cited and _says_nothing(claim)):
        return Judged(claim, (), None)
    if _announces(claim):
        return Judged(replace(claim, cited=()), (), None)  # what it announces has markers of its own
    judged = _judge_cited(claim, passages) if claim.numbers else _judge_bare(claim, claims, passages)
    if judged.level != "supported" and tells_absence(claim.text):
        return Judged(replace(claim, cited=()), (), None)  # what is not there has no place to cite
    return judged


def _judge_bare(claim: Claim, claims: Sequence[Claim], passages: Sequence[Passage]) -> Judged:
    ranked = [(n, _supported_by(claim, (p,))) for n, p in enumerate(passages, 1)]
    if not ranked:
        return Judged(claim, (), "unsupported")
    best = max(ranked, key=lambda pair: (pair[1].rank, -pair[0]))
    if best[1].level == "supported":
        return Judged(claim, (best,), "supported", adopted=not _cited_in_sentence(claim, claims, best[0]))
    nearest = max(ranked, key=lambda pair: (pair[1].score, -pair[0]))
    if best[1].level == "weak" and nearest[1].level == "unsupported":  # what has most of its words speaks against it
        both = _supported_by(claim, [passages[n - 1] for n in sorted({best[0], nearest[0]})])
        if both.level == "unsupported":
            return Judged(claim, ((nearest[0], nearest[1]),), "unsupported")
    return Judged(claim, (best,), best[1].level)


def _judge_cited(claim: Claim, passages: Sequence[Passage]) -> Judged:
    supports = tuple((n, _supported_by(claim, (passages[n - 1],))) for n in claim.numbers)
    together = _supported_by(claim, [passages[n - 1] for n in claim.numbers])
    best = max((*(s for _, s in supports), together), key=lambda s: s.rank)
    if best.level == "weak":
        others = ((n, _supported_by(claim, (p,))) for n, p in enumerate(passages, 1) if n not in claim.numbers)
        for n, other in others:
            if other.level == "supported" and other.score >= best.score + _ELSEWHERE:
                wrong = replace(best, level="unsupported", reason=f"it stands in [{n}], not where it is cited from")
                return Judged(claim, tuple((m, wrong) for m, _ in supports), "unsupported")
    return Judged(claim, supports, best.level)


def _supported_by(claim: Claim, passages: Sequence[Passage]) -> Support:
    context = "\n".join(evidence(p.context) for p in passages)
    headings = " ".join(evidence(line) for p in passages for line in (p.title, *p.section))
    return support(claim.said, context, headings)


def _says_nothing(claim: Claim) -> bool:
    text = claim.text.strip()
    return text.startswith("#") or (_length(text) < _SAYS_NOTHING and not _AMOUNT.search(claim.said))


def _announces(claim: Claim) -> bool:
    text = claim.text.strip().rstrip("*")
    return text.endswith(("：", ":")) and _length(text) < _ANNOUNCES


def _length(text: str) -> int:
    """Characters of what a text says, signs and filler left out."""
    return len(re.sub(r"\W", "", matter(text)))


def _cited_in_sentence(claim: Claim, claims: Sequence[Claim], n: int) -> bool:
    return any(other.sentence == claim.sentence and n in other.cited for other in claims)


def _text(judged: Sequence[Judged], *, strict: bool, mark: str) -> str:
    out = ""
    for item in judged:
        claim = item.claim
        if item.level == "unsupported" and strict:
            out = out.rstrip("，,、；;") if not claim.text.endswith("\n") else out
            continue
        body = claim.text.rstrip()
        tail = claim.text[len(body) :]
        numbers = claim.cited or tuple(n for n, _ in item.supports if item.adopted)
        out += body + written(numbers) + (mark if item.level == "unsupported" else "") + tail
    return _tidy(out)


def _tidy(text: str) -> str:
    """Punctuation that lost its clause: "，。" becomes "。", a clause mark at the start goes."""
    text = re.sub(r"[，,、；;：:]\s*(?=[。！？!?])", "", text)
    text = re.sub(r"([。！？])(?:\s*。)+", r"\1", text)  # the full stop of a sentence that was removed
    text = re.sub(r"^[ \t]*[，,、；;。]+", "", text, flags=re.MULTILINE)
    text = re.sub(r"(?<=\])[ \t]+(?=[，,、；;。！？])", "", text)
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def _citations(judged: Sequence[Judged], passages: Sequence[Passage], strict: bool) -> tuple[Citation, ...]:
    found = []
    for item in judged:
        if strict and item.level == "unsupported":
            continue
        numbers = item.claim.numbers or tuple(n for n, _ in item.supports if item.adopted)
        for n, standing in item.supports:
            if n in numbers:
                p = passages[n - 1]
                quote = shortened(standing.quote, _QUOTE_CHARS)
                found.append(
                    Citation(n, p.doc, p.section, page_of(p, standing.quote), quote, _shown(item.claim), standing.level)
                )
    return tuple(found)


def _shown(claim: Claim) -> str:
    return " ".join(claim.text.split()).strip("，,、；;：: ")
