"""One bounded HTTP exchange with a search server; its failures as one sentence that names the host and no secret."""

from __future__ import annotations

import base64
import ipaddress
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPException, HTTPResponse
from typing import Any

from edu_cli.errors import ConfigError, WebError

TIMEOUT_S = 20.0
MOST_BYTES = 4_000_000


def host_of(url: str) -> str:
    """Host and port of an address, as it may be shown: the rest of it can carry secrets."""
    return urllib.parse.urlsplit(url).netloc.rpartition("@")[2]


def checked_address(url: str, setting: str) -> str:
    """`url`, if it is an http address. Raises ConfigError."""
    parts = urllib.parse.urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError(f"{setting} must be an http address.", hint="as https://host/path")
    return url


@contextmanager
def exchange(
    url: str, headers: Mapping[str, str], data: bytes | None = None, method: str | None = None
) -> Iterator[HTTPResponse]:
    """The reply to one request. Raises WebError, `code` "web_404" for a 404."""
    bare, login = _without_login(url)
    request = urllib.request.Request(  # noqa: S310 - checked_address lets only http pass
        bare, data=data, headers={"User-Agent": "edu", **login, **headers}, method=method
    )
    try:
        with _opener(url).open(request, timeout=TIMEOUT_S) as reply:
            yield reply
    except urllib.error.HTTPError as error:
        raise WebError(
            f"The web search at {host_of(url)} refused the request ({error.code}).",
            hint="check its address and, where it needs one, its token",
            code="web_404" if error.code == 404 else "",
        ) from None
    except (OSError, HTTPException) as error:
        reason = getattr(error, "reason", None) or error
        raise WebError(
            f"The web search at {host_of(url)} failed: {reason}.", hint="check its address and that it runs"
        ) from None


def _without_login(url: str) -> tuple[str, dict[str, str]]:
    """An address without its `user:password@`, and the header that says the same."""
    parts = urllib.parse.urlsplit(url)
    login, _, host = parts.netloc.rpartition("@")
    if not login:
        return url, {}
    code = base64.b64encode(urllib.parse.unquote(login).encode()).decode()
    return urllib.parse.urlunsplit(parts._replace(netloc=host)), {"Authorization": f"Basic {code}"}


def _opener(url: str) -> Any:
    """HTTP_PROXY would swallow calls to a server on this machine."""
    host = urllib.parse.urlsplit(url).hostname or ""
    try:
        is_local = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        is_local = False
    handlers = [urllib.request.ProxyHandler({})] if is_local else []
    return urllib.request.build_opener(*handlers)
