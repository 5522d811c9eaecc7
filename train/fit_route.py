"""Trains the bundled classifier (edu_cli/ask/front/route_model.npz) on train/data/route.jsonl and reports on other data.

python train/fit_route.py [../shared/data/route] [--write]
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from edu_cli.ask.front.classifier import measure, train_classifier
from edu_cli.ask.front.classify import classify

DATA = Path(__file__).with_name("data") / "route.jsonl"
OUT = Path(__file__).parents[1] / "edu_cli" / "ask" / "front" / "route_model.npz"
NAMES = {"专业咨询": "course", "通用知识": "general"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="?")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    lines = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]
    training = train_classifier([(row["text"], row["label"]) for row in lines], seed=0)
    figures: dict[str, object] = {
        "epochs": training.epochs,
        "kept_out": training.kept_out,
        "accuracy": round(training.accuracy, 4),
        "f1": training.f1,
    }
    for name in ("edurag-intent", "author-hard-intent") if args.data else ():
        rows = [json.loads(line) for line in (args.data / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
        pairs = [(row["query"], NAMES[row["label"]]) for row in rows]
        right = sum(classify(text, training.model).label == label for text, label in pairs)
        figures[name] = {
            "argmax": round(measure(training.model, pairs)[0], 4),
            "asymmetric": round(right / len(pairs), 4),
        }
    print(json.dumps(figures, indent=1, ensure_ascii=False))
    if args.write:
        training.model.save(OUT)


if __name__ == "__main__":
    main()
