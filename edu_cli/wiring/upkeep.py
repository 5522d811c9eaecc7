"""Settings -> the checks of `edu doctor`, in order."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

from edu_cli.config import Settings, cache_dir
from edu_cli.errors import IndexMismatchError, LockedError, StoreError
from edu_cli.index.catalog import Catalog
from edu_cli.index.encoders.choose import open_encoder
from edu_cli.index.lock import patiently
from edu_cli.project import Project
from edu_cli.protocols import Encoder, Progress, VectorStore
from edu_cli.types import EncoderPin
from edu_cli.types.catalog_keys import PROJECT_ID
from edu_cli.upkeep import catalog_checks, environment, store_checks
from edu_cli.upkeep.results import TEXTS, CheckResult, guarded
from edu_cli.upkeep.text_checks import check_texts
from edu_cli.wiring.mending import restore_drafts
from edu_cli.wiring.overview import lexical_place
from edu_cli.wiring.places import milvus_target, open_reader, vectors_path

Watch = Callable[[], AbstractContextManager[Progress]]
_WAIT_S = 10.0  # for Milvus Lite, which one process at a time can open


def diagnose(project: Project | None, settings: Settings, watch: Watch, *, llm: bool) -> Iterator[CheckResult]:
    """Every check, one at a time as it is done: the machine, then the project where there is one.

    Those that take their time in a large project are shown by `watch`, which is left before their result is given.
    """
    held = project.state if project and project.state.is_dir() else None
    root = project.root if project else Path.cwd()
    yield environment.check_python()
    yield guarded("packages", environment.check_packages)
    yield guarded("models", lambda: environment.check_models(settings))
    yield guarded("OCR", lambda: environment.check_ocr(settings))
    yield environment.check_office()
    yield guarded("disk", lambda: environment.check_disk(root, held))
    yield guarded("cache", lambda: environment.check_cache(cache_dir(settings)))
    if llm:
        yield guarded("LLM", lambda: check_llm(settings))
    if project is None or not project.catalog_path.exists():
        yield CheckResult("project", "warn", f"{root} has no knowledge base yet", "edu ingest PATH")
        return
    yield guarded("settings", lambda: catalog_checks.check_settings(project.root, project.prompts_path, settings))
    yield guarded("lock", lambda: catalog_checks.check_lock(project.lock_path))
    try:
        with open_reader(project) as catalog:
            yield from _check_project(project, settings, catalog, watch)
    except StoreError as error:
        fix = "edu restore FILE --force brings a backup back; else " + error.hint
        yield CheckResult("catalog", "fail", error.message, fix)
    except IndexMismatchError as error:
        yield CheckResult("catalog", "fail", error.message, error.hint)


def check_llm(settings: Settings) -> CheckResult:
    """Asks the configured model for one word. Raises ChatError and ConfigError."""
    if not settings.llm.model:
        return CheckResult("LLM", "warn", "none is configured: answers are extractive", "set EDU_LLM_MODEL")
    from edu_cli.ask.generation.chat_errors import where
    from edu_cli.ask.generation.chat_openai import OpenAIChat
    from edu_cli.types import Message

    start = time.perf_counter()
    reply = OpenAIChat(settings.llm).complete([Message("user", "Reply with the one word OK.")], temperature=0.0)
    seconds = time.perf_counter() - start
    return CheckResult("LLM", "pass", f"{reply.model} at {where(settings.llm)} answered in {seconds:.1f} s")


def _check_project(project: Project, settings: Settings, catalog: Catalog, watch: Watch) -> Iterator[CheckResult]:
    found = guarded("catalog", lambda: catalog_checks.check_catalog(catalog))
    yield found
    if found.status == "fail":
        return
    with watch() as progress:
        texts = guarded(TEXTS, lambda: check_texts(catalog, progress))
    yield texts
    is_sound = texts.status == "pass"  # what was made of other texts can neither be found by these nor reproduce
    yield guarded("FAQ", lambda: catalog_checks.check_faq(catalog))
    yield guarded("documents", lambda: catalog_checks.check_documents(catalog))
    yield guarded("sources", lambda: catalog_checks.check_sources(catalog, project.root))
    drafts = restore_drafts(project)
    yield guarded("last run", lambda: catalog_checks.check_unfinished(catalog, drafts, project.lock_path))
    index = None

    def check_bm25() -> CheckResult:
        nonlocal index
        result, index = store_checks.check_bm25(catalog, lexical_place(project, settings))
        return result

    yield guarded(store_checks.BM25, check_bm25)
    if index is not None and is_sound:
        words = index
        yield guarded(store_checks.WORDS, lambda: store_checks.check_words(catalog, words))
    pin = catalog.encoder()
    if pin is None or pin.name == "none":
        yield _without_encoder(pin, settings)
        return
    dense = not settings.milvus.uri
    yield guarded(store_checks.COPY, lambda: store_checks.check_copy(catalog, project, pin, dense=dense))
    yield from _check_vectors(project, settings, catalog, pin, watch, reproduce=is_sound)


def _check_vectors(
    project: Project, settings: Settings, catalog: Catalog, pin: EncoderPin, watch: Watch, *, reproduce: bool
) -> Iterator[CheckResult]:
    """The encoder, the store, and that the one still gives what the other holds."""
    from edu_cli.index.milvus import MilvusStore
    from edu_cli.index.milvus_volumes import LiteVolumes
    from edu_cli.index.vector_cache import open_vector_cache

    encoder: Encoder | None = None

    def check_encoder() -> CheckResult:
        nonlocal encoder
        result, encoder = _same_encoder(pin, settings)
        return result

    yield guarded("encoder", check_encoder)
    if not catalog.n_children():
        return
    target = milvus_target(project, settings, catalog.meta(PROJECT_ID) or "", pin)
    if target.is_lite and project.milvus_path.is_dir() and not os.access(project.milvus_path, os.W_OK):
        unseen = f"not checked: Milvus Lite opens {target.uri} only where it can write; searches do not need it"
        yield CheckResult(store_checks.VECTORS, "warn", unseen, f"check who may write to {project.state}")
        return
    with ExitStack() as stack:
        try:
            open_store = LiteVolumes if target.is_lite else MilvusStore
            store: VectorStore = patiently(lambda: open_store(target, create=False), _WAIT_S, lambda _: None)
            stack.callback(store.close)
            with watch() as progress:
                found = store_checks.check_vectors(catalog, store, target.name, progress)
            yield found
        except (StoreError, LockedError) as error:
            yield store_checks.unopened_vectors(error, is_lite=target.is_lite)
            return
        if encoder is not None and reproduce:
            again = encoder
            cache = open_vector_cache(vectors_path(project, settings), pin.fingerprint)
            stack.callback(cache.close)
            with watch() as progress:
                progress.start("re-encoding", None)
                found = guarded("re-encoding", lambda: store_checks.check_reproduction(catalog, again, store, cache))
            yield found


def _without_encoder(pin: EncoderPin | None, settings: Settings) -> CheckResult:
    if pin is None:
        return CheckResult("encoder", "pass", "nothing was ingested yet")
    if settings.encoder.name == "none":
        return CheckResult("encoder", "pass", "none, as configured: search is by BM25 words only")
    return CheckResult("encoder", "warn", "none: search is by BM25 words only", "edu ingest --rebuild")


def _same_encoder(pin: EncoderPin, settings: Settings) -> tuple[CheckResult, Encoder | None]:
    """Whether the encoder that is configured is the one that the vectors were made with. Raises EncoderError."""
    wanted = settings.encoder.name
    if wanted not in ("auto", pin.name):
        message = f"the vectors were made by {pin.name}, and {wanted} is configured"
        return CheckResult("encoder", "fail", message, f"edu ingest --rebuild, or EDU_ENCODER={pin.name}"), None
    encoder = open_encoder(pin.name, settings.encoder, cache_dir(settings))
    if encoder.fingerprint != pin.fingerprint:
        message = f"the vectors were made by other weights or another format of {pin.name}"
        return CheckResult("encoder", "fail", message, "edu ingest --rebuild"), None
    return CheckResult("encoder", "pass", f"{encoder.name}, {encoder.dim} dimensions, the one pinned"), encoder
