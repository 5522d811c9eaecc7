"""What grows with the corpus, and how: ingest, disk, memory, searches, BM25, one changed file. JSON on stdout.

    python bench/scale.py [--children 10000 100000 300000] [--rounds 5] [--keep FOLDER]

Texts are made of the words of jieba's dictionary, as often as it says that they are used. Dense vectors are random (the
encoder's rate is measured by bench/encode.py) and lie in the vector cache before `edu ingest` begins; sparse ones are
those of the texts. Searches leave the reranker out, whose cost is the same for any corpus. Every figure but the warm
search is of a whole process, real program and all. `exponent` is that of the growth between the smallest and the
largest corpus: 0 stays, 1 grows as the corpus does.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from processes import NOT_SURE, Spent, spend

from edu_cli.config import SplitSettings, load_settings
from edu_cli.index.encoders.bigrams import passage_vectors
from edu_cli.index.encoders.choose import open_encoder
from edu_cli.index.vector_cache import open_vector_cache
from edu_cli.ingest.load import load
from edu_cli.ingest.options import LoadOptions
from edu_cli.ingest.split.splitter import choose_profile, encoding_text, split
from edu_cli.project import Project
from edu_cli.text import content_id
from edu_cli.types import CachedVectors, DualVectors, SearchRequest
from edu_cli.wiring.asking import open_searcher

SECTIONS = 15  # a file: some 12,000 characters
QUESTIONS = 30
PROGRAM = """
import os, resource, subprocess, sys, threading, time

edu = subprocess.Popen([sys.executable, "-m", "edu_cli", *sys.argv[1:]])
own = [0]


def look():
    while True:
        try:
            with open(f"/proc/{edu.pid}/status") as file:
                own.extend(int(line.split()[1]) for line in file if line.startswith("RssAnon"))
        except OSError:
            return
        time.sleep(0.1)


threading.Thread(target=look, daemon=True).start()
edu.wait()
with open(os.environ["PEAK"], "w") as file:
    file.write(f"{resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss} {max(own)}")
sys.exit(edu.returncode)
"""  # a small parent: a child's peak counts the memory of its parent, which it had before it became edu


@dataclass(frozen=True)
class Ran:
    """One process: what it took, and its peak of resident memory in MB; `own_mb` without mapped files (0: unknown)."""

    spent: Spent
    peak_mb: float
    own_mb: float


def run(arguments: list[str], cwd: Path, cache: Path) -> Ran:
    """Runs `edu`; exit code 4 (not confident) is no failure."""
    peak = cwd / "peak"
    env = {**os.environ, "EDU_CACHE_DIR": str(cache), "PEAK": str(peak)}
    spent = spend([sys.executable, "-c", PROGRAM, *arguments], cwd=cwd, env=env, fine=(0, NOT_SURE))
    whole, own = peak.read_text().split()
    return Ran(spent, int(whole) / 1024, int(own) / 1024)


class Words:
    """Chinese text by lot: jieba's words as often as its dictionary says that they are used."""

    def __init__(self, seed: int) -> None:
        import jieba

        with jieba.get_dict_file() as lines:
            rows = [line.decode().split() for line in lines]
        kept = [(word, int(count)) for word, count, *_ in rows if int(count) > 2]
        self._words = [word for word, _ in kept]
        counts = np.array([count for _, count in kept], np.float64)
        self._edges = np.cumsum(counts / counts.sum())
        self._random = np.random.default_rng(seed)

    def phrase(self, n_words: int) -> str:
        """So many words, without a mark."""
        at = np.searchsorted(self._edges, self._random.random(n_words)).clip(max=len(self._words) - 1)
        return "".join(self._words[i] for i in at.tolist())

    def file(self, number: int) -> str:
        """A Markdown file of SECTIONS sections."""
        lines = [f"# 第{number}讲 {self.phrase(3)}"]
        for section in range(SECTIONS):
            lines += [
                f"## {section + 1} {self.phrase(3)}",
                "".join(f"{self.phrase(9)}，{self.phrase(8)}。" for _ in range(26)),
            ]
        return "\n\n".join(lines) + "\n"


def make_corpus(folder: Path, cache_dir: Path, wanted: int) -> tuple[int, int]:
    """Files below `folder` with about `wanted` children, whose vectors are put into the cache; files and bytes."""
    words, random = Words(wanted), np.random.default_rng(wanted)
    encoder = open_encoder("e5-small", load_settings(folder, {}).encoder, cache_dir)
    cache = open_vector_cache(cache_dir / "vectors.sqlite", encoder.fingerprint)
    n_children = n_files = n_bytes = 0
    while n_children < wanted:
        file = folder / f"{n_files // 100:03d}" / f"{n_files}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(words.file(n_files), encoding="utf-8")
        n_bytes += file.stat().st_size
        n_files += 1
        texts = list(_encoding_texts(file))
        n_children += len(texts)
        dense = random.standard_normal((len(texts), encoder.dim), dtype=np.float32)
        dense /= np.linalg.norm(dense, axis=1, keepdims=True)
        vectors = DualVectors(dense, passage_vectors(texts))
        cache.put(
            {content_id(text): CachedVectors(vectors.dense[i], vectors.sparse[i]) for i, text in enumerate(texts)}
        )
    cache.close()
    return n_files, n_bytes


