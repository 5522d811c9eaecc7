"""Every figure of the README's Performance section as one JSON value: `python bench/all.py` (`make bench`).

    python bench/all.py [--only start,reingest] [--quick] [--out FILE]
        [--data ../shared/data] [--milvus PYTHON] [--langchain PYTHON] [--llamaindex PYTHON]

Runs the scripts beside this one, one after the other, each as it says of itself; --quick takes fewer rounds and smaller
corpora. What needs material or a peer's environment that is not there is skipped, and the result says why. --data holds
courses/javaguide and ir/javaguide-headings; --milvus is an interpreter with langchain-milvus (peer_langchain.py), the
other two are those of peers/run.py. Every entry has its seconds and the machine's load before it.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
SHARED = HERE.parents[1] / "shared"
SET = "javaguide-headings"


@dataclass(frozen=True)
class Step:
    """A script with its arguments: {names} are filled in. `quick` are added by --quick."""

    name: str
    script: str
    words: tuple[str, ...] = ()
    quick: tuple[str, ...] = ()


STEPS = (
    Step("start", "start.py", quick=("--rounds", "3")),
    Step("reingest", "reingest.py", quick=("--files", "500", "--rounds", "2")),
    Step("encode", "encode.py", quick=("--passages", "40", "--rounds", "2")),
    Step("reranker", "rerank.py", ("--speed",)),
    Step("no_vnni", "no_vnni.py", ("--qemu", "{qemu}"), quick=("--passages", "5", "--cpus", "Haswell-v4")),
    Step("ocr", "ocr.py", quick=("--pages", "1", "--rounds", "1")),
    Step("convert", "ingest.py", ("{docs}",), quick=("--rounds", "1")),
    Step("convert_office", "ingest.py", ("{courses}", "--office"), quick=("--rounds", "1")),
    Step("bound", "bound.py", ("{docs}",), quick=("--rounds", "1")),
    Step("cold", "cold.py", ("{project}",), quick=("--rounds", "3")),
    Step("serve", "serve.py", ("{project}", "{dataset}"), quick=("--questions", "20", "--commands", "3")),
    Step("eval", "eval.py", ("{dataset}", "--project", "{project}"), quick=("--limit", "50", "--rounds", "1")),
    Step("store", "peer_langchain.py", ("{docs}", "--peer", "{milvus}", "--no-index"), quick=("--rounds", "1")),
    Step(
        "peers",
        "peers/run.py",
        ("{work}", "--langchain", "{langchain}", "--llamaindex", "{llamaindex}"),
        quick=("--most", "20"),
    ),
    Step("scale", "scale.py", quick=("--children", "2000", "10000", "--rounds", "2")),
)
LACKS = {
    "courses": "no courses below {data}",
    "docs": "no courses/javaguide below {data}",
    "work": f"no ir/{SET} below {{data}}, or not the tool that makes files of it",
    "project": f"no ir/{SET} below {{data}} to make a project of",
    "dataset": f"no ir/{SET} below {{data}}",
    "qemu": "no qemu-x86_64 (Debian: qemu-user)",
    "milvus": "no --milvus PYTHON was given",
    "langchain": "no --langchain PYTHON was given",
    "llamaindex": "no --llamaindex PYTHON was given",
}


def main() -> None:
    options = _options()
    wanted = options.only.split(",") if options.only else [step.name for step in STEPS]
    if unknown := set(wanted) - {step.name for step in STEPS}:
        raise SystemExit(f"no such figures: {', '.join(sorted(unknown))}; there are {', '.join(s.name for s in STEPS)}")
    steps = [step for step in STEPS if step.name in wanted]
    report: dict[str, Any] = {"machine": machine(), "quick": options.quick, "figures": {}}
    with tempfile.TemporaryDirectory() as temp:
        found = material(options, steps, Path(temp))
        for step in steps:
            sys.stderr.write(f"bench/{step.script} …\n")
            report["figures"][step.name] = figures(step, found, str(options.data), quick=options.quick)
            if options.out:  # as far as it has come, should the rest be cut off
                options.out.write_text(json.dumps(report, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(report, ensure_ascii=False, indent=1))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="names of figures, by comma")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--out", type=Path, help="also written here, after each script")
    parser.add_argument("--data", type=Path, default=SHARED / "data")
    for peer in ("milvus", "langchain", "llamaindex"):
        parser.add_argument(f"--{peer}", default="", help="the peer's interpreter")
    return parser.parse_args()


def machine() -> dict[str, Any]:
    """What the figures depend on."""
    cpu = ""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        cpu = next(line.partition(": ")[2] for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        cpu = platform.processor()
    return {
        "cores": os.cpu_count(),
        "cpu": cpu,
        "system": platform.platform(),
        "python": platform.python_version(),
        "load": [round(one, 2) for one in os.getloadavg()],
    }


def material(options: argparse.Namespace, steps: Sequence[Step], temp: Path) -> dict[str, str]:
    """What there is to fill the scripts' arguments with."""
    found = {peer: str(getattr(options, peer)) for peer in ("milvus", "langchain", "llamaindex")}
    found["qemu"] = shutil.which("qemu-x86_64") or ""
    for name, place in (("courses", "courses"), ("docs", "courses/javaguide")):
        if (folder := options.data / place).is_dir():
            found[name] = str(folder)
    source, tool = options.data / "ir" / SET, options.data.parent / "tools" / "beir_to_corpus.py"
    words = {word for step in steps for word in step.words}
    if source.is_dir() and tool.is_file() and words & {"{work}", "{project}", "{dataset}"}:
        work = temp / SET
        _run([sys.executable, str(tool), str(source), str(work)])
        found |= {"work": str(work), "dataset": str(work / "dataset.jsonl")}
        if "{project}" in words:
            sys.stderr.write("edu ingest …\n")
            edu = [sys.executable, "-m", "edu_cli", "ingest", str(work / "docs"), "--project", str(work), "-q"]
            _run(edu)
            found["project"] = str(work)
    return {name: value for name, value in found.items() if value}


def figures(step: Step, found: Mapping[str, str], data: str, *, quick: bool) -> dict[str, Any]:
    """What a script printed; why it was skipped; or what it said when it failed."""
    needed = [word[1:-1] for word in step.words if word.startswith("{")]
    if step.name == "peers":  # it says itself which peer it had to leave out
        needed = ["work"]
    if lacking := next((name for name in needed if name not in found), None):
        return {"skipped": LACKS[lacking].format(data=data)}
    words = [found.get(word[1:-1], "") if word.startswith("{") else word for word in step.words]
    load, start = os.getloadavg()[0], time.perf_counter()
    done = _run([sys.executable, str(HERE / step.script), *words, *(step.quick if quick else ())], check=False)
    took = {"seconds": round(time.perf_counter() - start, 1), "load_before": round(load, 2)}
    if done.returncode:
        return {"failed": done.stderr.strip()[-500:], **took}
    return {"by": f"bench/{step.script}", **took, "result": json.loads(done.stdout)}


def _run(command: Sequence[str], *, check: bool = True) -> subprocess.CompletedProcess[str]:
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return subprocess.run(command, env=env, capture_output=True, text=True, encoding="utf-8", check=check)


if __name__ == "__main__":
    main()
