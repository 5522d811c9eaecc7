"""What an OpenAI-compatible endpoint did wrong -> one sentence and what to do about it."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

from edu_cli.config import LlmSettings, masked
from edu_cli.errors import ChatError, ContextOverflowError
from edu_cli.text import shortened

_OVERFLOW = re.compile(
    r"context[ _](length|window|size)|maximum context|too many tokens|(input|prompt) is too long|max_model_len|"
    r"range of input length",
    re.IGNORECASE,
)
_QUOTA = re.compile(
    r"insufficient[ _]quota|insufficient balance|exceeded your current quota|arrearage|欠费|余额不足", re.IGNORECASE
)


def where(settings: LlmSettings) -> str:
    """The endpoint as it may be shown: host and port only, since a URL can carry secrets."""
    parts = urlsplit(settings.base_url or "https://api.openai.com/v1")
    return f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname)


def is_overflow(status: int, message: str) -> bool:
    """Whether a refusal means that the prompt was longer than the model's context."""
    return status == 413 or (status in (400, 422) and bool(_OVERFLOW.search(message)))


def is_quota(message: str) -> bool:
    """Whether a 429 means that the account is out of money, which no waiting mends."""
    return bool(_QUOTA.search(message))


def status_error(status: int, message: str, settings: LlmSettings) -> ChatError:
    """An HTTP error as a sentence."""
    host, model = where(settings), settings.model
    said = f"{status}: {scrub(message, settings)}" if message else str(status)
    if is_overflow(status, message):
        return ContextOverflowError(
            f"The question and its passages are longer than the context of {model} at {host} ({said}).",
            hint="lower EDU_ASK_CONTEXT_TOKENS or EDU_ASK_PASSAGES",
        )
    if status == 429 and is_quota(message):
        return ChatError(
            f"The account at {host} has no quota left ({said}).", hint="top it up or choose another endpoint"
        )
    sentences = {
        401: (f"The LLM endpoint {host} refused the key ({said}).", "check OPENAI_API_KEY"),
        402: (f"The account at {host} has no balance left ({said}).", "top it up or choose another endpoint"),
        403: (
            f"The LLM endpoint {host} does not let this key use {model} ({said}).",
            "check the key's rights and EDU_LLM_MODEL",
        ),
        404: (
            f"The LLM endpoint {host} does not know the model '{model}' or this path ({said}).",
            "check EDU_LLM_MODEL and OPENAI_BASE_URL (it mostly ends in /v1)",
        ),
        429: (f"The LLM endpoint {host} is limiting the rate ({said}).", "wait, or raise EDU_LLM_RETRIES"),
    }
    if status in sentences:
        text, hint = sentences[status]
        return ChatError(text, hint=hint)
    if status >= 500:
        return ChatError(
            f"The LLM endpoint {host} failed ({said}).", hint="try again later, or see the endpoint's status page"
        )
    return ChatError(
        f"The LLM endpoint {host} refused the request ({said}).",
        hint="check EDU_LLM_MODEL and the llm settings: `edu config`",
    )


def timeout_error(settings: LlmSettings) -> ChatError:
    """No reply in time."""
    return ChatError(
        f"The LLM endpoint {where(settings)} gave no reply within {settings.timeout_s:g} s.",
        hint="raise EDU_LLM_TIMEOUT_S, or try again",
    )


def connection_error(settings: LlmSettings, cause: BaseException, *, started: bool) -> ChatError:
    """No connection, or one that broke; `started` tells that part of the answer had come."""
    if started:
        return ChatError(f"The LLM endpoint {where(settings)} broke off in the middle of its answer.", hint="try again")
    detail = scrub(str(cause.__cause__ or cause), settings)
    return ChatError(
        f"The LLM endpoint {where(settings)} cannot be reached ({detail}).",
        hint="check OPENAI_BASE_URL, that the server runs, and the proxy variables",
    )


def web_page_error(settings: LlmSettings) -> ChatError:
    """A web page instead of JSON: mostly the address of a site rather than of its API."""
    return ChatError(
        f"The LLM endpoint {where(settings)} answered with a web page, not with JSON.",
        hint="check OPENAI_BASE_URL: it mostly ends in /v1",
    )


def malformed_error(settings: LlmSettings) -> ChatError:
    """A reply that is no chat completion."""
    return ChatError(
        f"The LLM endpoint {where(settings)} sent a reply that is no chat completion.",
        hint="check OPENAI_BASE_URL: it mostly ends in /v1",
    )


def empty_error(settings: LlmSettings, finish_reason: str) -> ChatError:
    """A reply without text, with the reason that the server gave."""
    hints = {
        "length": "raise EDU_LLM_MAX_TOKENS: the model spent them before answering",
        "content_filter": "the endpoint's content filter stopped it; ask in other words",
    }
    return ChatError(
        f"The model {settings.model} returned nothing (finish_reason {finish_reason or 'not given'}).",
        hint=hints.get(finish_reason, "try again, or choose another model with EDU_LLM_MODEL"),
    )


def scrub(message: str, settings: LlmSettings) -> str:
    """A server's message on one line, short, with the key (or what looks like one) masked."""
    text = " ".join(message.split())
    if settings.api_key:
        text = text.replace(settings.api_key, masked(settings.api_key))
    text = re.sub(r"\b(sk-|Bearer\s+)[\w\-*.]{8,}", r"\1…", text)
    return shortened(text, 200)


def server_message(error: Any) -> str:
    """What the server said in an error's body, in the shapes that servers use; "" for an HTML page."""
    body = error.body
    if isinstance(body, dict):
        inner = body.get("error", body)
        found = inner.get("message") or inner.get("detail") or inner.get("code") if isinstance(inner, dict) else inner
        return str(found or "")
    text = str(body or "")
    return "" if "<" in text[:20] else text
