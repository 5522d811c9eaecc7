"""Whether `edu ingest` is bound by its encoder: wall seconds of the whole over those of encoding alone. JSON on stdout.

    python bench/bound.py FOLDER [--rounds 3]

The Markdown files below FOLDER. In turn: `edu ingest` as a process, from nothing but the built encoder; and the same
texts encoded by the same encoder in this process, none of its start counted, on all cores.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

from processes import spend

from edu_cli.config import cache_dir, load_settings
from edu_cli.index.catalog import open_catalog
from edu_cli.index.encoders.choose import open_encoder
from edu_cli.project import Project
from edu_cli.protocols import Encoder
from edu_cli.wiring.ingesting import child_text

SLICE = 256  # texts a call, as the pipeline gives them


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        temp = Path(name)
        n_files = only_markdown(args.folder, temp / "files")
        ready = temp / "ready"
        encoder = opened(ready)
        encoder.encode_passages(["准备好编码器。"] * 2)
        wholes, alones, texts = [], [], list[str]()
        for turn in range(args.rounds):
            wholes.append(ingested(temp / "files", temp / f"p{turn}", ready))
            texts = texts or child_texts(temp / f"p{turn}")
            alones.append(encoded(encoder, texts))
    ratios = [whole / alone for whole, alone in zip(wholes, alones, strict=True)]
    report = {
        "files": n_files,
        "children": len(texts),
        "ingest_s": rounded(wholes),
        "encoding_alone_s": rounded(alones),
        "ratio": round(statistics.median(ratios), 3),
        "ratios": rounded(ratios),
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
    }
    json.dump(report, sys.stdout, indent=1)


def only_markdown(source: Path, target: Path) -> int:
    """Copies the Markdown files below a folder; how many there are."""
    files = sorted(source.rglob("*.md"))
    for file in files:
        copy = target / file.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(file.read_bytes())
    return len(files)


def opened(cache: Path) -> Encoder:
    """The bundled encoder, built into a cache folder."""
    settings = load_settings(None, {"EDU_CACHE_DIR": str(cache)})
    return open_encoder("e5-small", settings.encoder, cache_dir(settings))


def ingested(files: Path, project: Path, ready: Path) -> float:
    """Wall seconds of an ingest whose cache holds the built encoder and no vector."""
    cache = project.with_name(f"{project.name}-cache")
    shutil.copytree(ready, cache)
    project.mkdir()
    edu = [sys.executable, "-m", "edu_cli", "ingest", str(files), "--project", str(project), "-q"]
    return spend(edu, env={**os.environ, "EDU_CACHE_DIR": str(cache)}).wall_s


def child_texts(project: Path) -> list[str]:
    """What was encoded, a text that stands in several places once, in the documents' order."""
    catalog = open_catalog(Project(project).catalog_path)
    try:
        return list(dict.fromkeys(child_text(row) for row in catalog.child_rows(sorted(catalog.child_ids()))))
    finally:
        catalog.close()


def encoded(encoder: Encoder, texts: list[str]) -> float:
    """Wall seconds of encoding."""
    start = time.perf_counter()
    for i in range(0, len(texts), SLICE):
        encoder.encode_passages(texts[i : i + SLICE])
    return time.perf_counter() - start


def rounded(values: list[float]) -> list[float]:
    return [round(value, 3) for value in values]


if __name__ == "__main__":
    main()
