"""Settings -> vectors of questions for the classifier, by the encoder that the project's questions are encoded with."""

from __future__ import annotations

from edu_cli.ask.front.classify import QuestionVectors
from edu_cli.config import cache_dir
from edu_cli.index.encoders.choose import choose_encoder, open_encoder
from edu_cli.project import Project
from edu_cli.settings import Settings


def question_vectors(project: Project | None, settings: Settings) -> QuestionVectors | None:
    """By the project's encoder, else the configured one; None where this machine has none. Raises EncoderError."""
    name = _pinned(project) or choose_encoder(settings.encoder).name
    if name == "none":
        return None
    encoder = open_encoder(name, settings.encoder, cache_dir(settings))
    return QuestionVectors(name, lambda texts: encoder.encode_questions(texts).dense)


def _pinned(project: Project | None) -> str:
    from edu_cli.wiring.recording import open_project_records

    if project is None:
        return ""
    with open_project_records(project) as records:
        pin = records.encoder()
        return pin.name if pin else ""
