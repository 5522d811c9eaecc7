"""protocols.WebSearch over a SearXNG-compatible JSON endpoint."""

from __future__ import annotations

import json
import urllib.parse

from edu_cli.ask.web.http import MOST_BYTES, checked_address, exchange, host_of
from edu_cli.errors import WebError
from edu_cli.types import WebPage


class SearxngSearch:
    """One endpoint. Raises ConfigError for an address that is none."""

    def __init__(self, url: str) -> None:
        self._url = checked_address(url, "ask.web_url")

    @property
    def name(self) -> str:
        """Where it is."""
        return host_of(self._url)

    def search(self, question: str, k: int) -> tuple[WebPage, ...]:
        """As WebSearch.search."""
        query = urllib.parse.urlencode({"q": question, "format": "json"})
        url = f"{self._url}{'&' if '?' in self._url else '?'}{query}"
        with exchange(url, {"Accept": "application/json"}) as reply:
            raw = reply.read(MOST_BYTES)
        try:
            results = json.loads(raw)["results"][: 2 * k]
            found = [
                WebPage(str(item.get("title") or ""), str(item.get("url") or ""), str(item.get("content") or ""))
                for item in results
            ]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise WebError(
                f"The web search at {self.name} sent no SearXNG results.", hint="its JSON format must be switched on"
            ) from None
        return tuple(found)

    def close(self) -> None:
        """Nothing to close: each search is one request."""
