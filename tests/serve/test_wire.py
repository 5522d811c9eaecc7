"""Messages, values and errors across the socket."""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edu_cli.ask.request import AskRequest
from edu_cli.ask.turn import UnansweredError
from edu_cli.config import Settings, load_settings
from edu_cli.errors import ChatError, EduError, IndexMismatchError, StoreError, UsageError
from edu_cli.serve.failures import failure_json, failure_of
from edu_cli.serve.frames import WireError, receive, send
from edu_cli.serve.requests import parse
from edu_cli.serve.surroundings import difference, environment, sent_settings
from edu_cli.serve.values import from_plain, to_plain
from edu_cli.types import Answer, LegScore, LlmUse, Passage, Scope, SearchResult, Step

TEXT = st.text(max_size=20)
NUMBER = st.floats(allow_nan=False, allow_infinity=False)
PAGE = st.none() | st.integers(1, 999)
PASSAGES = st.builds(
    Passage,
    rank=st.integers(1, 9),
    score=NUMBER,
    doc=TEXT,
    title=TEXT,
    section=st.lists(TEXT, max_size=3).map(tuple),
    page=PAGE,
    subject=TEXT,
    parent_id=TEXT,
    child_id=TEXT,
    doc_id=TEXT,
    text=TEXT,
    context=TEXT,
    sources=st.dictionaries(
        st.sampled_from(["dense", "sparse", "bm25"]), st.builds(LegScore, st.integers(1, 9), NUMBER, NUMBER)
    ),
    rerank_score=st.none() | NUMBER,
    page_end=PAGE,
    also=st.lists(TEXT, max_size=2).map(tuple),
    pages=st.lists(st.tuples(st.integers(0, 99), st.integers(1, 9)), max_size=2).map(tuple),
)
SCOPES = st.builds(Scope, tenant=TEXT, subject=st.none() | TEXT, doc_ids=st.none() | st.frozensets(TEXT, max_size=4))
RESULTS = st.builds(
    SearchResult,
    question=TEXT,
    passages=st.lists(PASSAGES, max_size=3).map(tuple),
    confidence=NUMBER,
    seconds=st.dictionaries(TEXT, NUMBER, max_size=3),
    warnings=st.lists(TEXT, max_size=2).map(tuple),
)
ANSWERS = st.builds(
    Answer,
    confidence=NUMBER,
    seconds=NUMBER,
    passages=st.lists(PASSAGES, max_size=2).map(tuple),
    steps=st.lists(st.builds(Step, TEXT, NUMBER, TEXT), max_size=2).map(tuple),
    faq=st.none() | st.fixed_dictionaries({"id": TEXT, "question": TEXT, "probability": NUMBER}),
    llm=st.builds(LlmUse),
)


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    ends = socket.socketpair()
    for end in ends:
        end.settimeout(5)
    yield ends
    for end in ends:
        end.close()


def over(value: Any) -> Any:
    return json.loads(json.dumps(to_plain(value)))


@settings(max_examples=40, deadline=None)
@given(st.one_of(SCOPES, RESULTS, PASSAGES, st.from_type(AskRequest), ANSWERS))
def test_values_arrive_as_they_were_sent(value: Any) -> None:
    assert from_plain(type(value), over(value)) == value


def test_every_setting_arrives_but_what_no_question_needs() -> None:
    mine = load_settings(None, {"OPENAI_API_KEY": "sk-1", "EDU_SEARCH_K": "7", "EDU_PDF_PASSWORD": "x"})
    sent = sent_settings(mine)
    theirs = from_plain(Settings, json.loads(json.dumps(sent)))
    assert (theirs.llm, theirs.search, theirs.ask) == (mine.llm, mine.search, mine.ask)
    assert "ingest" not in sent


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (Scope, None),
        (Scope, []),
        (Scope, {"tenant": 3}),
        (Scope, {"tenant": "", "tenants": ""}),
        (Scope, {"doc_ids": "abc"}),
        (Scope, {"doc_ids": [1]}),
        (AskRequest, {}),
        (AskRequest, {"question": "问", "k": True}),
        (AskRequest, {"question": "问", "history": [{"role": "boss", "content": ""}]}),
        (SearchResult, {"question": "", "passages": {}, "confidence": 1, "seconds": {}}),
        (Passage, {"rank": 1}),
    ],
)
def test_a_value_that_does_not_fit_is_refused(kind: Any, value: Any) -> None:
    with pytest.raises(ValueError, match=r"expected|lacks"):
        from_plain(kind, value)


