"""ChatModel over any OpenAI-compatible endpoint; the package `openai` is imported with the first call."""

from __future__ import annotations

import ipaddress
import json
import time
from collections.abc import Callable, Iterator, Sequence
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar
from urllib.parse import urlsplit

from edu_cli.ask.generation import chat_errors
from edu_cli.ask.generation.reply import ThinkFilter, first_choice, text_of_content, without_thinking
from edu_cli.config import LlmSettings
from edu_cli.errors import ChatError, ConfigError
from edu_cli.types import ChatReply, Message

T = TypeVar("T")

WAIT_BUDGET_S = 25.0  # all waits between tries together: a person sits before the terminal
_CONNECT_S = 10.0
# Parameters that some servers or models refuse (400/422 naming them): left out, or renamed, for the rest of the run.
_OPTIONAL = ("stream_options", "response_format", "temperature", "max_tokens")


class OpenAIChat:
    """One endpoint and model. Raises ConfigError at once for an address or key that cannot work."""

    def __init__(self, settings: LlmSettings, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self._settings = settings
        self._sleep = sleep
        self._client: Any = None
        self._refused: set[str] = set()
        parts = urlsplit(settings.base_url or "https://api.openai.com/v1")
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ConfigError(
                f"llm.base_url must be an address such as https://host/v1, not {settings.base_url!r}.",
                hint="set OPENAI_BASE_URL",
            )
        if not settings.base_url and not settings.api_key:
            raise ConfigError(
                f"The model {settings.model} needs an endpoint or a key.", hint="set OPENAI_BASE_URL or OPENAI_API_KEY"
            )

    @property
    def model(self) -> str:
        """The model's name as configured."""
        return self._settings.model

    def close(self) -> None:
        """Gives up what is being read and closes the connections; the object is of no more use."""
        if self._client is not None:
            self._client.close()

    def complete(self, messages: Sequence[Message], *, temperature: float, json_object: bool = False) -> ChatReply:
        """One whole reply, thinking left out. Raises ChatError."""
        wanted: dict[str, Any] = {"temperature": temperature}
        if json_object:
            wanted["response_format"] = {"type": "json_object"}
        return self._reply(self._call(messages, wanted))

    def stream(self, messages: Sequence[Message], *, temperature: float) -> Iterator[str | ChatReply]:
        """Pieces of text as the server sends them, thinking left out, then the whole. Raises ChatError."""
        wanted = {"temperature": temperature, "stream": True, "stream_options": {"include_usage": True}}
        stream = self._call(messages, wanted)
        kind = stream.response.headers.get("content-type", "")
        if "json" in kind:  # the server does not stream: the reply came whole
            yield from self._whole(stream.response)
            return
        if "html" in kind:
            raise chat_errors.web_page_error(self._settings)
        yield from self._pieces(stream)

    def _whole(self, response: Any) -> Iterator[str | ChatReply]:
        from openai.types.chat import ChatCompletion

        try:
            reply = self._reply(ChatCompletion.construct(**json.loads(response.read())))
        except (ValueError, TypeError, RecursionError):
            raise chat_errors.malformed_error(self._settings) from None
        yield reply.text
        yield reply

    def _pieces(self, stream: Any) -> Iterator[str | ChatReply]:
        text, finish, usage, model = "", "", None, self.model
        think = ThinkFilter()
        for event in self._events(stream):
            usage = getattr(event, "usage", None) or usage
            model = getattr(event, "model", None) or model
            choice = first_choice(event)
            finish = str(_get(choice, "finish_reason") or finish)
            piece = text_of_content(_get(_get(choice, "delta"), "content"))
            text += piece
            if shown := think.feed(piece):
                yield shown
        if rest := think.finish():
            yield rest
        yield self._checked(text, finish or "missing", model, usage)

    def _events(self, stream: Any) -> Iterator[Any]:
        """The stream's events, its failures as ChatError."""
        import httpx2
        import openai

        try:
            yield from stream
        except openai.APIStatusError as error:
            raise self._status_error(error) from None
        except openai.APIConnectionError as error:
            raise chat_errors.connection_error(self._settings, error, started=True) from None
        except openai.APIError as error:  # an error event within the stream
            raise chat_errors.status_error(500, chat_errors.server_message(error), self._settings) from None
        except httpx2.TimeoutException:
            raise chat_errors.timeout_error(self._settings) from None
        except httpx2.HTTPError as error:
            raise chat_errors.connection_error(self._settings, error, started=True) from None
        except (ValueError, AttributeError, TypeError, RecursionError):
            raise chat_errors.malformed_error(self._settings) from None

    def _reply(self, response: Any) -> ChatReply:
        if isinstance(response, str):
            raise (chat_errors.web_page_error if "<" in response[:50] else chat_errors.malformed_error)(self._settings)
        choice = first_choice(response)
        message = _get(choice, "message")
        finish = str(_get(choice, "finish_reason") or "")
        text = text_of_content(_get(message, "content"))
        model = getattr(response, "model", None) or self.model
        return self._checked(text, finish, model, getattr(response, "usage", None))

    def _checked(self, text: str, finish: str, model: str, usage: Any) -> ChatReply:
        answer = without_thinking(text)
        if not answer:
            raise chat_errors.empty_error(self._settings, finish.replace("missing", ""))
        counts = [_get(usage, name) for name in ("prompt_tokens", "completion_tokens")]
        prompted, completed = (count if isinstance(count, int) else 0 for count in counts)
        return ChatReply(answer, str(model), prompted, completed, finish or "stop")

    def _call(self, messages: Sequence[Message], wanted: dict[str, Any]) -> Any:
        """Sends the request, again after failures that may pass, within `retries` and WAIT_BUDGET_S."""
        import openai

        waited, tries = 0.0, 0
        while True:
            try:
                return self._open().chat.completions.create(**self._request(messages, wanted))
            except openai.APITimeoutError:
                raise chat_errors.timeout_error(self._settings) from None
            except openai.APIConnectionError as error:
                failure, wait = chat_errors.connection_error(self._settings, error, started=False), 0.5 * 2**tries
            except openai.APIStatusError as error:
                if self._adapts(error):
                    continue
                failure = self._status_error(error)
                wait = _wait_after(error, tries)
            except openai.APIError:
                raise chat_errors.malformed_error(self._settings) from None
            except (ValueError, RecursionError):  # a body that says JSON and is none
                raise chat_errors.malformed_error(self._settings) from None
            if wait is None or tries >= self._settings.retries or waited + wait > WAIT_BUDGET_S:
                raise failure from None
            self._sleep(wait)
            waited, tries = waited + wait, tries + 1

    def _request(self, messages: Sequence[Message], wanted: dict[str, Any]) -> dict[str, Any]:
        request: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": m.role, "content": m.content} for m in messages],
            "max_tokens": self._settings.max_tokens,
            **wanted,
        }
        if "max_tokens" in self._refused:  # newer OpenAI models know only the new name
            request["max_completion_tokens"] = request["max_tokens"]
        return {name: value for name, value in request.items() if name not in self._refused}

    def _adapts(self, error: Any) -> bool:
        """Whether the server refused an optional parameter that the next try can do without."""
        if error.status_code not in (400, 422):
            return False
        said = chat_errors.server_message(error)
        if chat_errors.is_overflow(error.status_code, said):
            return False
        named = next((name for name in _OPTIONAL if name in said and name not in self._refused), None)
        if named:
            self._refused.add(named)
        return named is not None

    def _status_error(self, error: Any) -> ChatError:
        return chat_errors.status_error(error.status_code, chat_errors.server_message(error), self._settings)

    def _open(self) -> Any:
        if self._client is None:
            import openai

            try:
                # HTTP_PROXY would swallow calls to a server on this machine (Ollama, vLLM)
                http = openai.DefaultHttpxClient(trust_env=not _is_local(self._settings.base_url))
                self._client = openai.OpenAI(
                    base_url=self._settings.base_url or "https://api.openai.com/v1",
                    api_key=self._settings.api_key or "EMPTY",
                    timeout=openai.Timeout(self._settings.timeout_s, connect=min(_CONNECT_S, self._settings.timeout_s)),
                    max_retries=0,
                    http_client=http,
                )
            except (ImportError, ValueError) as error:  # a proxy variable that the client cannot use
                raise ChatError(
                    f"No connection to {chat_errors.where(self._settings)} can be set up: {error}.",
                    hint="check HTTPS_PROXY, HTTP_PROXY and ALL_PROXY",
                ) from error
        return self._client


def _get(value: Any, name: str) -> Any:
    """A field of an object or of the dict that an unvalidated reply holds in its place."""
    return value.get(name) if isinstance(value, dict) else getattr(value, name, None)


def _is_local(base_url: str) -> bool:
    host = urlsplit(base_url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _wait_after(error: Any, tries: int) -> float | None:
    """Seconds to wait before the next try; None where another try is no use."""
    status = error.status_code
    if not (status in (408, 409, 425, 429) or status >= 500) or status == 501:
        return None
    if status == 429 and chat_errors.is_quota(chat_errors.server_message(error)):
        return None
    headers = error.response.headers
    if (ms := headers.get("retry-after-ms", "")).isdecimal():
        return int(ms) / 1000
    return _seconds(headers.get("retry-after", "")) or 0.5 * 2**tries


def _seconds(retry_after: str) -> float | None:
    """Retry-After as seconds: it comes as a number or as a date."""
    try:
        return max(0.0, float(retry_after))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - time.time())
    except (TypeError, ValueError):
        return None
