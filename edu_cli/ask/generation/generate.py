"""Question + passages -> draft: one streamed call, the passages fenced and fitted to a budget of tokens."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from edu_cli.ask.generation.context import Context, build_context
from edu_cli.ask.generation.phrases import REFUSAL, language
from edu_cli.ask.generation.reply import WordFilter, plain_answer, without_sources
from edu_cli.ask.verification.clauses import unbroken
from edu_cli.ask.verification.markers import MARKER, MarkerFilter
from edu_cli.ask.verification.terms import plain
from edu_cli.errors import ChatError, ContextOverflowError
from edu_cli.prompts import Prompt
from edu_cli.protocols import ChatModel
from edu_cli.types import ChatReply, Message, Passage

Show = Callable[[str], None]
_HISTORY_TURNS = 6  # messages of the conversation that a later prompt carries
_FENCE_FORMS = ("</资料-{}>", "<资料-{}>", "-{}", "{}")  # as small models copy the fence's word into their answers
_HALVINGS = 4  # of the context where it is too long: from the default 4000 tokens to 250


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
    """One call; where it is too long for the model, again without the conversation and with half the context each time.

    A server refuses what is too long before it computes anything, so that these calls cost next to nothing. Raises
    ChatError, ContextOverflowError where even the least context is too long.
    """
    context, tries = build_context(passages, grounding.context_tokens), 0
    found = len(context.passages)
    while True:
        try:
            draft = _draft(question, context, chat, grounding, show)
            break
        except ContextOverflowError:
            if tries == _HALVINGS:
                raise
            tries += 1
            grounding = replace(grounding, history=())  # the question is complete without it
            context = build_context(context.passages[: max(1, len(context.passages) // 2)], context.tokens // 2)
    if not tries:
        return draft
    note = f"the passages were too long for {chat.model}: {len(context.passages)} of {found} were given"
    return replace(draft, warnings=(*draft.warnings, note))


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
    fence = WordFilter(*(form.format(context.fence) for form in _FENCE_FORMS))
    reply: ChatReply | None = None
    for piece in chat.stream(messages, temperature=grounding.temperature):
        if isinstance(piece, ChatReply):
            reply = piece
        else:
            visible.feed(fence.feed(piece))
    visible.feed(fence.finish())
    visible.finish()
    if reply is None:
        raise ChatError(f"The model {chat.model} sent no reply.", hint="try again")
    text = unbroken(without_sources(fence.whole(plain_answer(reply.text))))
    return Draft(text, context.passages, is_refusal(text) or _repeats(text, question), _warnings(reply))


class Visible:
    """Shows a stream as it comes: without leading space, with only the markers that exist, a refusal not at all."""

    def __init__(self, show: Show | None, last: int, quoted: Callable[[str], bool]) -> None:
        self._show = show
        self._filter = MarkerFilter(last, quoted=quoted)
        self._held = ""  # the beginning, while it may become a refusal, in whose place a longer one is shown
        self._begun = False

    def feed(self, piece: str) -> None:
        """Takes the next piece of the reply."""
        self._put(self._filter.feed(piece))

    def finish(self) -> None:
        """Shows what was held back."""
        self._put(self._filter.finish(), last=True)

    def _put(self, text: str, *, last: bool = False) -> None:
        if not self._begun:
            self._held = text = (self._held + text).lstrip()
            self._begun = bool(text) and not (is_refusal(text) if last else _begins_refusal(text))
            if not self._begun:
                return
        if text and self._show:
            self._show(text)


def _begins_refusal(text: str) -> bool:
    said = plain(text).rstrip("。.!！ ")
    return any(plain(phrase).startswith(said) for phrase in REFUSAL.values())


def is_refusal(text: str) -> bool:
    """Whether the model says, as it was told to, that the material has no answer."""
    said = plain(text).rstrip("。.!！ ")
    return any(said == plain(phrase).rstrip("。. ") for phrase in REFUSAL.values())


def _repeats(text: str, question: str) -> bool:
    """Whether the model gives the question back, as small ones do."""
    said, asked = (re.sub(r"\W", "", plain(MARKER.sub("", one))) for one in (text, question))
    return said == asked


def _warnings(reply: ChatReply) -> tuple[str, ...]:
    told = {
        "length": "the answer was cut off: raise EDU_LLM_MAX_TOKENS",
        "content_filter": "the endpoint's content filter cut the answer off",
        "missing": "the endpoint ended its answer without a finish_reason: it may be incomplete",
    }
    return (told[reply.finish_reason],) if reply.finish_reason in told else ()