@settings(max_examples=40, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | TEXT,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
        max_leaves=12,
    )
)
def test_any_request_is_work_or_refused_in_one_way(value: Any) -> None:
    for message in ({"op": value}, {"op": "search", "question": value}, {"op": "ask", "request": value}):
        with pytest.raises(ValueError, match=r"expected|lacks|no request"):
            parse(message)


@pytest.mark.parametrize("error", [UsageError, StoreError, IndexMismatchError, ChatError, EduError])
def test_an_error_arrives_with_its_class_sentence_and_code(error: type[EduError]) -> None:
    sent = error("Das 课程 is missing.", hint="do this", code="special")
    came = failure_of(json.loads(json.dumps(failure_json(sent))))
    assert type(came) is error
    assert (came.message, came.hint, came.code, came.exit_code) == (sent.message, sent.hint, "special", sent.exit_code)


def test_an_unanswered_question_brings_its_passages() -> None:
    passage = Passage(1, 0.5, "a.md", "A", ("节",), 1, "", "p", "c", "d", "文", "文", {"bm25": LegScore(1, 2.0)})
    came = failure_of(over(failure_json(UnansweredError(ChatError("It failed."), [passage]))))
    assert isinstance(came, UnansweredError)
    assert came.passages == (passage,)


def test_numpy_numbers_and_lone_surrogates_travel(pair: tuple[socket.socket, socket.socket]) -> None:
    send(pair[0], {"a": np.float32(0.25), "b": "中\ud800"})
    assert receive(pair[1], 1000) == {"a": 0.25, "b": "中\ud800"}


def test_the_end_of_a_connection_is_no_message(pair: tuple[socket.socket, socket.socket]) -> None:
    pair[0].close()
    assert receive(pair[1], 1000) is None


@pytest.mark.parametrize(
    "raw",
    [
        struct.pack(">I", 2000) + b"x" * 2000,
        struct.pack(">I", 2) + b"[]",
        struct.pack(">I", 3) + b"{x}",
        struct.pack(">I", 2) + b"\xff\xff",
        struct.pack(">I", 10) + b"{}",
        b"\0\0",
        struct.pack(">I", 900) + b"[" * 900,
    ],
)
def test_what_is_no_message_is_told(pair: tuple[socket.socket, socket.socket], raw: bytes) -> None:
    pair[0].sendall(raw)
    pair[0].close()
    with pytest.raises(WireError):
        receive(pair[1], 1000)


def test_an_environment_tells_names_and_no_values() -> None:
    told = environment({"HTTPS_PROXY": "http://me:secret@proxy", "HOME": "/home/a", "OPENAI_API_KEY": "k", "PATH": "x"})
    assert set(told) == {"HTTPS_PROXY", "HOME"}
    assert "secret" not in json.dumps(told)


def test_another_proxy_counts_only_where_the_network_is_used() -> None:
    mine, theirs = environment({"HTTPS_PROXY": "a"}), environment({"HTTPS_PROXY": "b"})
    assert difference(mine, theirs, Settings()) is None
    assert difference(mine, theirs, load_settings(None, {"EDU_LLM_MODEL": "m"})) == "HTTPS_PROXY"
    assert difference(environment({"HF_HOME": "a"}), {}, Settings()) == "HF_HOME"
