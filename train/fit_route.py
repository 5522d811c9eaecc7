"""Trains the bundled classifier (edu_cli/ask/front/route_model.npz) on train/data/route.jsonl and reports on other data.

    python train/fit_route.py [../shared/data/route] [--write] [--scales]

`--scales` shows the loss on the part of route.jsonl that is kept out, for several weights of the vectors beside the n-grams.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from edu_cli.ask.front import classifier, training
from edu_cli.ask.front.classify import QuestionVectors, classify
from edu_cli.ask.front.training import measure, stratified, train_classifier
from edu_cli.config import cache_dir, load_settings
from edu_cli.index.encoders.choose import open_encoder

ENCODER = "e5-small"
SCALES = (0.006, 0.0125, 0.025, 0.05, 0.1)
DATA = Path(__file__).with_name("data") / "route.jsonl"
OUT = Path(__file__).parents[1] / "edu_cli" / "ask" / "front" / "route_model.npz"
NAMES = {"专业咨询": "course", "通用知识": "general"}


def kept_out_loss(rows: list[tuple[str, str]], vectors: np.ndarray, scale: float) -> float:
    classifier.VECTOR_SCALE = training.VECTOR_SCALE = scale
    model = train_classifier(rows, vectors=vectors, encoder=ENCODER).model
    kept = stratified(rows, np.random.default_rng(0)).kept
    right = [model.probabilities(rows[i][0], vectors[i])[rows[i][1]] for i in kept]
    return float(-np.log(np.maximum(right, 1e-9)).mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="?")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--scales", action="store_true")
    args = parser.parse_args()
    rows = [(r["text"], r["label"]) for r in map(json.loads, DATA.read_text(encoding="utf-8").splitlines())]
    settings = load_settings(None, {})
    encoder = open_encoder(ENCODER, settings.encoder, cache_dir(settings))
    vectors = encoder.encode_questions([text for text, _ in rows]).dense
    if args.scales:
        print(json.dumps({str(s): round(kept_out_loss(rows, vectors, s), 5) for s in SCALES}, indent=1))
        return
    trained = train_classifier(rows, seed=0, vectors=vectors, encoder=ENCODER)
    figures: dict[str, object] = {
        "epochs": trained.epochs,
        "kept_out": trained.kept_out,
        "accuracy": round(trained.accuracy, 4),
        "f1": trained.f1,
    }
    for name in ("edurag-intent", "author-hard-intent") if args.data else ():
        lines = [json.loads(line) for line in (args.data / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
        pairs = [(row["query"], NAMES[row["label"]]) for row in lines]
        known = dict(zip((t for t, _ in pairs), encoder.encode_questions([t for t, _ in pairs]).dense, strict=True))
        both = QuestionVectors(ENCODER, lambda texts, known=known: np.stack([known[t] for t in texts]))
        figures[name] = {
            "argmax": round(measure(trained.model, pairs, np.stack([known[t] for t, _ in pairs]))[0], 4),
            "routed": round(sum(classify(t, trained.model, both).label == label for t, label in pairs) / len(pairs), 4),
            "routed by n-grams": round(
                sum(classify(t, trained.model).label == label for t, label in pairs) / len(pairs), 4
            ),
            "course questions taken for general": sum(
                classify(t, trained.model, both).label == "general" for t, label in pairs if label == "course"
            ),
        }
    print(json.dumps(figures, indent=1, ensure_ascii=False))
    if args.write:
        trained.model.save(OUT)


if __name__ == "__main__":
    main()
