"""What tests of evaluation share: questions with labels, a scripted search, and a run over them."""

from __future__ import annotations

from fakes import QuietProgress
from passages import ScriptedSearch

from edu_cli.evaluate.generation import measure_answer
from edu_cli.evaluate.items import Dataset, Item, Relevant
from edu_cli.evaluate.resume import ResultCache
from edu_cli.evaluate.retrieval import MODES
from edu_cli.evaluate.run import Corpus, EvalOptions, EvalTools, evaluate
from edu_cli.evaluate.strategies import StrategyTools
from edu_cli.types import Answer, Scope

ITEMS = (
    Item("q1", "甲？", (Relevant(doc="a.md"),), tags=("fee",)),
    Item("q2", "乙？", (Relevant(doc="b.md", grade=2), Relevant(doc="c.md"))),
    Item("q3", "丙？", (Relevant(doc="gone.md"),), subject="ai"),
    Item("q4", "丁？"),
    Item("q5", "戊？", answerable=False),
)
ALL = {"甲？": ["a.md"], "乙？": ["x.md", "b.md", "c.md"], "戊？": ["x.md"]}
SCRIPT = {mode.name: ALL for mode in MODES} | {"hybrid+rerank": {**ALL, "甲？": ["x.md", "y.md"]}}
CONFIDENCE = {"甲？": 0.9, "乙？": 0.8, "丙？": 0.6, "戊？": 0.2}
CORPUS = Corpus({name: name for name in ("a.md", "b.md", "c.md", "x.md", "y.md")}, {"name": "hash", "dim": 8}, "abc123")
_TOOLS = ("ask", "route", "cache", "judge", "seek", "missing", "scope_of")


def refuse(*_):
    raise AssertionError("this stage was not asked for")


def tools_of(searcher, *, ask=refuse, route=refuse, cache=None, judge=None, seek=refuse, missing=None, scope_of=None):
    return EvalTools(
        searcher,
        StrategyTools(seek, missing or {}),
        route,
        ask,
        measure_answer(judge),
        scope_of or (lambda item: Scope(subject=item.subject)),
        cache or ResultCache(None, "", "", resume=False),
        QuietProgress(),
    )


def run(items=ITEMS, script=SCRIPT, *, modes=MODES, corpus=CORPUS, **options):
    """The result and the search, which knows what it was asked; options are those of EvalOptions and of tools_of."""
    searcher = ScriptedSearch(script, CONFIDENCE)
    tools = tools_of(searcher, **{name: options.pop(name) for name in _TOOLS if name in options})
    settings = EvalOptions((1, 10), modes, 0, 0.75, options.pop("stages", ("retrieval",)), **options)
    return evaluate(Dataset("set.jsonl", items, (), ()), corpus, settings, tools), searcher


def answer(text, **fields):
    values = {
        "refused": False,
        "confidence": 0.9,
        "route": "rag",
        "kind": None,
        "strategy": "direct",
        "mode": "extractive",
    }
    return Answer("问", "问", text, **{**values, **fields})
