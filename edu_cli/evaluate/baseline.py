"""An earlier report: reading it, whether it can be compared with, and what is different now."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from edu_cli.errors import DatasetError
from edu_cli.evaluate.items import Dataset

_HINT = "edu eval DATASET --out FILE.json writes one"
_LISTED = 20  # questions that are shown as worse


def read_baseline(path: Path) -> Mapping[str, Any]:
    """The report in a file. Raises DatasetError."""
    try:
        report = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise DatasetError(f"The baseline {path} cannot be read: {error.strerror or error}.", hint=_HINT) from error
    except (ValueError, RecursionError) as error:
        raise DatasetError(f"The baseline {path} is not JSON: {error}.", hint=_HINT) from error
    if not isinstance(report, dict) or not _is_report(report.get("per_question")):
        raise DatasetError(f"The baseline {path} is no report of edu eval.", hint=_HINT)
    return report


def check_baseline(path: Path, baseline: Mapping[str, Any], dataset: Dataset) -> None:
    """Raises DatasetError for a report on none of these questions."""
    known = questions_of(baseline)
    if not any(known.get(item.id) == item.question for item in dataset.items):
        raise DatasetError(
            f"The baseline {path} is of {baseline.get('dataset')!s}, with none of the questions of {dataset.name}.",
            hint=f"write a new one: edu eval {dataset.name} --out FILE.json",
        )


def questions_of(report: Mapping[str, Any]) -> dict[str, str]:
    """The questions of a report by id."""
    return {str(row["id"]): str(row["question"]) for row in report.get("per_question", ())}


def shared_measures(
    before: Mapping[str, Any], now: Mapping[str, Any]
) -> dict[str, tuple[Mapping[str, float], Mapping[str, float]]]:
    """The figures of each question that both reports ask in the same words, then and now, by id."""
    asked = questions_of(before)
    old = {str(row["id"]): row.get("measures", {}) for row in before.get("per_question", ())}
    return {
        row["id"]: (old[row["id"]], row["measures"])
        for row in now["per_question"]
        if asked.get(row["id"]) == row["question"]
    }


def comparison(before: Mapping[str, Any], now: Mapping[str, Any], measure: str) -> dict[str, Any]:
    """What is not as it was, and which questions are worse by `measure`, the worst first."""
    shared = shared_measures(before, now)
    moved = {
        ident: (old[measure], new[measure]) for ident, (old, new) in shared.items() if measure in old and measure in new
    }
    worse = sorted((new - old, ident) for ident, (old, new) in moved.items() if new < old)
    return {
        "questions": len(shared),
        "only_here": len(now["per_question"]) - len(shared),
        "only_there": len(before.get("per_question", ())) - len(shared),
        "changed": _changed(before, now),
        "measure": measure,
        "better": sum(new > old for old, new in moved.values()),
        "worse": len(worse),
        "worst": [{"id": ident, "before": moved[ident][0], "now": moved[ident][1]} for _, ident in worse[:_LISTED]],
    }


def _changed(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """The circumstances that may explain a difference."""
    said = []
    if before.get("corpus_hash") != now["corpus_hash"]:
        said.append("the corpus is another one than the baseline's")
    was, has = ((report.get("encoder") or {}).get("name", "none") for report in (before, now))
    if was != has:
        said.append(f"the encoder was {was} and is {has}")
    reranked = [report.get("retrieval", {}).get("reranked") for report in (before, now)]
    if None not in reranked and reranked[0] != reranked[1]:
        said.append("the hits are reranked now" if reranked[1] else "the hits are reranked no more")
    old, new = before.get("settings", {}), now["settings"]
    moved = [key for key in sorted({*old, *new}) if old.get(key) != new.get(key)]
    return said + [f"{key} was {_shown(old, key)} and is {_shown(new, key)}" for key in moved]


def _shown(settings: Mapping[str, Any], key: str) -> str:
    return str(settings[key]) if key in settings else "its default"


def _is_report(rows: Any) -> bool:
    return isinstance(rows, list) and all(isinstance(row, dict) and {"id", "question"} <= row.keys() for row in rows)
