"""Model reply -> the text meant for the reader: thinking left out, answers wrapped in JSON unwrapped."""

from __future__ import annotations

import json
import re
from typing import Any

_OPEN, _CLOSE = "<think>", "</think>"
_FENCE = re.compile(r"```(?:json)?\s*\n(.*?)\n?```", re.DOTALL)
# A list of sources that a model puts under its answer, though each sentence has its own; and footnotes.
_SOURCES = re.compile(
    r"(?:^|\n)[ \t>#*]*(?:参考(?:资料|文献|来源)?|(?:资料|引用)?来源|引用(?:资料)?|出处|references?|sources?)"
    r"[ \t*]*[:：]?[ \t*]*"
    r"(?:(?=[:：\n\[［【])(?:[\[［【][^\]］】\n]{1,20}[\]］】][ \t,，、;；]*)*)"
    r"(?:\n+[ \t]*(?:[-*•][ \t]*)?(?:[\[［【][^\]］】\n]{1,20}[\]］】]|\d{1,2}[.、)])[^\n。]{0,120})*[\s。]*\Z",
    re.IGNORECASE,
)
_FOOTNOTE = re.compile(r"^\[\^\d{1,3}\][:：].*\n?", re.MULTILINE)
_ANSWER_KEYS = ("answer", "答案", "回答", "content", "response", "result", "text")
_CITATION_KEYS = ("citations", "sources", "references", "引用", "来源")


class ThinkFilter:
    """Leaves `<think>…</think>` out of a stream of pieces, also where a tag is cut by the pieces' ends."""

    def __init__(self) -> None:
        self._held = ""
        self._thinking = False

    def feed(self, piece: str) -> str:
        """What of `piece` (and of what was held back) may be shown now."""
        self._held += piece
        shown = ""
        while True:
            tag = _CLOSE if self._thinking else _OPEN
            at = self._held.lower().find(tag)
            if at < 0:
                keep = _tail_of_tag(self._held, tag)
                if not self._thinking:
                    shown += self._held[: len(self._held) - keep]
                self._held = self._held[len(self._held) - keep :]
                return shown
            if not self._thinking:
                shown += self._held[:at]
            self._held = self._held[at + len(tag) :]
            self._thinking = not self._thinking

    def finish(self) -> str:
        """What was held back and is no thinking."""
        rest, self._held = ("" if self._thinking else self._held), ""
        return rest


class WordFilter:
    """Leaves words out of a stream of pieces, also where one is cut by the pieces' ends; the longest come first."""

    def __init__(self, *words: str) -> None:
        self._words = words
        self._held = ""

    def feed(self, piece: str) -> str:
        """What of `piece` (and of what was held back) may be shown now."""
        text = self._without(self._held + piece)
        keep = max(_tail_of_tag(text, word) for word in self._words)
        self._held = text[len(text) - keep :]
        return text[: len(text) - keep]

    def finish(self) -> str:
        """What was held back and is none of the words."""
        rest, self._held = self._held, ""
        return rest

    def whole(self, text: str) -> str:
        """A whole text without the words."""
        return self._without(text).strip()

    def _without(self, text: str) -> str:
        for word in self._words:
            text = text.replace(word, "")
        return text


def _tail_of_tag(text: str, tag: str) -> int:
    """How many characters at the end of `text` may be the beginning of `tag`."""
    low = text.lower()
    return next((n for n in range(min(len(tag) - 1, len(low)), 0, -1) if low.endswith(tag[:n])), 0)


def without_thinking(text: str) -> str:
    """`text` after its thinking; some templates send only the closing tag, an unclosed one hides the rest."""
    filtered = ThinkFilter()
    shown = filtered.feed(text) + filtered.finish()
    head, tag, tail = shown.rpartition(_CLOSE)
    return (tail if tag else head + tail).strip()


def first_choice(reply: Any) -> Any:
    """What the model said, of a reply or of an event of its stream; None where there is none."""
    choices = getattr(reply, "choices", None)
    return choices[0] if isinstance(choices, list) and choices else None


def text_of_content(content: object) -> str:
    """A message's content as text: a string, null, or the list of parts that some servers send."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(text_of_content(part.get("text") if isinstance(part, dict) else part) for part in content)
    return ""


def parse_json(text: str) -> Any:
    """The JSON value in a model's reply: bare, in a code fence, or between prose; trailing commas are mended.

    Raises ValueError where there is none.
    """
    for candidate in _json_candidates(text):
        for attempt in (candidate, re.sub(r",\s*(?=[}\]])", "", candidate)):
            try:
                return json.loads(attempt, strict=False)
            except (ValueError, RecursionError):  # nested deeper than anybody would
                continue
    raise ValueError("no JSON in the reply")


def _json_candidates(text: str) -> list[str]:
    found = [text.strip(), *(m.strip() for m in _FENCE.findall(text))]
    for opening, closing in ("{}", "[]"):
        start, end = text.find(opening), text.rfind(closing)
        if 0 <= start < end:
            found.append(text[start : end + 1])
    return found


def plain_answer(text: str) -> str:
    """The answer of a model that wraps it in JSON although prose was asked for: its text, with its citations as [n]."""
    if "{" not in text and '["' not in text:
        return text
    try:
        value = parse_json(text)
    except ValueError:
        return text
    if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
        return "\n".join(value)
    if not isinstance(value, dict):
        return text
    answer = next((value[key] for key in _ANSWER_KEYS if key in value), None)
    if isinstance(answer, list):
        answer = "\n".join(str(item) for item in answer)
    if not isinstance(answer, str) or not answer.strip():
        return text
    return answer.strip() + _markers(value, answer)


def without_sources(text: str) -> str:
    """An answer without the list of sources under it; as it is where nothing else would be left."""
    rest = _SOURCES.sub("", _FOOTNOTE.sub("", text)).rstrip()
    return rest or text


def _markers(value: dict[str, Any], answer: str) -> str:
    if re.search(r"\[\d", answer):
        return ""
    cited = next((value[key] for key in _CITATION_KEYS if isinstance(value.get(key), list)), [])
    return "".join(f"[{n}]" for n in cited if isinstance(n, int) or (isinstance(n, str) and n.isdigit()))
