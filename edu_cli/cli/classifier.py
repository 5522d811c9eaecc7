"""`edu classifier`: train the course/general classifier on data of one's own, and test it."""

from __future__ import annotations

import json as jsonlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from edu_cli.cli.context import Cli, new_app, open_cli
from edu_cli.errors import DatasetError, UsageError
from edu_cli.project import Project, create_state

if TYPE_CHECKING:
    import typer

    from edu_cli.ask.front.training import Training
    from edu_cli.cli.flags import DebugOption, JsonOption, LabelledArgument, ProjectOption, QuietOption, VerboseOption

app = new_app()
Backend = Literal["ngram", "bert"]
_LABELS = ("course", "general")


@app.callback()
def _classifier() -> None:
    """The classifier that tells questions about the course from general ones."""


@app.command()
def train(
    data: LabelledArgument,
    backend: Annotated[Backend, typer.Option("--backend", help="n-grams and vectors, or a fine-tuned BERT.")] = (
        "ngram"
    ),
    model: Annotated[
        Path | None, typer.Option("--model", metavar="FOLDER", help="For bert: a local BERT or MiniLM to fine-tune.")
    ] = None,
    epochs: Annotated[int, typer.Option("--epochs", metavar="N", min=1, help="For bert: the most epochs.")] = 10,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Chooses the part that is kept out.")] = 0,
    project: ProjectOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Train on DATA, for this project. A stratified part is kept out for early stopping."""
    cli = open_cli(project, json=json, quiet=quiet, verbose=verbose)
    if (backend == "bert") != (model is not None):
        raise UsageError(
            "--backend bert needs --model FOLDER, and only it does.",
            hint="edu classifier train DATA.jsonl --backend bert --model FOLDER",
        )
    rows = _rows(data)
    place = cli.found or Project(Path.cwd())
    create_state(place)
    if model is not None:
        training = _train_bert(cli, rows, model, place, epochs, seed)
    else:
        training = _train_ngrams(cli, rows, place, seed)
    value = {
        "backend": backend,
        "accuracy": round(training.accuracy, 4),
        "macro_f1": round(training.macro_f1, 4),
        "f1": {label: round(score, 4) for label, score in training.f1.items()},
        "epochs": training.epochs,
        "trained_on": training.trained_on,
        "kept_out": training.kept_out,
        "seed": seed,
        "path": str(place.classifier_path),
    }
    _show(cli, value, json=json)


def _train_ngrams(cli: Cli, rows: list[tuple[str, str]], place: Project, seed: int) -> Training:
    from edu_cli.ask.front.classifier import NgramClassifier
    from edu_cli.ask.front.training import train_classifier
    from edu_cli.wiring.classifying import question_vectors

    known = question_vectors(cli.found, cli.settings)
    vectors = known.encode([text for text, _ in rows]) if known else None
    training = train_classifier(rows, seed=seed, vectors=vectors, encoder=known.encoder if known else "")
    if isinstance(training.model, NgramClassifier):
        training.model.save(place.classifier_path)
    return training


def _train_bert(cli: Cli, rows: list[tuple[str, str]], model: Path, place: Project, epochs: int, seed: int) -> Training:
    from edu_cli.ask.front.training_bert import BertSettings, train_bert

    wanted = BertSettings(seed=seed, device=cli.settings.encoder.device, most_epochs=epochs)
    return train_bert(rows, model, place.classifier_path, wanted)


@app.command(name="eval")
def eval_(
    data: LabelledArgument,
    project: ProjectOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Accuracy and F1 of the classifier in use. As routing uses it: general only from 0.85."""
    from edu_cli.ask.front.classifier import NgramClassifier
    from edu_cli.ask.front.classify import classify, route_model
    from edu_cli.ask.front.training import measure
    from edu_cli.wiring.classifying import question_vectors

    cli = open_cli(project, json=json, quiet=quiet, verbose=verbose)
    own = cli.found.classifier_path if cli.found else None
    model, rows = route_model(own), _rows(data)
    joint = model.joint if isinstance(model, NgramClassifier) else None
    known = question_vectors(cli.found, cli.settings) if joint else None
    if known is not None and joint is not None and known.encoder != joint.encoder:
        known = None
    vectors = known.encode([text for text, _ in rows]) if known else None
    accuracy, f1 = measure(model, rows, vectors)
    routed = sum(classify(text, model, known).label == label for text, label in rows) / max(len(rows), 1)
    value = {
        "model": "the project's own" if own and own.exists() else "bundled",
        "backend": "ngram" if isinstance(model, NgramClassifier) else "bert",
        "vectors": known.encoder if known else None,
        "questions": len(rows),
        "accuracy": round(accuracy, 4),
        "f1": {label: round(score, 4) for label, score in f1.items()},
        "routing_accuracy": round(routed, 4),
    }
    _show(cli, value, json=json)


def _show(cli: Cli, value: dict[str, Any], *, json: bool) -> None:
    if json:
        cli.out.value({"schema": 1, **value})
        return
    cli.out.table(("measure", "value"), [(k, _cell(v)) for k, v in value.items()])


def _cell(value: Any) -> str:
    return ", ".join(f"{k} {v}" for k, v in value.items()) if isinstance(value, dict) else str(value)


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
