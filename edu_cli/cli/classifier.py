"""`edu classifier`: train the course/general classifier on data of one's own, and test it."""

from __future__ import annotations

import json as jsonlib
from pathlib import Path
from typing import Annotated

import typer

from edu_cli.cli.context import DebugOption, JsonOption, ProjectOption, QuietOption, VerboseOption, new_app, open_cli
from edu_cli.errors import DatasetError
from edu_cli.project import Project, create_state

app = new_app()
DataArgument = Annotated[Path, typer.Argument(metavar="DATA.jsonl", help='{"text": "…", "label": "course"} a line.')]
_LABELS = ("course", "general")


@app.callback()
def _classifier() -> None:
    """The classifier that tells questions about the course from general ones."""


@app.command()
def train(
    data: DataArgument,
    seed: Annotated[int, typer.Option("--seed", help="Chooses the part that is kept out.")] = 0,
    project: ProjectOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Train on DATA (a stratified part kept out, early stopping); the project uses the result from then on."""
    from edu_cli.ask.front.classifier import train_classifier

    cli = open_cli(project, json=json, quiet=quiet, verbose=verbose)
    training = train_classifier(_rows(data), seed=seed)
    place = cli.found or Project(Path.cwd())
    create_state(place)
    training.model.save(place.classifier_path)
    value = {
        "accuracy": round(training.accuracy, 4),
        "macro_f1": round(training.macro_f1, 4),
        "f1": {label: round(score, 4) for label, score in training.f1.items()},
        "epochs": training.epochs,
        "trained_on": training.trained_on,
        "kept_out": training.kept_out,
        "seed": seed,
        "path": str(place.classifier_path),
    }
    if json:
        cli.out.value({"schema": 1, **value})
        return
    cli.out.table(("measure", "value"), [(k, str(v)) for k, v in value.items()])


@app.command(name="eval")
def eval_(
    data: DataArgument,
    project: ProjectOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Accuracy and F1 of the classifier in use on DATA, as routing uses it (general only from 0.85)."""
    from edu_cli.ask.front.classifier import measure
    from edu_cli.ask.front.classify import classify, route_model

    cli = open_cli(project, json=json, quiet=quiet, verbose=verbose)
    own = cli.found.classifier_path if cli.found else None
    model, rows = route_model(own), _rows(data)
    accuracy, f1 = measure(model, rows)
    routed = sum(classify(text, model).label == label for text, label in rows) / len(rows)
    value = {
        "model": "the project's own" if own and own.exists() else "bundled",
        "questions": len(rows),
        "accuracy": round(accuracy, 4),
        "f1": {label: round(score, 4) for label, score in f1.items()},
        "routing_accuracy": round(routed, 4),
    }
    if json:
        cli.out.value({"schema": 1, **value})
        return
    cli.out.table(("measure", "value"), [(k, str(v)) for k, v in value.items()])


def _rows(data: Path) -> list[tuple[str, str]]:
    try:
        lines = data.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(
            f"{data} cannot be read: {error}.", hint="it must be UTF-8, one JSON object a line"
        ) from error
    rows = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            value = jsonlib.loads(line)
            text, label = str(value["text"]), str(value["label"])
        except (ValueError, KeyError, TypeError) as error:
            raise DatasetError(
                f"Line {number} of {data} has no text and label.", hint='{"text": "…", "label": "course"}'
            ) from error
        if label not in _LABELS:
            raise DatasetError(
                f"Line {number} of {data} has the label {label!r}.", hint=f"labels are {', '.join(_LABELS)}"
            )
        rows.append((text, label))
    return rows
