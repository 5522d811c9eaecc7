"""Flags -> a report: everything is checked before the first question is asked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from edu_cli.cli.context import Cli
from edu_cli.cli.eval_flags import EvalFlags, modes_of
from edu_cli.protocols import ScopeWish

if TYPE_CHECKING:
    from edu_cli.evaluate.items import Dataset
    from edu_cli.evaluate.run import Corpus, EvalOptions, EvalResult


def measure(cli: Cli, path: Path, flags: EvalFlags, wish: ScopeWish) -> EvalResult:
    """Runs what the flags ask for. Raises UsageError and DatasetError before anything is spent."""
    from edu_cli.evaluate.dataset import drawn, load_dataset
    from edu_cli.evaluate.run import evaluate
    from edu_cli.wiring.asking import find_scope
    from edu_cli.wiring.evaluation import eval_corpus, open_eval, with_misfits

    corpus = eval_corpus(cli.project, cli.settings, wish.tenant)
    dataset = drawn(load_dataset(path, list(corpus.docs), strict=flags.strict), flags.limit, flags.seed)
    dataset = with_misfits(dataset, cli.project, corpus)
    scope = find_scope(cli.project, wish)
    options = _options(cli, flags, corpus, dataset)
    with (
        cli.out.progress() as progress,
        open_eval(
            cli.project,
            cli.settings,
            scope,
            progress,
            cli.out.detail,
            dataset=path,
            judged=flags.judged,
            resume=flags.resume,
            corpus=corpus.corpus_hash,
        ) as tools,
    ):
        return evaluate(dataset, corpus, options, tools)


def _options(cli: Cli, flags: EvalFlags, corpus: Corpus, dataset: Dataset) -> EvalOptions:
    from edu_cli.evaluate.baseline import check_baseline, read_baseline
    from edu_cli.evaluate.figures import check_names
    from edu_cli.evaluate.report import slice_names
    from edu_cli.evaluate.run import EvalOptions
    from edu_cli.evaluate.strategies import STRATEGIES

    mode = cli.settings.search.mode
    modes = modes_of(flags.compared, mode, has_vectors=corpus.encoder is not None and mode != "bm25")
    check_names(
        flags.bounds,
        flags.ks,
        [mode.name for mode in modes] if len(modes) > 1 else [],
        STRATEGIES if flags.compared.strategies else (),
        slice_names(dataset.items, corpus.subjects),
    )
    before = None
    if flags.baseline:
        before = read_baseline(flags.baseline)
        check_baseline(flags.baseline, before, dataset)
    return EvalOptions(
        flags.ks,
        modes,
        flags.seed,
        cli.settings.ask.threshold,
        flags.stages,
        flags.bounds,
        before,
        flags.max_drop,
        cli.settings.ask.passages,
        flags.calibrate,
        flags.compared.strategies,
    )
