"""A data set: its questions with their labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from edu_cli.types import Message

Grain = Literal["file", "section", "page", "passage"]


@dataclass(frozen=True, slots=True)
class Relevant:
    """Something that answers a question: a hit fits when every key that is given fits. `grade` is above 0."""

    doc: str | None = None
    section: str | None = None
    page: int | None = None
    contains: str | None = None
    grade: int = 1

    @property
    def grain(self) -> Grain:
        """How much of a document it names."""
        if self.contains is not None:
            return "passage"
        if self.section is not None:
            return "section"
        return "page" if self.page is not None else "file"


@dataclass(frozen=True, slots=True)
class Item:
    """A question; None and empty fields are labels that it has not."""

    id: str
    question: str
    relevant: tuple[Relevant, ...] = ()
    answers: tuple[str, ...] = ()
    route: str | None = None
    strategy: str | None = None
    answerable: bool | None = None
    history: tuple[Message, ...] = ()
    subject: str | None = None
    tags: tuple[str, ...] = ()

    @property
    def has_answer(self) -> bool | None:
        """Whether the corpus answers it: the label, else what answers and relevant entries imply; None if unknown."""
        if self.answerable is not None:
            return self.answerable
        return True if self.answers or any(entry.grade > 0 for entry in self.relevant) else None


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that is left out; `line` counts from 1, and `reason` completes the sentence "line 3 …"."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class Dataset:
    """The questions that can be used, what was left out, and what looks like a mistake but was used.

    `drawn_from` tells of how many questions these were drawn by lot; None where they are all.
    """

    name: str
    items: tuple[Item, ...]
    invalid: tuple[BadLine, ...]
    warnings: tuple[str, ...]
    drawn_from: int | None = None
