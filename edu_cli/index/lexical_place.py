"""Where a project's BM25 index is, and whether it is of a corpus."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from edu_cli.config import LexicalSettings
from edu_cli.index.tokens_version import cutter_name, fingerprint_of
from edu_cli.text import content_id


@dataclass(frozen=True, slots=True)
class LexicalPlace:
    """Where the index is, and what it is built with."""

    path: Path
    settings: LexicalSettings
    user_dict: Path | None
    cache: Path


def lexical_fingerprint(corpus_hash: str, place: LexicalPlace) -> str:
    """What an index of this corpus under these settings is known by. Raises ConfigError."""
    tokenizer = tokenizer_fingerprint(place.user_dict)
    return content_id("parents", corpus_hash, tokenizer, repr(place.settings.k1), repr(place.settings.b))


def tokenizer_fingerprint(user_dict: Path | None = None) -> str:
    """The fingerprint that `open_tokenizer` would give, without loading a dictionary. Raises ConfigError."""
    if user_dict is None:
        return fingerprint_of(cutter_name(), ())
    from edu_cli.index.tokens import read_terms

    return fingerprint_of(cutter_name(), read_terms(user_dict))
