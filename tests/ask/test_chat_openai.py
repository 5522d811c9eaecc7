"""OpenAIChat against a server that plays every failure."""

from __future__ import annotations

import json

import pytest
from scripted_llm import Reply, scripted_server

from edu_cli.ask.generation.chat_openai import OpenAIChat
from edu_cli.errors import ChatError, ConfigError, ContextOverflowError
from edu_cli.protocols import ChatModel
from edu_cli.settings import LlmSettings
from edu_cli.types import ChatReply, Message

KEY = "sk-test-0123456789abcdef"
QUESTION = [Message("user", "问")]


def error_body(message: str, **more: str) -> str:
    return json.dumps({"error": {"message": message, **more}})


def failed(status: int, message: str = "no", **headers: str) -> Reply:
    return Reply(status=status, body=error_body(message), headers=headers)


def chat_at(url: str, *, timeout_s: float = 5.0, waits: list[float] | None = None) -> OpenAIChat:
    settings = LlmSettings(model="scripted", base_url=url, api_key=KEY, timeout_s=timeout_s)
    return OpenAIChat(settings, sleep=(waits if waits is not None else []).append)


def streamed(chat: ChatModel) -> tuple[str, ChatReply]:
    pieces = list(chat.stream(QUESTION, temperature=0))
    whole = pieces.pop()
    assert isinstance(whole, ChatReply)
    return "".join(str(p) for p in pieces), whole


def test_a_stream_gives_pieces_then_the_whole_with_its_cost() -> None:
    with scripted_server(Reply("暗反应发生在基质中[1]。")) as server:
        shown, whole = streamed(chat_at(server.url))
    assert shown == whole.text == "暗反应发生在基质中[1]。"
    assert (whole.prompt_tokens, whole.completion_tokens, whole.finish_reason) == (7, 3, "stop")


def test_thinking_is_left_out_of_stream_and_reply() -> None:
    with scripted_server(Reply("<think>\n[9] 不存在\n</think>\n\n好[1]。")) as server:
        shown, whole = streamed(chat_at(server.url))
        assert shown.strip() == whole.text == "好[1]。"
        assert chat_at(server.url).complete(QUESTION, temperature=0).text == "好[1]。"


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (Reply(None, finish="content_filter"), "returned nothing (finish_reason content_filter)"),
        (Reply(" \n"), "returned nothing (finish_reason stop)"),
        (Reply("<think>想", finish="length"), "returned nothing (finish_reason length)"),
        (Reply(body='{"choices": []}'), "returned nothing"),
        (Reply(body='{"choices": null}'), "returned nothing"),
        (Reply(body="<html>hi</html>", kind="text/html"), "answered with a web page"),
        (
            failed(401, f"Incorrect API key provided: {KEY}"),
            "refused the key (401: Incorrect API key provided: sk-…cdef)",
        ),
        (failed(403), "does not let this key use scripted"),
        (
            Reply(status=404, body="<html>404</html>", kind="text/html"),
            "does not know the model 'scripted' or this path (404)",
        ),
        (failed(422, "bad field"), "refused the request (422: bad field)"),
        (failed(429, "You exceeded your current quota"), "has no quota left"),
        (failed(503, "busy"), "failed (503: busy)"),
        (Reply(drop=True), "cannot be reached"),
        (Reply("late", delay=0.6), "gave no reply within 0.3 s"),
    ],
)
@pytest.mark.parametrize("stream", [True, False])
def test_each_failure_is_one_sentence_without_the_key(reply: Reply, said: str, stream: bool) -> None:
    with scripted_server(reply) as server:
        chat = chat_at(server.url, timeout_s=0.3)
        with pytest.raises(ChatError) as caught:
            streamed(chat) if stream else chat.complete(QUESTION, temperature=0)
    assert said in caught.value.message
    assert caught.value.hint
    assert KEY not in caught.value.message + caught.value.hint


@pytest.mark.parametrize(
    ("events", "said"),
    [
        (["data: {oops\n\n"], "no chat completion"),
        (['data: {"error": {"message": "boom"}}\n\n'], "boom"),
    ],
)
def test_a_broken_stream_is_one_sentence(events: list[str], said: str) -> None:
    with scripted_server(Reply(sse=events)) as server, pytest.raises(ChatError, match=said):
        streamed(chat_at(server.url))


def test_a_stream_without_an_end_is_told_apart() -> None:
    with scripted_server(Reply(sse=['data: {"choices": [{"index": 0, "delta": {"content": "半"}}]}\n\n'])) as server:
        assert streamed(chat_at(server.url))[1].finish_reason == "missing"


def test_retry_after_is_honoured_and_the_third_try_answers() -> None:
    waits: list[float] = []
    slow = failed(429, "rate", **{"Retry-After": "2"})
    with scripted_server(slow, failed(500), Reply("好。")) as server:
        assert chat_at(server.url, waits=waits).complete(QUESTION, temperature=0).text == "好。"
        assert len(server.requests) == 3
    assert waits == [2.0, 1.0]


def test_a_wait_longer_than_the_budget_is_not_begun() -> None:
    waits: list[float] = []
    with scripted_server(failed(429, "rate", **{"Retry-After": "600"})) as server:
        with pytest.raises(ChatError, match="limiting the rate"):
            chat_at(server.url, waits=waits).complete(QUESTION, temperature=0)
        assert len(server.requests) == 1
    assert not waits


@pytest.mark.parametrize("status", [401, 403, 404])
def test_what_no_retry_mends_is_asked_once(status: int) -> None:
    with scripted_server(failed(status)) as server:
        with pytest.raises(ChatError):
            chat_at(server.url).complete(QUESTION, temperature=0)
        assert len(server.requests) == 1


def test_a_prompt_too_long_for_the_model_is_an_error_of_its_own() -> None:
    reply = failed(400, "This model's maximum context length is 4096 tokens.")
    with scripted_server(reply) as server, pytest.raises(ContextOverflowError):
        chat_at(server.url).complete(QUESTION, temperature=0)


def test_a_parameter_that_the_server_refuses_is_left_out_from_then_on() -> None:
    refusal = failed(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
    with scripted_server(refusal, Reply("好。")) as server:
        chat = chat_at(server.url)
        assert chat.complete(QUESTION, temperature=0).text == "好。"
        assert chat.complete(QUESTION, temperature=0).text == "好。"
        first, second, third = server.requests
    assert "max_tokens" in first
    assert "max_tokens" not in second
    assert second["max_completion_tokens"] == third["max_completion_tokens"]


def test_a_server_that_does_not_stream_is_read_whole_with_content_in_parts() -> None:
    body = {"choices": [{"message": {"content": [{"type": "text", "text": "列"}, {"type": "text", "text": "表"}]}}]}
    with scripted_server(Reply(body=json.dumps(body))) as server:
        shown, whole = streamed(chat_at(server.url))
    assert shown == whole.text == "列表"


def test_a_proxy_does_not_stand_between_this_machine_and_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with scripted_server(Reply("好。")) as server:
        assert chat_at(server.url).complete(QUESTION, temperature=0).text == "好。"


@pytest.mark.parametrize("url", ["localhost:11434/v1", "ftp://host/v1", "http://"])
def test_an_address_that_cannot_work_is_a_configuration_error(url: str) -> None:
    with pytest.raises(ConfigError, match="base_url"):
        OpenAIChat(LlmSettings(model="m", base_url=url))


def test_a_model_without_endpoint_or_key_is_a_configuration_error() -> None:
    with pytest.raises(ConfigError, match="endpoint or a key"):
        OpenAIChat(LlmSettings(model="m"))
