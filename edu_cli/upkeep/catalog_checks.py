"""Checks of what the project says: its own files, the catalog, its sources, and who is writing."""

from __future__ import annotations

import os
from pathlib import Path

from edu_cli.index.catalog import Catalog
from edu_cli.index.documents import documents
from edu_cli.index.lock import holder
from edu_cli.index.queries import UNSOUND_FAQ
from edu_cli.index.tokens import read_terms
from edu_cli.prompts import load_prompt
from edu_cli.settings import Settings
from edu_cli.types.catalog_keys import RUN
from edu_cli.upkeep.results import CheckResult, mendable

_SHOWN = 3  # names in a message; the commands that list all of them are in the fix
_BAD_SPANS = """SELECT count(*) FROM children c JOIN parents p USING (parent_id)
  WHERE c.start < 0 OR c."end" <= c.start OR c."end" > length(p.text)"""


def check_settings(root: Path, prompts: Path, settings: Settings) -> CheckResult:
    """The files that settings name, and the project's own prompts. Raises ConfigError."""
    if settings.lexical.user_dict:
        read_terms(root / settings.lexical.user_dict)
    own = sorted(prompts.glob("*.md")) if prompts.is_dir() else []
    for path in own:
        load_prompt(path.stem, prompts)
    chosen = f"{len(settings.sources)} not at their defaults" if settings.sources else "all at their defaults"
    return CheckResult("settings", "pass", chosen + (f", {len(own)} prompts of the project's own" if own else ""))


def check_catalog(catalog: Catalog) -> CheckResult:
    """SQLite's own check of the file, references between tables, and children that lie within their parents."""
    database = catalog.database
    damage = [row[0] for row in database.rows("PRAGMA quick_check(1)") if row[0] != "ok"]
    if not damage and database.rows("PRAGMA foreign_key_check"):
        damage = ["rows refer to rows that do not exist"]
    if not damage and (n_bad := database.one(_BAD_SPANS)):
        damage = [f"{n_bad} chunks lie outside their sections"]
    if damage:
        fix = f"edu restore FILE --force brings a backup back; else move {database.path} away and run edu ingest"
        return CheckResult("catalog", "fail", f"{database.path} is damaged: {damage[0]}", fix)
    n = catalog.counts()
    return CheckResult(
        "catalog", "pass", f"{n['documents']} documents, {n['parents']} parents, {n['children']} children"
    )


def check_documents(catalog: Catalog) -> CheckResult:
    """Whether every file could be loaded."""
    failed = [f"{d.path} ({d.error[0]})" for d in documents(catalog) if d.error]
    if failed:
        return CheckResult("documents", "warn", f"{len(failed)} not loaded: {_some(failed)}", "edu docs list tells why")
    return CheckResult("documents", "pass", "all were loaded")


def check_faq(catalog: Catalog) -> CheckResult:
    """Whether the FAQ entries of people are as they were stored; those of tables are checked with their documents."""
    if damaged := [row[0] for row in catalog.database.rows(UNSOUND_FAQ)]:
        fix = f"edu faq remove {damaged[0]}, or edu restore FILE --force"
        return CheckResult("FAQ", "fail", f"{len(damaged)} entries are not as they were stored: {damaged[0]}", fix)
    n_entries = catalog.database.one("SELECT count(*) FROM faq")
    return CheckResult("FAQ", "pass", f"{n_entries} entries of people are as they were stored")


def check_sources(catalog: Catalog, root: Path) -> CheckResult:
    """Whether the PATHs that were ingested are still there."""
    paths = [os.path.normpath(root / found.path) for found in catalog.roots()]
    gone = sorted({path for path in paths if not Path(path).exists()})
    if gone:
        fix = "bring it back, or forget its documents: edu docs remove"
        return CheckResult("sources", "warn", f"no longer there: {_some(gone)}", fix)
    return CheckResult("sources", "pass", _some(sorted(set(paths))) or "none yet")


def check_unfinished(catalog: Catalog, drafts: list[Path], lock: Path) -> CheckResult:
    """Whether a run was cut off, between the catalog and the vectors or before all was loaded.

    `drafts` are what a restore left behind; who holds the `lock` is not done yet.
    """
    if n := len(catalog.unsettled()):
        return mendable("last run", "warn", f"it was cut off: {n} chunks may have vectors that are wrong or missing")
    if drafts:
        return mendable("last run", "warn", f"a restore was cut off and left {drafts[0]}")
    if catalog.meta(RUN) and not holder(lock):
        told = "it was cut off: files that it was to load may be missing"
        return CheckResult("last run", "warn", told, "edu ingest PATH goes on where it ended")
    return CheckResult("last run", "pass", "it finished")


def check_lock(path: Path) -> CheckResult:
    """Whether another process is writing, which makes counts differ for good reasons."""
    if who := holder(path):
        return CheckResult("lock", "warn", f"another edu is writing ({who})", "wait, then run edu doctor again")
    return CheckResult("lock", "pass", "nobody is writing")


def _some(names: list[str]) -> str:
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
