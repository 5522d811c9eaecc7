"""One question on its way through the pipeline: what it came with, its trail, and how an answer is put together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from edu_cli.errors import ChatError
from edu_cli.prompts import load_prompt
from edu_cli.types import Answer, LlmUse

if TYPE_CHECKING:
    from edu_cli.ask.memory import Talk
    from edu_cli.ask.request import AskRequest, AskTools
    from edu_cli.ask.trail import CountedChat, Trail
    from edu_cli.prompts import Prompt
    from edu_cli.types import Citation, Passage


class UnansweredError(ChatError):
    """The LLM failed after passages were found; they are still of use to whoever asked."""

    def __init__(self, cause: ChatError, passages: Sequence[Passage]) -> None:
        super().__init__(cause.message, hint=cause.hint, code=cause.code)
        self.passages = tuple(passages)


@dataclass(frozen=True, slots=True)
class Turn:
    """A question being answered. `standalone` is what is searched for: the question without references."""

    request: AskRequest
    tools: AskTools
    trail: Trail
    chat: CountedChat | None
    show: Callable[[str], None] | None
    talk: Talk
    standalone: str

    @property
    def tenant(self) -> str:
        """Whose records this turn may see."""
        return self.request.scope.tenant

    def prompt(self, name: str, suffix: str = ".md") -> Prompt:
        """A prompt, the project's own first; the step that it is used in names it."""
        found = load_prompt(name, self.tools.prompts, suffix)
        self.trail.prompts.append(f"{name}@{found.version}")
        return found

    def learner(self) -> str:
        """What older turns told of the learner, as a line for a system message; "" where nothing is known."""
        return f"关于学习者：{self.talk.summary}" if self.talk.summary else ""

    def answer(self, text: str, *, route: str, mode: str, **rest: Any) -> Answer:
        """An Answer of this turn with what every answer carries."""
        trail = self.trail
        rest = {"refused": False, "confidence": 1.0, "kind": None, "strategy": None, **rest}
        return Answer(
            question=self.request.question,
            standalone_question=self.standalone,
            answer=text,
            route=route,
            mode=mode,
            session=self.talk.session_id,
            llm=self.chat.use if self.chat else LlmUse(),
            steps=tuple(trail.steps),
            warnings=(*trail.warnings, *self._did_you_mean(rest.get("citations", ()))),
            seconds=trail.seconds,
            **rest,
        )

    def _did_you_mean(self, citations: Sequence[Citation]) -> tuple[str, ...]:
        """The FAQ entries that were nearly accepted, unless the answer is taken from their own document."""
        cited = {citation.doc for citation in citations}
        near = [entry.question for entry in self.trail.near_faq if entry.source not in cited]
        return (f"did you mean: {' / '.join(near)}",) if near else ()
