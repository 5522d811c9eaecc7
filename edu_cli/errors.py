"""The errors that users see: each one a sentence, a machine-readable code, an exit code and a hint."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """Exit codes that scripts may rely on (listed in the README)."""

    OK = 0
    FAILED = 1
    USAGE = 2
    PARTIAL = 3
    NOT_CONFIDENT = 4
    GATE_FAILED = 5
    LOCKED = 6
    INDEX_MISMATCH = 7
    INTERRUPTED = 130


class EduError(Exception):
    """A failure with a message for a person.

    `message` is one sentence that names the thing, what was found and what was expected; `hint` is the
    command or the change that mends it.
    """

    code = "failed"
    exit_code = ExitCode.FAILED

    def __init__(self, message: str, *, hint: str = "", code: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        if code:
            self.code = code


class UsageError(EduError):
    """A wrong flag, argument or combination of them."""

    code = "usage"
    exit_code = ExitCode.USAGE


class ConfigError(EduError):
    """A setting that is unknown, malformed or out of range."""

    code = "config"
    exit_code = ExitCode.USAGE


class NoProjectError(EduError):
    """No `.edu/` directory was found where one is needed."""

    code = "no_project"
    exit_code = ExitCode.USAGE


class LockedError(EduError):
    """Another process is writing to the project."""

    code = "locked"
    exit_code = ExitCode.LOCKED


class IndexMismatchError(EduError):
    """The index was built with another encoder or format than the one configured."""

    code = "index_mismatch"
    exit_code = ExitCode.INDEX_MISMATCH


class MissingExtraError(EduError):
    """An optional package is not installed."""

    code = "missing_extra"


class EncoderError(EduError):
    """An encoder or reranker could not be loaded or run."""

    code = "encoder"


class StoreError(EduError):
    """The catalog, Milvus or the BM25 index cannot be read or written."""

    code = "store"


class NoVectorsError(StoreError):
    """The vector store can be reached and has nothing of this project: it was dropped, or is another one."""


class ChatError(EduError):
    """The LLM endpoint failed or gave an answer that cannot be used."""

    code = "llm"


class WebError(EduError):
    """The web search failed or sent what is none."""

    code = "web"


class ContextOverflowError(ChatError):
    """The prompt is longer than the model's context; fewer passages may fit."""

    code = "llm_context"


class DatasetError(EduError):
    """An evaluation data set cannot be read."""

    code = "dataset"
    exit_code = ExitCode.USAGE


class LoadError(EduError):
    """One file could not be loaded; the run goes on without it.

    `code` is one of `unsupported`, `empty`, `encrypted`, `corrupt`, `encoding`, `too_large`, `timeout`,
    `permission`, `no_text`.
    """

    code = "corrupt"


class OcrUnavailableError(EduError):
    """OCR cannot load on this machine; what needs no OCR still goes in."""

    code = "ocr_unavailable"
