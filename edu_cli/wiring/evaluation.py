"""Settings -> what `edu eval` takes: the real search and the real pipeline, and the judge."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from edu_cli import __version__
from edu_cli.config import Settings
from edu_cli.errors import StoreError, UsageError
from edu_cli.evaluate.generation import measure_answer
from edu_cli.evaluate.items import Item
from edu_cli.evaluate.resume import ResultCache
from edu_cli.evaluate.run import Corpus, EvalTools
from edu_cli.project import Project
from edu_cli.protocols import AskRecords, PassageSearch, Progress
from edu_cli.text import content_id
from edu_cli.types import Answer, FaqRecord, Scope, SearchResult, Session, SessionTurn
from edu_cli.wiring.asking import open_ask
from edu_cli.wiring.places import NO_ENCODER, open_reader

if TYPE_CHECKING:
    from edu_cli.ask.request import AskTools
    from edu_cli.evaluate.judge import Judge


_ALL = Scope()


class LazySearch:
    """PassageSearch that opens the searcher with the first question, so that routing alone loads no model."""

    def __init__(self, open_search: Callable[[], PassageSearch]) -> None:
        self._open = open_search

    def search(
        self, question: str, *, k: int, mode: str = "hybrid", scope: Scope = _ALL, rerank: bool = True
    ) -> SearchResult:
        """At most k distinct parents, best first."""
        return self._open().search(question, k=k, mode=mode, scope=scope, rerank=rerank)


def eval_corpus(project: Project, tenant: str) -> Corpus:
    """What an evaluation must know of the corpus: documents, encoder, corpus hash."""
    from edu_cli.index.documents import documents

    with open_reader(project) as catalog:
        pin = catalog.encoder() or NO_ENCODER
        docs = {record.path: record.doc_id for record in documents(catalog, tenant=tenant) if record.error is None}
        encoder = None if pin.name == "none" else {"name": pin.name, "dim": pin.dim}
        return Corpus(docs, encoder, catalog.corpus_hash())


def draft_items(project: Project, settings: Settings, tenant: str, n: int, seed: int) -> list[dict[str, Any]]:
    """A data set drafted from the corpus: by the LLM where one is configured, else from headings and FAQ entries."""
    from edu_cli.evaluate.draft import draft, draft_by_llm
    from edu_cli.prompts import load_prompt

    corpus = eval_corpus(project, tenant)
    with open_reader(project) as catalog, open_ask(project, settings) as tools:
        parents = list(catalog.export(list(corpus.docs.values())))
        if tools.chat is None:
            return draft(parents, catalog.faq(tenant), n, seed)
        return draft_by_llm(parents, n, seed, tools.chat, load_prompt("draft", tools.prompts))


@contextmanager
def open_eval(
    project: Project, settings: Settings, scope: Scope, progress: Progress, *, judged: bool, resume: bool, corpus: str
) -> Iterator[EvalTools]:
    """What the stages of an evaluation call. An item's own subject narrows `scope`.

    What was computed is kept in `.edu/eval` for `resume`, under all that could change it (`corpus` is its hash).
    Raises UsageError for a judge without an LLM.
    """
    with open_ask(project, settings) as usual:
        tools = replace(usual, records=UnmarkedRecords(usual.records) if usual.records else None)

        def scope_of(item: Item) -> Scope:
            return scope if item.subject is None else replace(scope, subject=item.subject)

        yield EvalTools(
            LazySearch(tools.search),
            _asking(tools, scope_of, plan=True),
            _asking(tools, scope_of, plan=False),
            measure_answer(_judge(tools) if judged else None),
            scope_of,
            _results(project, _state(settings, corpus, judged), progress, resume=resume),
            progress,
        )


def _results(project: Project, state: str, progress: Progress, *, resume: bool) -> ResultCache:
    """Where results are kept; a project that cannot be written to is measured without."""
    try:
        return ResultCache(project.eval_path, state, resume=resume)
    except StoreError as error:
        if resume:
            raise
        progress.note(f"This run cannot be resumed: {error.message}")
        return ResultCache(None, state, resume=False)


def _asking(tools: AskTools, scope_of: Callable[[Item], Scope], *, plan: bool) -> Callable[[Item], Answer]:
    """The real pipeline on an item, without the answer cache: each answer is made, not remembered.

    A strategy is chosen for course questions only, so an item that is labelled with a strategy alone counts as one.
    """
    from edu_cli.ask.pipeline import ask
    from edu_cli.ask.request import AskRequest

    def asked(item: Item) -> Answer:
        route = "rag" if plan and item.strategy and not item.route else "auto"
        wanted = AskRequest(item.question, scope_of(item), history=item.history, cache=False, plan=plan, route=route)
        return ask(wanted, tools)

    return asked


class UnmarkedRecords:
    """AskRecords whose FAQ is read and in which nothing is left: measuring queues no questions and keeps no traces."""

    def __init__(self, records: AskRecords) -> None:
        self._records = records

    def faq(self, tenant: str, subject: str | None) -> Sequence[FaqRecord]:
        """As the project has it."""
        return self._records.faq(tenant, subject)

    def faq_mark(self) -> str:
        """As the project has it."""
        return self._records.faq_mark()

    def corpus(self) -> str:
        """As the project has it."""
        return self._records.corpus()

    def queue_pending(self, *_: object, **__: object) -> str:
        """Nothing waits for a teacher."""
        return ""

    def session(self, tenant: str, session_id: str) -> Session | None:
        """There are no conversations."""

    def last_session(self, tenant: str) -> str | None:
        """There are no conversations."""

    def add_turn(self, tenant: str, session_id: str, turn: SessionTurn) -> None:
        """Not kept."""

    def fold_session(self, tenant: str, session_id: str, summary: str, folded: int) -> None:
        """Not kept."""

    def cached(self, tenant: str, key: str) -> Mapping[str, Any] | None:
        """Nothing is remembered."""

    def cache(self, tenant: str, key: str, corpus: str, value: Mapping[str, Any]) -> None:
        """Not kept."""

    def add_trace(self, tenant: str, answer: Mapping[str, Any], exchanges: Sequence[Mapping[str, Any]]) -> None:
        """Not kept."""


def _judge(tools: AskTools) -> Judge:
    from edu_cli.evaluate.judge import Judge
    from edu_cli.prompts import load_prompt

    if tools.chat is None:
        raise UsageError("--judge llm needs an LLM, and none is configured.", hint="set EDU_LLM_MODEL, OPENAI_BASE_URL")
    encode = tools.encode
    if encode is None:
        return Judge(tools.chat, load_prompt("judge", tools.prompts), None)

    def likeness(question: str, others: Sequence[str]) -> list[float]:
        vectors = encode([question, *others])
        return (vectors[1:] @ vectors[0]).tolist()

    return Judge(tools.chat, load_prompt("judge", tools.prompts), likeness)


def _state(settings: Settings, corpus: str, judged: bool) -> str:
    """Everything but the question that could change a result: program, corpus, settings (no secrets), judge."""
    from edu_cli.config import setting_infos

    secret = {info.key for info in setting_infos() if info.secret}
    values: dict[str, Any] = asdict(settings)
    values.pop("sources")
    shown: Sequence[str] = [
        f"{section}.{name}={value!r}"
        for section, part in values.items()
        for name, value in part.items()
        if f"{section}.{name}" not in secret
    ]
    return content_id(__version__, corpus, str(judged), *shown)
