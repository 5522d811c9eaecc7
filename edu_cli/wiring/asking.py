"""Settings -> what reading a project takes: the searcher, and the tools of `ask`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from edu_cli.config import cache_dir
from edu_cli.errors import IndexMismatchError
from edu_cli.index.catalog import open_catalog
from edu_cli.index.encoders.choose import open_encoder
from edu_cli.wiring.copies import open_vector_search
from edu_cli.wiring.kept_questions import KeptQuestions
from edu_cli.wiring.overview import lexical_place
from edu_cli.wiring.places import NO_ENCODER, check_encoder, open_reader, vectors_path
from edu_cli.wiring.remembering import RememberingEncoder
from edu_cli.wiring.reranking import open_reranker
from edu_cli.wiring.web_search import open_web_search

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from edu_cli.ask.request import AskTools
    from edu_cli.ask.retrieval.search import Searcher
    from edu_cli.config import Settings
    from edu_cli.index.catalog import Catalog
    from edu_cli.project import Project
    from edu_cli.protocols import (
        ChatModel,
        Encoder,
        LexicalIndex,
        PassageSearch,
        Reranker,
        ScopeWish,
        VectorSearch,
        WebSearch,
    )
    from edu_cli.types import EncoderPin, Scope, StoredParent
    from edu_cli.wiring.reranking import RerankerOf

    Vectors = Mapping[str, npt.NDArray[np.float32]]


class CatalogParents:
    """protocols.ParentSource: texts from the catalog, vectors from where they are searched (None: there are none)."""

    def __init__(self, catalog: Catalog, vectors: VectorSearch | None) -> None:
        self._catalog = catalog
        self._vectors = vectors

    def parents(self, parent_ids: Sequence[str]) -> Mapping[str, StoredParent]:
        """The parents that exist, by id."""
        return self._catalog.parents(parent_ids)

    def child_vectors(self, child_ids: Sequence[str]) -> Vectors:
        """Dense vectors by child id; children without vectors are left out."""
        return self._vectors.dense_of(child_ids) if self._vectors else {}


def find_scope(project: Project, wish: ScopeWish) -> Scope:
    """Which children the flags allow. Raises UsageError for a filter whose key no document has."""
    from edu_cli.index.documents import scope_of

    filters = [f"{key}={value}" for key, value in wish.filters]
    with open_reader(project) as catalog:
        return scope_of(catalog, wish.tenant, subject=wish.subject, doc_glob=wish.doc, filters=filters)


@contextmanager
def open_searcher(
    project: Project,
    settings: Settings,
    *,
    encoder_of: Callable[[EncoderPin], Encoder] | None = None,
    reranker_of: RerankerOf = open_reranker,
) -> Iterator[Searcher]:
    """Retrieval over a project, with the encoder that it is pinned to (`encoder_of` opens it, or has it already).

    Raises IndexMismatchError where another encoder is configured, StoreError for a store that cannot be read.
    """
    from edu_cli.ask.retrieval.search import Searcher

    with ExitStack() as stack:
        catalog = open_catalog(project.catalog_path)
        stack.callback(catalog.close)
        pin = _checked_pin(catalog, project, settings)
        warnings: list[str] = []
        if not catalog.n_children():
            warnings.append("There is no document in this project yet: `edu ingest PATH` brings some in.")
        encoder, store = None, None
        if pin.name != "none" and settings.search.mode != "bm25":
            encoder = encoder_of(pin) if encoder_of else open_pinned(pin, project, settings)
            store = open_vector_search(stack, catalog, pin, project, settings, warnings, uses_idf=encoder.uses_idf)
        elif pin.name == "none":
            warnings.append("There is no encoder on this machine: search is by BM25 words only.")
        yield Searcher(
            encoder=encoder,
            store=store,
            lexical=_open_lexical(project, settings),
            parents=CatalogParents(catalog, store),
            settings=settings.search,
            reranker=reranker_of(settings, pin),
            warnings=warnings,
        )


@contextmanager
def open_ask(
    project: Project,
    settings: Settings,
    *,
    search: Callable[[], PassageSearch] | None = None,
    encoder_of: Callable[[EncoderPin], Encoder] | None = None,
    reranker_of: RerankerOf = open_reranker,
) -> Iterator[AskTools]:
    """What `ask` needs; models and retrieval are opened when the first question needs them, and kept.

    `search`, `encoder_of` and `reranker_of` give what is open already.
    """
    from edu_cli.ask.request import AskTools
    from edu_cli.wiring.recording import open_project_records

    with ExitStack() as stack:
        records = stack.enter_context(open_project_records(project))
        pin = records.encoder() or NO_ENCODER

        @functools.cache
        def opened(pinned: EncoderPin) -> Encoder:
            return (encoder_of or (lambda one: open_pinned(one, project, settings)))(pinned)

        @functools.cache
        def reader() -> Reranker | None:
            return reranker_of(settings, pin)

        @functools.cache
        def own_search() -> PassageSearch:
            return stack.enter_context(
                open_searcher(project, settings, encoder_of=opened, reranker_of=lambda *_: reader())
            )

        def encode(texts: Sequence[str]) -> npt.NDArray[np.float32]:
            return opened(pin).encode_questions(texts).dense

        dense = pin.name != "none" and settings.search.mode != "bm25"
        yield AskTools(
            settings,
            search or own_search,
            _open_chat(settings, stack),
            project.prompts_path,
            records,
            encode if dense else None,
            project.classifier_path,
            _open_web(settings, stack),
            encoder=pin.name if dense else "",
            encode_kept=KeptQuestions(vectors_path(project, settings), pin, lambda: opened(pin)) if dense else None,
            reader=reader,
            outline=_outline(project, stack),
        )


def _open_chat(settings: Settings, stack: ExitStack) -> ChatModel | None:
    """The LLM that is configured; None without one."""
    if not settings.llm.model:
        return None
    from edu_cli.ask.generation.chat_openai import OpenAIChat

    chat = OpenAIChat(settings.llm)
    stack.callback(chat.close)
    return chat


def _open_web(settings: Settings, stack: ExitStack) -> WebSearch | None:
    """The web search that is configured; None without one."""
    web = open_web_search(settings)
    if web:
        stack.callback(web.close)
    return web


def _outline(project: Project, stack: ExitStack) -> Callable[[str], list[tuple[str, ...]]]:
    """A document's sections by its id, from a catalog that is opened when the first is asked for."""

    @functools.cache
    def catalog() -> Catalog:
        opened = open_catalog(project.catalog_path)
        stack.callback(opened.close)
        return opened

    return lambda doc_id: catalog().sections(doc_id)


def _checked_pin(catalog: Catalog, project: Project, settings: Settings) -> EncoderPin:
    pin = catalog.encoder() or NO_ENCODER
    check_encoder(project, pin, settings.encoder.name)
    return pin


def open_pinned(pin: EncoderPin, project: Project, settings: Settings) -> Encoder:
    """The encoder that the project's vectors were made with. Raises IndexMismatchError, EncoderError."""
    encoder = open_encoder(pin.name, settings.encoder, cache_dir(settings))
    if encoder.fingerprint != pin.fingerprint:
        raise IndexMismatchError(
            f"The vectors of {project.root} were made by other weights or another format of {pin.name}.",
            hint="`edu ingest PATH --rebuild` encodes everything again",
        )
    return RememberingEncoder(encoder)


def _open_lexical(project: Project, settings: Settings) -> LexicalIndex:
    from edu_cli.index.lexical import open_lexical
    from edu_cli.index.tokens import open_tokenizer

    place = lexical_place(project, settings)
    return open_lexical(place.path, open_tokenizer(place.user_dict, place.cache))
