"""Questions as the confidence is fitted and judged on them: with their passage, without it, and of another field.

A near miss is a question of the set with its relevant documents out of sight. A far one is of another field: asked of
another set (_FOREIGN: encyclopaedia questions of course material and the other way round, and of one course what is
taught in another), or about one of FIELDS.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from cases import Case, see
from fit_search import reweighed
from measured import Measured, judged_questions, open_measured
from rerank import WindowReader

from edu_cli.ask.retrieval.confidence import confidence_features, is_strange
from edu_cli.ask.retrieval.examine import Examined
from edu_cli.ask.retrieval.ranking import ranking_for
from edu_cli.ask.retrieval.reading import reading_for
from edu_cli.ask.retrieval.rerank import by_fusion, reordered

Floats = npt.NDArray[np.float64]
Features = Mapping[str, float]

_FIELDS = "光合作用 量子纠缠 相对论 牛顿第二定律 通货膨胀 边际效用 文艺复兴 辛亥革命 丝绸之路 板块构造 温室效应 胰岛素 抗生素 黑洞 勾股定理 唐诗"
FIELDS = _FIELDS.split()
ABOUT = ("{}是什么？", "{}有哪些特点？", "为什么会有{}", "请解释{}的原理")
COURSES = ("javaguide-headings", "dl500-headings", "hello-algo-qa", "advjava-interview")  # none is of one of FIELDS
_ENCYCLOPAEDIAS = ("xquad-zh", "cmrc2018", "drcd-hant")
_TECHNICAL = (*COURSES, "edurag-llm-course")
_JAVA, _LEARNING = ("javaguide-headings", "advjava-interview"), ("dl500-headings", "edurag-llm-course")
_FOREIGN = {  # where neither field is taught in the other's set
    "javaguide-headings": (*_ENCYCLOPAEDIAS, "crud-news"),
    "advjava-interview": (*_ENCYCLOPAEDIAS, "crud-news", *_LEARNING),
    "hello-algo-qa": (*_ENCYCLOPAEDIAS, "crud-news", *_LEARNING),
    "dl500-headings": (*_ENCYCLOPAEDIAS, "crud-news", *_JAVA),
    "edurag-llm-course": (*_ENCYCLOPAEDIAS, "crud-news", *_JAVA),
    **dict.fromkeys(_ENCYCLOPAEDIAS, _TECHNICAL),
}
_FOREIGN_EACH = 7  # questions of each foreign set
SEEN = 5


@dataclass(frozen=True)
class Judged:
    """One question once: `features` by encoder, what it is (there, near, far), and whether its passage is seen.

    Seen is what stands among the first five of the fusion.
    """

    features: Mapping[str, Features]
    kind: str
    is_seen: bool
    is_strange: bool


def judged_sets(work: Path, most: int, seed: int, reader: WindowReader, kept: Path | None) -> dict[str, list[Judged]]:
    """By set the questions of each project below `work`, from `kept` where they are in it, and put there."""
    known: dict[str, Any] = json.loads(kept.read_text(encoding="utf-8")) if kept and kept.exists() else {}
    found = {}
    for folder in sorted(work.iterdir()):
        if not (folder / "dataset.jsonl").exists():
            continue
        if folder.name not in known:
            known[folder.name] = [
                asdict(one) for one in (*judge(folder, most, seed, reader), *far(folder, seed, reader))
            ]
            print(f"{folder.name}: {len(known[folder.name])} cases", file=sys.stderr)
            if kept:
                kept.write_text(json.dumps(known), encoding="utf-8")
        found[folder.name] = [Judged(**one) for one in known[folder.name]]
    return found


def judge(folder: Path, most: int, seed: int, reader: WindowReader) -> list[Judged]:
    """The questions of a project, each as it is and without its passages."""
    with open_measured(folder, most=most, seed=seed) as measured:
        return [one for question in measured.questions for one in _twice(measured, question, reader)]


def far(folder: Path, seed: int, reader: WindowReader) -> list[Judged]:
    """Questions of other fields, of which the material says nothing."""
    texts = [ABOUT[i % len(ABOUT)].format(field) for i, field in enumerate(FIELDS)] if folder.name in COURSES else []
    for other in _FOREIGN.get(folder.name, ()):
        if (folder.parent / other / "dataset.jsonl").exists():
            asked = judged_questions(folder.parent / other, most=_FOREIGN_EACH, seed=seed)
            texts += [question["question"] for question in asked]
    found = []
    with open_measured(folder, most=1, seed=0) as measured:
        for text in texts:
            hybrid = measured.searcher.examine(text, measured.searcher.encode(text))
            words = measured.searcher.examine(text, None, mode="bm25")
            found.append(Judged(_features(text, hybrid, words, reader), "far", False, is_strange(hybrid)))
    return found


def strange(cases: Sequence[Judged]) -> dict[str, int]:
    """Questions whose term is taken for one that the material does not know: of those with their passage, of the rest."""
    told = [one.kind == "there" for one in cases if one.is_strange]
    return {"there": sum(told), "not": len(told) - sum(told), "questions": len(cases)}


def _twice(measured: Measured, question: Mapping[str, Any], reader: WindowReader) -> Iterator[Judged]:
    hybrid, words = see(measured, question, "hybrid"), see(measured, question, "bm25")
    text = question["question"]
    yield Judged(
        _features(text, hybrid.examined, words.examined, reader), "there", _is_seen(hybrid), is_strange(hybrid.examined)
    )
    if hybrid.without is not None:
        without = _features(text, hybrid.without, words.without, reader)
        yield Judged(without, "near", False, is_strange(hybrid.without))


def _is_seen(case: Case) -> bool:
    return bool(case.grades[by_fusion(case.examined).rows[:SEEN]].any())


def _features(text: str, hybrid: Examined, words: Examined | None, reader: WindowReader) -> dict[str, Features]:
    """By encoder; a search that found nothing has no features."""
    said = reader(text, hybrid) if hybrid.parents else np.zeros(0)
    as_other = reweighed(hybrid, ranking_for("other").parts)
    found = {"e5-small": _one(hybrid, said), "other": _one(as_other, said)}
    if words is not None and words.parents:
        place = {parent.parent_id: i for i, parent in enumerate(hybrid.parents)}
        also = [place.get(parent.parent_id) for parent in words.parents]
        found["none"] = _one(words, np.array([0.0 if i is None else said[i] for i in also]))
    return found


def _one(examined: Examined, said: Floats) -> Features:
    if not examined.parents:
        return {}
    return confidence_features(examined, reordered(examined, reading_for("cross"), said))
