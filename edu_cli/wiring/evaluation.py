"""Settings -> what `edu eval` takes: the real search and the real pipeline, and the judge."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from edu_cli import __version__
from edu_cli.config import Settings, cache_dir
from edu_cli.errors import UsageError
from edu_cli.evaluate.generation import measure_answer
from edu_cli.evaluate.items import Item
from edu_cli.evaluate.resume import ResultCache
from edu_cli.evaluate.run import Corpus, EvalTools
from edu_cli.project import Project
from edu_cli.protocols import Encoder, PassageSearch, Progress
from edu_cli.text import content_id
from edu_cli.types import Answer, Scope, SearchResult
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
    with open_ask(project, settings) as tools:

        def scope_of(item: Item) -> Scope:
            return scope if item.subject is None else replace(scope, subject=item.subject)

        yield EvalTools(
            LazySearch(tools.search),
            _asking(tools, scope_of, plan=True),
            _asking(tools, scope_of, plan=False),
            measure_answer(_judge(tools, project, settings) if judged else None),
            scope_of,
            ResultCache(project.state / "eval" / "results.jsonl", _state(settings, corpus, judged), resume=resume),
            progress,
        )


def _asking(tools: AskTools, scope_of: Callable[[Item], Scope], *, plan: bool) -> Callable[[Item], Answer]:
    """The real pipeline on an item, without the answer cache: each answer is made, not remembered."""
    from edu_cli.ask.pipeline import ask
    from edu_cli.ask.request import AskRequest

    def asked(item: Item) -> Answer:
        return ask(
            AskRequest(item.question, scope_of(item), history=item.history, cache=False, plan=plan),
            tools,
        )

    return asked


def _judge(tools: AskTools, project: Project, settings: Settings) -> Judge:
    from edu_cli.evaluate.judge import Judge
    from edu_cli.prompts import load_prompt

    if tools.chat is None:
        raise UsageError("--judge llm needs an LLM, and none is configured.", hint="set EDU_LLM_MODEL, OPENAI_BASE_URL")
    with open_reader(project) as catalog:
        pin = catalog.encoder() or NO_ENCODER
    likeness = None if pin.name == "none" else _likeness(pin.name, settings)
    return Judge(tools.chat, load_prompt("judge", tools.prompts), likeness)


def _likeness(encoder_name: str, settings: Settings) -> Callable[[str, Sequence[str]], Sequence[float]]:
    """Cosine between a question and others, by the project's encoder, which is opened with the first one."""
    encoders: list[Encoder] = []

    def likeness(question: str, others: Sequence[str]) -> list[float]:
        from edu_cli.index.encoders.choose import open_encoder

        if not encoders:
            encoders.append(open_encoder(encoder_name, settings.encoder, cache_dir(settings)))
        dense = encoders[0].encode_questions([question, *others]).dense
        return (dense[1:] @ dense[0]).tolist()

    return likeness


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
