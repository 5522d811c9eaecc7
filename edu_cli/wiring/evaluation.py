"""Settings -> what `edu eval` takes: the real search and the real pipeline, and the judge."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from edu_cli import __version__
from edu_cli.config import Settings, setting_infos
from edu_cli.errors import StoreError, UsageError
from edu_cli.evaluate.generation import measure_answer
from edu_cli.evaluate.items import Dataset, Item
from edu_cli.evaluate.misfits import misfits
from edu_cli.evaluate.resume import ResultCache
from edu_cli.evaluate.run import Corpus, EvalTools
from edu_cli.evaluate.strategies import Sought, StrategyTools
from edu_cli.project import Project
from edu_cli.protocols import Progress
from edu_cli.serve.asker import Asker
from edu_cli.text import content_id
from edu_cli.types import Answer, Scope
from edu_cli.wiring.asker import open_asker
from edu_cli.wiring.asking import open_ask
from edu_cli.wiring.places import NO_ENCODER, open_reader
from edu_cli.wiring.unmarked import UnmarkedRecords

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from edu_cli.ask.request import AskTools
    from edu_cli.evaluate.draft import Drafted
    from edu_cli.evaluate.judge import Judge
    from edu_cli.wiring.steady import Tell

_BY_LLM = ("hyde", "step-back")  # strategies that no rule can stand in for
_TOLD_SECTIONS = ("split", "encoder", "lexical", "search", "ask")
_OF_THE_MACHINE = ("encoder.device", "encoder.threads", "encoder.batch_tokens")


def eval_corpus(project: Project, settings: Settings, tenant: str) -> Corpus:
    """What an evaluation must know of the corpus, and the settings that are not at their defaults."""
    from edu_cli.index.documents import documents

    with open_reader(project) as catalog:
        pin = catalog.encoder() or NO_ENCODER
        records = [record for record in documents(catalog, tenant=tenant) if record.error is None]
        return Corpus(
            {record.path: record.doc_id for record in records},
            None if pin.name == "none" else {"name": pin.name, "dim": pin.dim},
            catalog.corpus_hash(),
            {record.path: record.subject for record in records if record.subject},
            _unusual(settings),
        )


def with_misfits(dataset: Dataset, project: Project, corpus: Corpus) -> Dataset:
    """The data set, warning also of labels that nothing in the corpus can fit."""
    with open_reader(project) as catalog:
        found = misfits(dataset.items, corpus.docs, lambda doc: catalog.export([corpus.docs[doc]]))
    return replace(dataset, warnings=(*dataset.warnings, *found))


def draft_items(project: Project, settings: Settings, tenant: str, n: int, seed: int) -> Drafted:
    """A data set drafted from the corpus: by the LLM where one is configured, else from headings and FAQ entries."""
    from edu_cli.evaluate.draft import Drafted, draft, draft_by_llm
    from edu_cli.prompts import load_prompt

    corpus = eval_corpus(project, settings, tenant)
    with open_reader(project) as catalog, open_ask(project, settings) as tools:
        parents = list(catalog.export(list(corpus.docs.values())))
        if tools.chat is None:
            return Drafted(draft(parents, catalog.faq(tenant), n, seed))
        return draft_by_llm(parents, n, seed, tools.chat, load_prompt("draft", tools.prompts))


@contextmanager
def open_eval(
    project: Project,
    settings: Settings,
    scope: Scope,
    progress: Progress,
    tell: Tell,
    *,
    dataset: Path,
    judged: bool,
    resume: bool,
    corpus: str,
) -> Iterator[EvalTools]:
    """What the stages of an evaluation call. An item's own subject narrows `scope`.

    The pipeline runs here; what it needs models and indexes for is done by `edu serve` where that runs.

    What was computed on `dataset` is kept in `.edu/eval` for `resume`, under all that could change it (`corpus` is its
    hash).
    Raises UsageError for a judge without an LLM.
    """
    with open_asker(project, settings, tell) as asker, open_ask(project, settings, search=lambda: asker) as usual:
        tools = replace(
            usual,
            records=UnmarkedRecords(usual.records) if usual.records else None,
            encode=_encoding(asker) if usual.encode else None,
        )

        def scope_of(item: Item) -> Scope:
            return scope if item.subject is None else replace(scope, subject=item.subject)

        yield EvalTools(
            asker,
            _strategies(tools, scope_of),
            _asking(tools, scope_of, plan=True),
            _asking(tools, scope_of, plan=False),
            measure_answer(_judge(tools) if judged else None),
            scope_of,
            _results(project, dataset, _state(tools, corpus, judged), progress, resume=resume),
            progress,
        )


def _encoding(asker: Asker) -> Callable[[Sequence[str]], npt.NDArray[np.float32]]:
    import numpy as np

    return lambda texts: np.array(asker.encode(texts), np.float32)


def _strategies(tools: AskTools, scope_of: Callable[[Item], Scope]) -> StrategyTools:
    """Searching as `ask` does by each strategy; two of them are nothing without an LLM."""
    from edu_cli.ask.pipeline import passages_for
    from edu_cli.ask.request import AskRequest

    mode = tools.settings.search.mode

    def seek(item: Item, strategy: str, k: int) -> Sought:
        wanted = AskRequest(
            item.question,
            scope_of(item),
            mode,
            k,
            route="rag",
            strategy=strategy,
            history=item.history,
            cache=False,
        )
        queries, result = passages_for(wanted, tools)
        return Sought(result, rewritten=queries.strategy != "direct")

    return StrategyTools(seek, {} if tools.chat else dict.fromkeys(_BY_LLM, "needs an LLM (EDU_LLM_MODEL)"))


def _results(project: Project, dataset: Path, state: str, progress: Progress, *, resume: bool) -> ResultCache:
    """Where results are kept; a project that cannot be written to is measured without."""
    name = str(dataset.resolve())
    try:
        return ResultCache(project.eval_path, name, state, resume=resume)
    except StoreError as error:
        if resume:
            raise
        progress.note(f"This run cannot be resumed: {error.message}")
        return ResultCache(None, name, state, resume=False)


def _asking(tools: AskTools, scope_of: Callable[[Item], Scope], *, plan: bool) -> Callable[[Item], Answer]:
    """The real pipeline on an item, without the answer cache: each answer is made, not remembered.

    A strategy is chosen for course questions only, so an item that is labelled with a strategy alone counts as one.
    """
    from edu_cli.ask.pipeline import ask
    from edu_cli.ask.request import AskRequest

    def asked(item: Item) -> Answer:
        route = "rag" if plan and item.strategy and not item.route else "auto"
        mode = tools.settings.search.mode
        wanted = AskRequest(
            item.question, scope_of(item), mode, history=item.history, cache=False, plan=plan, route=route
        )
        return ask(wanted, tools)

    return asked


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


def _state(tools: AskTools, corpus: str, judged: bool) -> str:
    """Everything but the question that could change a result: program, corpus, FAQ, settings, prompts, classifier."""
    secret = {info.key for info in setting_infos() if info.secret}
    settings = [f"{key}={value!r}" for key, value in _values(tools.settings) if key not in secret]
    prompts = sorted(tools.prompts.glob("*.*")) if tools.prompts and tools.prompts.is_dir() else []
    files = [path for path in (*prompts, tools.classifier) if path and path.is_file()]
    contents = [f"{path.name}:{hashlib.sha256(path.read_bytes()).hexdigest()}" for path in files]
    faq = tools.records.faq_mark() if tools.records else ""
    return content_id(__version__, corpus, faq, str(judged), *settings, *contents)


def _unusual(settings: Settings) -> dict[str, Any]:
    """The settings that may change an answer and are not at their defaults."""
    usual = {info.key: info.default for info in setting_infos()}
    return {
        key: value
        for key, value in _values(settings)
        if value != usual[key]
        and (key.split(".")[0] in _TOLD_SECTIONS or key == "llm.model")
        and key not in _OF_THE_MACHINE
    }


def _values(settings: Settings) -> Iterator[tuple[str, Any]]:
    """(section.key, value) of every setting."""
    values: dict[str, Any] = asdict(settings)
    values.pop("sources")
    for section, part in values.items():
        yield from ((f"{section}.{name}", value) for name, value in part.items())
