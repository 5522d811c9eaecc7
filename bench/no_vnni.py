"""The bundled encoder and reranker as processors without VNNI compute them, against this one's vectors and scores.

    python bench/no_vnni.py                               # needs qemu-x86_64 (Debian: qemu-user)
    python bench/no_vnni.py --passages 200 --cpus Haswell-v4 SandyBridge

JSON to stdout. Each processor is emulated: onnxruntime asks it what it can do and takes other kernels, of which those
for AVX2 and before add uint8 x int8 products in 16 bits and cut off what is larger. `saturates` says that `edu` has seen
that and keeps its weights as uint8. Passages are stretches of the Markdown below --texts, as in bench/encode.py.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
CHARS = 150  # a child's length
PAIRS = 5  # passages that the reranker scores for each question


def compute(texts: Path, cache: Path, out: Path) -> None:
    """Vectors of {"passages", "questions"} and the reranker's scores, by the processor that this runs on."""
    from edu_cli.index.encoders.cross import CrossReranker
    from edu_cli.index.encoders.e5_session import signed_products_saturate
    from edu_cli.index.encoders.e5_small import E5SmallEncoder

    asked = json.loads(texts.read_text("utf-8"))
    encoder, reranker = E5SmallEncoder(cache, threads=1), CrossReranker(cache, threads=1)
    passages, questions = asked["passages"], asked["questions"]
    scores = [reranker.score(one, passages[i * PAIRS : (i + 1) * PAIRS]) for i, one in enumerate(questions)]
    np.savez(
        out,
        passages=encoder.encode_passages(passages).dense,
        questions=encoder.encode_questions(questions).dense,
        scores=np.array(scores),
        saturates=signed_products_saturate(),
    )


def computed(command: list[str], texts: Path, temp: Path) -> dict[str, np.ndarray]:
    """What `compute` finds in a process of its own; `command` is what that is run by."""
    out, cache = temp / "out.npz", temp / ("cache-" + "-".join(command)[-20:].replace("/", ""))
    arguments = [sys.executable, str(Path(__file__).resolve()), "--compute", str(texts), str(cache), str(out)]
    # Emulated by qemu 7.2, numpy's own AVX2 code sorts 64-bit numbers wrongly; what is compared is onnxruntime's.
    env = {**os.environ, "NPY_DISABLE_CPU_FEATURES": "X86_V3 AVX2"} if command else dict(os.environ)
    done = subprocess.run([*command, *arguments], capture_output=True, text=True, check=False, env=env)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} … ended with {done.returncode}:\n{done.stderr[-2000:]}")
    with np.load(out) as file:
        return dict(file)


def compared(here: dict[str, np.ndarray], there: dict[str, np.ndarray]) -> dict[str, Any]:
    """How far the vectors and scores of two processors agree."""
    from encode import overlap

    cosines = np.concatenate([(here[name] * there[name]).sum(axis=1) for name in ("passages", "questions")])
    apart = np.abs(here["scores"] - there["scores"])
    return {
        "saturates": bool(there["saturates"]),
        "cosine_mean": round(float(cosines.mean()), 6),
        "cosine_min": round(float(cosines.min()), 6),
        "overlap@10": overlap((here["passages"], here["questions"]), (there["passages"], there["questions"])),
        "first_alike": float(np.mean(_first(here) == _first(there))),
        "reranker_apart_mean": round(float(apart.mean()), 6),
        "reranker_apart_most": round(float(apart.max()), 6),
    }


def _first(found: dict[str, np.ndarray]) -> np.ndarray:
    return np.argmax(found["questions"] @ found["passages"].T, axis=1)


def main() -> None:
    from encode import read_passages

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=Path, default=ROOT / "corpus")
    parser.add_argument("--passages", type=int, default=20)
    parser.add_argument(
        "--cpus", nargs="+", default=["Haswell-v4", "SandyBridge"], help="as `qemu-x86_64 -cpu help` says"
    )
    parser.add_argument("--qemu", default="qemu-x86_64")
    parser.add_argument("--compute", type=Path, nargs=3, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.compute:
        compute(*args.compute)
        return
    if shutil.which(args.qemu) is None:
        raise SystemExit(f"{args.qemu} is not installed (Debian: apt-get install qemu-user)")
    passages = read_passages(args.texts, args.passages, CHARS)
    passages = passages[: len(passages) // PAIRS * PAIRS]
    questions = [text[20:60] for text in passages[::PAIRS]]
    report: dict[str, Any] = {"passages": len(passages), "questions": len(questions)}
    with tempfile.TemporaryDirectory() as folder:
        texts = Path(folder) / "texts.json"
        texts.write_text(json.dumps({"passages": passages, "questions": questions}), encoding="utf-8")
        here = computed([], texts, Path(folder))
        report["here"] = {"saturates": bool(here["saturates"])}
        for cpu in args.cpus:
            there = computed([args.qemu, "-cpu", cpu], texts, Path(folder))
            report[cpu] = compared(here, there)
            sys.stderr.write(f"{cpu}: {json.dumps(report[cpu])}\n")
    json.dump(report, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
