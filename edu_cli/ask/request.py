"""What a question comes with, and what answering it needs from outside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from edu_cli.protocols import AskRecords, ChatModel, PassageSearch, Reranker, WebSearch
from edu_cli.settings import Settings
from edu_cli.types import Message, Scope

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class AskRequest:
    """One question with the flags of `edu ask`. `history` is the conversation before it, oldest first.

    `session` names a kept conversation, which begins with its first question; `resume` takes the last one.
    """

    question: str
    scope: Scope = field(default_factory=Scope)
    mode: str = "hybrid"
    k: int | None = None
    rerank: bool = True
    route: str = "auto"
    strategy: str = "auto"
    session: str | None = None
    resume: bool = False
    history: tuple[Message, ...] = ()
    web: bool | None = None
    cache: bool = True
    strict: bool = False
    plan: bool = False


@dataclass(frozen=True, slots=True)
class AskTools:
    """What `ask` needs: `search` opens retrieval and is called only when passages are needed (models load then).

    `chat` is None where no LLM is configured; `records` None keeps nothing; `encode` gives a question's dense vectors
    (rows of length 1), None where there is no encoder, and `encode_kept` those of texts that are asked for again;
    `encoder` names the encoder;
    `classifier` is the project's own model file, if it exists;
    `web` is None where no web search is configured; `reader` opens what
    reads the sentences that may answer, None where nothing does; `outline` gives the heading paths of a document's
    passages in order, by its id.
    """

    settings: Settings
    search: Callable[[], PassageSearch]
    chat: ChatModel | None = None
    prompts: Path | None = None
    records: AskRecords | None = None
    encode: Callable[[Sequence[str]], npt.NDArray[np.float32]] | None = None
    classifier: Path | None = None
    web: WebSearch | None = None
    encoder: str = ""
    encode_kept: Callable[[Sequence[str]], npt.NDArray[np.float32]] | None = None
    reader: Callable[[], Reranker | None] | None = None
    outline: Callable[[str], Sequence[tuple[str, ...]]] | None = None
