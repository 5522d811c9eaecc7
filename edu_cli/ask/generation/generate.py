"""Question + passages -> draft: one streamed call, the passages fenced and fitted to a budget of tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from edu_cli.ask.generation.context import Context, build_context
from edu_cli.ask.generation.phrases import REFUSAL, language
from edu_cli.ask.generation.reply import plain_answer
from edu_cli.ask.verification.markers import MarkerFilter
from edu_cli.ask.verification.terms import plain
from edu_cli.errors import ChatError, ContextOverflowError
from edu_cli.prompts import Prompt
from edu_cli.protocols import ChatModel
from edu_cli.types import ChatReply, Message, Passage

Show = Callable[[str], None]
_HISTORY_TURNS = 6  # messages of the conversation that a later prompt carries


@dataclass(frozen=True, slots=True)
class Draft:
    """What the model wrote, before verification. `passages` are those that it was given, numbered from 1."""

    text: str
    passages: tuple[Passage, ...]
    refused: bool
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Grounding:
    """How answers are to be written: prompt, budget, the conversation so far, and what an earlier draft lacked."""

    prompt: Prompt
    context_tokens: int
    temperature: float
    history: tuple[Message, ...] = ()
    summary: str = ""
    again: str = ""


def generate(
    question: str, passages: Sequence[Passage], chat: ChatModel, grounding: Grounding, show: Show | None
) -> Draft:
    """One call; a second one with half the context where the first was too long for the model. Raises ChatError."""
    context = build_context(passages, grounding.context_tokens)
    try:
        return _draft(question, context, chat, grounding, show)
    except ContextOverflowError:
        smaller = build_context(context.passages[: max(1, len(context.passages) // 2)], context.tokens // 2)
        draft = _draft(question, smaller, chat, grounding, show)
        given = f"{len(smaller.passages)} of {len(context.passages)}"
        note = f"the passages were too long for {chat.model}: {given} were given"
        return Draft(draft.text, draft.passages, draft.refused, (*draft.warnings, note))


def _draft(question: str, context: Context, chat: ChatModel, grounding: Grounding, show: Show | None) -> Draft:
    refusal = REFUSAL[language(question)]
    system = grounding.prompt.fill(fence=context.fence, refusal=refusal)
    if grounding.summary:
        system += f"\n\n{grounding.summary}"
    messages = [
        Message("system", system),
        *grounding.history[-_HISTORY_TURNS:],
        Message("user", f"{context.block}\n\n问题：{question}" + (f"\n\n{grounding.again}" if grounding.again else "")),
    ]
    joined = "\n".join(p.context for p in context.passages)
    visible = Visible(show, len(context.passages), lambda code: code in joined)
    reply: ChatReply | None = None
    for piece in chat.stream(messages, temperature=grounding.temperature):
        if isinstance(piece, ChatReply):
            reply = piece
        else:
            visible.feed(piece)
    visible.finish()
    if reply is None:
        raise ChatError(f"The model {chat.model} sent no reply.", hint="try again")
    text = plain_answer(reply.text)
    return Draft(text, context.passages, is_refusal(text), _warnings(reply))


class Visible:
    """Shows a stream as it comes: without leading space, with only the markers that exist, wrapped JSON not at all."""

    def __init__(self, show: Show | None, last: int, quoted: Callable[[str], bool]) -> None:
        self._show = show
        self._filter = MarkerFilter(last, quoted=quoted)
        self._begun = False

    def feed(self, piece: str) -> None:
        """Takes the next piece of the reply."""
        self._put(self._filter.feed(piece))

    def finish(self) -> None:
        """Shows what was held back."""
        self._put(self._filter.finish())

    def _put(self, text: str) -> None:
        if not self._begun:
            text = text.lstrip()
        if text and self._show:
            self._begun = True
            self._show(text)


def is_refusal(text: str) -> bool:
    """Whether the model says, as it was told to, that the material has no answer."""
    said = plain(text).rstrip("。.!！ ")
    return any(said == plain(phrase).rstrip("。. ") for phrase in REFUSAL.values())


def _warnings(reply: ChatReply) -> tuple[str, ...]:
    told = {
        "length": "the answer was cut off: raise EDU_LLM_MAX_TOKENS",
        "content_filter": "the endpoint's content filter cut the answer off",
        "missing": "the endpoint ended its answer without a finish_reason: it may be incomplete",
    }
    return (told[reply.finish_reason],) if reply.finish_reason in told else ()
