"""A cold `edu search` against the sum of what it cannot do without, each measured alone, in turn. JSON on stdout.

    python bench/cold.py PROJECT [--question TEXT] [--rounds 9]

CPU milliseconds of whole processes (user and system, medians); a part is what a process that does it takes beyond one
that does what it needs before. The project's vectors are those of e5-small. Milvus is no part of it: without a server
a search reads the vector copy.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
from pathlib import Path

from processes import NOT_SURE, spend

PARTS = {  # name -> what it needs before, the program; {project} and {question} are filled in
    "interpreter": ("", "pass"),
    "numpy": ("interpreter", "import numpy"),
    "encoder and one question": (
        "numpy",
        "import os; from pathlib import Path; from edu_cli.config import load_settings, cache_dir; "
        "from edu_cli.index.encoders.choose import open_encoder; root = Path({project!r}); "
        "settings = load_settings(root, os.environ); "
        "open_encoder('e5-small', settings.encoder, cache_dir(settings)).encode_questions([{question!r}])",
    ),
    "word dictionary": ("interpreter", "import rjieba"),
    "copy opened and searched": (
        "numpy",
        "import numpy as np; from pathlib import Path; from edu_cli.index.vector_copy import open_copy; "
        "from edu_cli.types import Scope; copy = open_copy(Path({project!r}) / '.edu' / 'vectors', uses_idf=True); "
        "copy.search_dense(np.ones(copy.dim, np.float32), 100, Scope())",
    ),
    "catalog": (
        "interpreter",
        "import sqlite3; sqlite3.connect({project!r} + '/.edu/catalog.sqlite').execute("
        "'SELECT count(*) FROM documents').fetchone()",
    ),
}


def main() -> None:
    """Measures all in turn, so that a busy machine slows all alike."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("project", type=Path)
    parser.add_argument("--question", default="怎样减少死锁？")
    parser.add_argument("--rounds", type=int, default=9)
    args = parser.parse_args()
    root = str(args.project.resolve())
    programs = {
        name: [sys.executable, "-c", code.format(project=root, question=args.question)]
        for name, (_, code) in PARTS.items()
    }
    programs["search"] = [sys.executable, "-m", "edu_cli", "search", args.question, "--project", root]
    cpu: dict[str, list[float]] = {name: [] for name in programs}
    wall: list[float] = []
    for _ in range(args.rounds + 1):
        for name, command in programs.items():
            found = spend(command, fine=(0, NOT_SURE))
            cpu[name].append(1000 * found.cpu_s)
            if name == "search":
                wall.append(1000 * found.wall_s)
    medians = {name: statistics.median(values[1:]) for name, values in cpu.items()}
    parts = {name: medians[name] - (medians[before] if before else 0) for name, (before, _) in PARTS.items()}
    report = {
        "search_cpu_ms": round(medians["search"], 1),
        "search_wall_ms": round(statistics.median(wall[1:]), 1),
        "parts_cpu_ms": {name: round(value, 1) for name, value in parts.items()},
        "sum_of_parts_ms": round(sum(parts.values()), 1),
        "ratio": round(medians["search"] / sum(parts.values()), 2),
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
    }
    json.dump(report, sys.stdout, ensure_ascii=False, indent=1)


if __name__ == "__main__":
    main()
