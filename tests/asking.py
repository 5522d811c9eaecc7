"""What tests of `ask` share: a search that gives fixed passages, and shortcuts to ask."""

from __future__ import annotations

from typing import Any

from scripted_llm import ScriptedChat

from edu_cli.ask.pipeline import ask
from edu_cli.ask.request import AskRequest, AskTools
from edu_cli.errors import EduError
from edu_cli.index.records import Records
from edu_cli.settings import AskSettings, Settings
from edu_cli.types import Answer, Passage, Scope, SearchRequest, SearchResult, WebPage

LEAF = "光合作用的暗反应发生在叶绿体基质中。"
FEES = "Python 课程的学费是 2680 元。"


class FixedSearch:
    """A PassageSearch that gives the same passages to every question and keeps what it was asked."""

    def __init__(self, *texts: str, confidence: float = 0.9) -> None:
        self.texts, self.confidence = texts, confidence
        self.asked: list[tuple[str, Scope]] = []
        self.made_up: list[str] = []

    def search(self, request: SearchRequest) -> SearchResult:
        self.asked.append((request.question, request.scope))
        self.made_up.append(request.passage)
        passages = tuple(
            Passage(n, 1.0 / n, f"{n}.md", f"第{n}讲", ("节",), n, "", f"p{n}", f"c{n}", f"d{n}", text, text, {})
            for n, text in enumerate(self.texts[: request.k], 1)
        )
        return SearchResult(request.question, passages, self.confidence if passages else 0.0, {})


class FixedWeb:
    """A WebSearch that finds the same pages for every question, or fails."""

    name = "the web"

    def __init__(self, *pages: WebPage, failure: EduError | None = None) -> None:
        self.pages, self.failure = pages, failure
        self.asked: list[str] = []

    def search(self, question: str, k: int) -> tuple[WebPage, ...]:
        self.asked.append(question)
        if self.failure:
            raise self.failure
        return self.pages

    def close(self) -> None:
        """Nothing is open."""


def tools(
    search: FixedSearch,
    chat: ScriptedChat | None = None,
    records: Records | None = None,
    web: FixedWeb | None = None,
    **settings: Any,
) -> AskTools:
    return AskTools(Settings(ask=AskSettings(**settings)), lambda: search, chat, None, records, web=web)


def asked(
    question: str,
    search: FixedSearch,
    chat: ScriptedChat | None = None,
    records: Records | None = None,
    **flags: object,
) -> Answer:
    return ask(AskRequest(question, **flags), tools(search, chat, records))  # type: ignore[arg-type]
