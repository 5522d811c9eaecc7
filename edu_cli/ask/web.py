"""Question -> passages from the web, through a SearXNG-compatible endpoint that the user configured."""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.parse
import urllib.request

from edu_cli.errors import ConfigError, WebError
from edu_cli.text import clean
from edu_cli.types import Passage

_TIMEOUT_S = 10.0
_MOST_BYTES = 2_000_000
_WANTED = re.compile(r"[（(,，]?\s*(?:可以|允许|请)?联网(?:查|搜索?|查询)?(?:一下)?\s*[)）]?")
_ASKS = re.compile(r"(?:可以|允许|请)联网|联网(?:查|搜)")


def asks_for_web(question: str) -> bool:
    """Whether the question itself allows the web ("…可以联网")."""
    return bool(_ASKS.search(question))


def without_request(question: str) -> str:
    """The question without its wish to search the web."""
    return _WANTED.sub("", question).strip("，,。 ") or question


def search_web(question: str, url: str, k: int) -> tuple[Passage, ...]:
    """The first k results as passages, their address in place of a document's path.

    Raises ConfigError where no endpoint is configured, WebError where it fails.
    """
    if not url:
        raise ConfigError("No web search is configured.", hint="set EDU_WEB_SEARCH_URL to a SearXNG address")
    if urllib.parse.urlsplit(url).scheme not in ("http", "https"):
        raise ConfigError(f"ask.web_url must be an http address, not {url!r}.", hint="as https://searx.example/search")
    query = urllib.parse.urlencode({"q": without_request(question), "format": "json"})
    request = urllib.request.Request(  # noqa: S310 - the scheme was checked
        f"{url}{'&' if '?' in url else '?'}{query}", headers={"User-Agent": "edu", "Accept": "application/json"}
    )
    try:
        with urllib.request.urlopen(request, timeout=_TIMEOUT_S) as reply:  # noqa: S310
            results = json.loads(reply.read(_MOST_BYTES))["results"]
        found = [_passage(n, item) for n, item in enumerate(results[: 2 * k], 1) if item.get("content")]
    except (OSError, urllib.error.URLError) as error:
        raise WebError(f"The web search at {_host(url)} failed: {error}.", hint="check EDU_WEB_SEARCH_URL") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise WebError(
            f"The web search at {_host(url)} sent no SearXNG results.", hint="its JSON format must be switched on"
        ) from error
    return tuple(found[:k])


def _passage(n: int, item: dict[str, object]) -> Passage:
    text = clean(str(item["content"]))[0]
    title, address = clean(str(item.get("title") or ""))[0], clean(str(item.get("url") or ""))[0]
    return Passage(n, 1.0 / n, address, title, (title,), None, "", address, address, address, text, text, {})


def _host(url: str) -> str:
    return urllib.parse.urlsplit(url).netloc.rpartition("@")[2]