def _encoding_texts(file: Path) -> Iterator[str]:
    document = load(file, LoadOptions(ocr="never"))
    for parent in split(document, choose_profile(document), SplitSettings()):
        for child in parent.children:
            yield encoding_text(document.title, parent, child)


def _disk_mb(path: Path) -> float:
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return round(sum(file.stat().st_size for file in files) / 1e6, 1)


def _searches(folder: Path, cache: Path, rounds: int) -> dict[str, float]:
    words = Words(7)
    cold = [run(["search", words.phrase(6), "--json", "--no-rerank"], folder, cache) for _ in range(rounds + 1)][1:]
    settings = load_settings(folder, {**os.environ, "EDU_CACHE_DIR": str(cache)})
    with open_searcher(Project(folder), settings) as searcher:
        searcher.search(SearchRequest(words.phrase(6), k=10, rerank=False))
        cpu = time.process_time()
        warm = [
            searcher.search(SearchRequest(words.phrase(6), k=10, rerank=False)).seconds["total"]
            for _ in range(QUESTIONS)
        ]
        cpu = time.process_time() - cpu
    return {
        "cold_search_s": statistics.median(one.spent.wall_s for one in cold),
        "cold_search_cpu_s": statistics.median(one.spent.cpu_s for one in cold),
        "cold_search_peak_mb": max(one.peak_mb for one in cold),
        "warm_search_ms": 1000 * statistics.median(warm),
        "warm_search_cpu_ms": 1000 * cpu / QUESTIONS,
        "warm_search_p95_ms": 1000 * sorted(warm)[int(0.95 * len(warm))],
    }


def measure(folder: Path, wanted: int, rounds: int) -> dict[str, Any]:
    """All figures of a corpus of about `wanted` children."""
    cache = folder / "cache"
    n_files, n_bytes = make_corpus(folder / "files", cache, wanted)
    time.sleep(2.5)  # stamps younger than two seconds are not trusted
    first = run(["ingest", "files", "--json"], folder, cache)
    receipt = json.loads(first.spent.output)
    if receipt["chunks"]["encoded"]:
        raise SystemExit(f"{receipt['chunks']['encoded']} texts were encoded, which should have been in the cache")
    n_children = receipt["chunks"]["children"]
    unchanged = [run(["ingest", "files", "-q"], folder, cache) for _ in range(rounds)]
    state = folder / ".edu"
    figures: dict[str, Any] = {
        "children": n_children,
        "files": n_files,
        "text_mb": n_bytes / 1e6,
        "ingest_s": first.spent.wall_s,
        "ingest_cpu_s": first.spent.cpu_s,
        "children_per_cpu_s": n_children / first.spent.cpu_s,
        "ingest_peak_mb": first.peak_mb,
        "ingest_own_peak_mb": first.own_mb,
        "catalog_mb": _disk_mb(state / "catalog.sqlite"),
        "vector_cache_mb": _disk_mb(cache / "vectors.sqlite"),
        "vector_copy_mb": _disk_mb(state / "vectors"),
        "bm25_mb": _disk_mb(state / "bm25"),
        "milvus_mb": _disk_mb(state / "milvus.db"),
        **_searches(folder, cache, rounds),
        "unchanged_s": statistics.median(one.spent.wall_s for one in unchanged),
    }
    changed = []
    for i in range(rounds):
        file = folder / "files" / "000" / "0.md"
        file.write_text(f"{file.read_text(encoding='utf-8')}\n{Words(i).phrase(60)}。\n", encoding="utf-8")
        changed.append(run(["ingest", "files", "-q"], folder, cache))
    figures["one_changed_s"] = statistics.median(one.spent.wall_s for one in changed)
    figures["one_changed_cpu_s"] = statistics.median(one.spent.cpu_s for one in changed)
    figures["one_changed_peak_mb"] = max(one.peak_mb for one in changed)
    (state / "bm25" / "current.json").unlink()
    rebuilt = run(["index"], folder, cache)
    figures["bm25_rebuild_s"], figures["bm25_rebuild_peak_mb"] = rebuilt.spent.wall_s, rebuilt.peak_mb
    figures["bm25_rebuild_own_peak_mb"] = rebuilt.own_mb
    return {name: round(value, 3) for name, value in figures.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--children", type=int, nargs="+", default=[10_000, 100_000, 300_000])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--keep", type=Path, help="where the projects are left; a temporary folder, by default")
    args = parser.parse_args()
    report: dict[str, Any] = {"cores": os.cpu_count(), "load": os.getloadavg()[0], "sizes": []}
    for wanted in args.children:
        with tempfile.TemporaryDirectory() as temporary:
            folder = args.keep / str(wanted) if args.keep else Path(temporary)
            (folder / "files").mkdir(parents=True)
            report["sizes"].append(measure(folder, wanted, args.rounds))
        sys.stderr.write(json.dumps(report["sizes"][-1]) + "\n")
    small, large = report["sizes"][0], report["sizes"][-1]
    if large["children"] > small["children"]:
        growth = math.log(large["children"] / small["children"])
        report["exponent"] = {
            name: round(math.log(large[name] / small[name]) / growth, 2)
            for name in small
            if small[name] > 0 and large[name] > 0
        }
    json.dump(report, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
