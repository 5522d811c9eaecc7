"""An LLM as judge, by the definitions of RAGAS: faithfulness, answer relevancy, context precision and recall.

Temperature 0, strict JSON with one repair. A reply that cannot be used fails its measure for that question: it counts
as 0 and is listed, never skipped and never NaN.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from edu_cli.ask.generation.reply import parse_json
from edu_cli.ask.verification.markers import MARKER
from edu_cli.errors import ChatError
from edu_cli.evaluate.asking import Asked, Failure
from edu_cli.prompts import Prompt
from edu_cli.protocols import ChatModel
from edu_cli.text import sentences
from edu_cli.types import Message

_MOST = 40  # claims or sentences judged of one text
_PASSAGE_CHARS = 2000

T = TypeVar("T")
Similarity = Callable[[str, Sequence[str]], Sequence[float]]


class JudgeError(Exception):
    """A verdict that cannot be used, and why."""


@dataclass(frozen=True, slots=True)
class Judge:
    """Asks `chat`; `similarity` (cosine of a question to others, 0..1) is None where there is no encoder."""

    chat: ChatModel
    prompt: Prompt
    similarity: Similarity | None

    def judge(self, asked: Asked) -> tuple[dict[str, float], list[Failure]]:
        """The measures that fit this question; a refusal is not judged."""
        values: dict[str, float] = {}
        failures: list[Failure] = []
        for name, measure in self._measures(asked).items():
            try:
                values[name] = measure()
            except (JudgeError, ChatError) as error:
                values[name] = 0.0
                failures.append(Failure(asked.item.id, name, str(error)))
        return values, failures

    def _measures(self, asked: Asked) -> Mapping[str, Callable[[], float]]:
        answer = asked.answer
        if answer is None or not asked.text or not answer.passages:
            return {}
        question = asked.item.question
        passages = [passage.context[:_PASSAGE_CHARS] for passage in answer.passages]
        measures: dict[str, Callable[[], float]] = {
            "JudgeFaithfulness": lambda: self._supported(passages, _pieces(asked.text))
        }
        if self.similarity is not None:
            measures["JudgeRelevancy"] = lambda: self._relevancy(question, asked.text)
        if asked.item.answers:
            reference = asked.item.answers[0]
            measures["JudgeContextRecall"] = lambda: self._supported(passages, _pieces(reference))
            measures["JudgeContextPrecision"] = lambda: self._precision(question, reference, passages)
        return measures

    def _supported(self, passages: Sequence[str], claims: Sequence[str]) -> float:
        """Share of the claims that follow from the passages."""
        task = "逐条判断 claims 中的陈述能否完全由 passages 推出：能为 1，不能为 0。"
        verdicts = self._verdicts(task, {"passages": list(passages), "claims": list(claims)}, len(claims))
        return sum(verdicts) / len(verdicts)

    def _precision(self, question: str, reference: str, passages: Sequence[str]) -> float:
        """Mean of the precision at each useful passage: 1 where the useful ones stand first."""
        task = "逐条判断 passages 中的每一段对得出 reference 这个答案是否有用：有用为 1，无用为 0。"
        payload = {"question": question, "reference": reference, "passages": list(passages)}
        verdicts = self._verdicts(task, payload, len(passages))
        at_useful = [sum(verdicts[: i + 1]) / (i + 1) for i, useful in enumerate(verdicts) if useful]
        return sum(at_useful) / len(at_useful) if at_useful else 0.0

    def _relevancy(self, question: str, answer: str) -> float:
        """Mean similarity of the question to questions that the answer would answer; 0 for an evasive answer."""
        task = "写出三个恰好由 answer 回答的问题；若 answer 回避问题或说不知道，evasive 为 1，否则为 0。"

        def check(value: Any) -> tuple[list[str], bool]:
            questions = value.get("questions")
            if not isinstance(questions, list) or not questions or not all(isinstance(q, str) for q in questions):
                raise JudgeError("gave no list of questions")
            return questions[:3], value.get("evasive") in (1, True)

        keys = '{"questions": ["…", "…", "…"], "evasive": 0}'
        questions, evasive = self._asked(task, keys, {"answer": answer}, check)
        if evasive or self.similarity is None:
            return 0.0
        found = self.similarity(question, questions)
        return min(1.0, max(0.0, sum(found) / len(found)))

    def _verdicts(self, task: str, payload: Mapping[str, Any], n: int) -> list[int]:
        def check(value: Any) -> list[int]:
            verdicts = value.get("verdicts")
            if not isinstance(verdicts, list) or len(verdicts) != n:
                raise JudgeError(f"gave no list of {n} verdicts")
            return [_binary(verdict) for verdict in verdicts]

        return self._asked(task, f'{{"verdicts": [共 {n} 个 0 或 1]}}', payload, check)

    def _asked(self, task: str, keys: str, payload: Mapping[str, Any], check: Callable[[Any], T]) -> T:
        messages = [
            Message("system", self.prompt.fill(task=task, keys=keys)),
            Message("user", json.dumps(payload, ensure_ascii=False)),
        ]
        reply = self.chat.complete(messages, temperature=0.0, json_object=True).text
        try:
            return _checked(reply, check)
        except JudgeError as error:
            repair = f"这个回答不能用（{error}）。只输出 {keys}"
            messages += [Message("assistant", reply), Message("user", repair)]
            return _checked(self.chat.complete(messages, temperature=0.0, json_object=True).text, check)


def _checked(reply: str, check: Callable[[Any], T]) -> T:
    try:
        value = parse_json(reply)
    except ValueError as error:
        raise JudgeError(f"gave no JSON but {reply[:80]!r}") from error
    if not isinstance(value, dict):
        raise JudgeError(f"gave no JSON object but {reply[:80]!r}")
    return check(value)


def _binary(verdict: Any) -> int:
    number = float(verdict) if isinstance(verdict, (int, float)) else math.nan
    if number not in (0.0, 1.0):
        raise JudgeError(f"gave the verdict {verdict!r}, which is neither 0 nor 1")
    return int(number)


def _pieces(text: str) -> list[str]:
    """The sentences of a text, as claims; a citation mark claims nothing."""
    text = MARKER.sub("", text)
    pieces = [text[start:end].strip() for start, end in sentences(text)]
    return [piece for piece in pieces if piece][:_MOST] or [text]
