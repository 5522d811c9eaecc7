"""WORK/groups -> what is learnt from and what is kept out."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

SURE, OF_SURE = 0.2, 3  # where the fusion puts the right one ahead by so much, one question in so many is enough
HELD_EVERY = 20  # one question in so many is kept out: to watch, and to fit what blends the scores
MINED = ("drcd", "xquad", "java", "manuals")
MADE = ("drcd-sentences", "drcd-cut", "xquad-sentences", "xquad-cut", "definitions")


@dataclass(frozen=True)
class Group:
    """A question, the passage that answers it ("" for none) and passages that do not, most alike first.

    `fused` are the search's scores of them all, the right one's first.
    """

    question: str
    right: str
    wrong: tuple[str, ...]
    kind: str
    fused: tuple[float, ...]


def read_groups(folder: Path, sets: Sequence[str] = MINED, *, all_sure: bool = True) -> tuple[list[Group], list[Group]]:
    """Those to learn from, and those kept out; not `all_sure`: of those that the fusion is sure of, and right, a third.

    What sentences.py made of a question that is kept out is kept out, too. A set may be "name=share": of what it has to
    learn from, that share by lot.
    """
    learn: list[Group] = []
    held: list[Group] = []
    kept: set[str] = set()
    for wanted in sets:
        name, _, share = wanted.partition("=")
        lot = random.Random(name)
        for n, line in enumerate((folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()):
            raw = json.loads(line)
            group, mined = _group(raw), "of" not in raw
            if (mined or not raw["of"]) and n % HELD_EVERY == 0:
                held.append(group)
                kept.add(group.question)
            elif not mined and raw["of"] in kept:
                held.append(group)
            elif (all_sure or not mined or not _sure(group) or n % OF_SURE == 0) and lot.random() < float(share or 1):
                learn.append(group)
    return learn, held


def _group(raw: dict) -> Group:
    shown = [*(raw["right"] or [("", 0.0)]), *raw["wrong"]]
    texts, fused = [text for text, _ in shown], tuple(score for _, score in shown)
    return Group(raw["question"], texts[0], tuple(texts[1:]), raw["kind"], fused)


def _sure(group: Group) -> bool:
    """Whether the fusion puts the right one ahead by far."""
    return bool(group.right) and group.fused[0] - max(group.fused[1:]) >= SURE
