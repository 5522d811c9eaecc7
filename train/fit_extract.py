"""Fits the coefficients of extractive answers (edu_cli/ask/generation/extract_model.json) and reports on passages kept out.

    python train/fit_extract.py ../shared/data/ir [--write]

Data: Chinese reading comprehension (a question, its passage, the answer as a string of it). Candidates are the sentences
of the five passages that BM25 finds; a sentence is right when the answer stands in it. Passages are split in two halves
by hash: one fits, the other reports; besides, each set is reported with coefficients that never saw it.

Twice: by the features alone, and for the sentences that are likeliest by them, with what the bundled reranker says of
each. The reranker itself learnt from half of DRCD's articles and from XQuAD, never from cmrc2018 and squad-zh.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
import unicodedata
from dataclasses import asdict, replace
from pathlib import Path

import bm25s
import numpy as np
import rjieba

from edu_cli.ask.generation.choose import Rule, choose
from edu_cli.ask.generation.extract_features import NAMES, features
from edu_cli.ask.generation.extract_model import MODEL_FILE, closest, read_odds
from edu_cli.ask.generation.units import units
from edu_cli.ask.verification.terms import plain
from edu_cli.config import cache_dir, load_settings
from edu_cli.index.encoders.cross import CrossReranker
from edu_cli.protocols import Reranker

FIT_SETS = ("cmrc2018", "drcd-hant", "squad-zh", "xquad-zh")
OTHER_SETS = ("domainrag", "edurag-llm-course", "crud-news")
KIN = {"squad-zh": "xquad-zh", "xquad-zh": "squad-zh"}  # translations of the same source
RULE = Rule(enough=0.85, least=0.1, share=0.25, most=3, about=0.0)
# `about` is the largest of these that loses none of the fitted halves more than LOSS of its answers
ABOUT, LOSS = (0.0, 0.3, 0.4, 0.5, 0.6, 0.7), 0.005
Model = tuple[np.ndarray, np.ndarray, np.ndarray]  # mean, scale, weights


def words(text: str) -> list[str]:
    return [w for w in rjieba.cut_for_search(plain(text)) if any(c.isalnum() for c in w)]


def squeezed(text: str) -> str:
    return re.sub(r"\s", "", unicodedata.normalize("NFKC", text)).casefold()


def read_lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def cases(folder: Path, limit: int) -> list[dict]:
    """Per question whose passage BM25 finds: features, right sentences, lengths, and the half of its passage."""
    docs = read_lines(folder / "corpus.jsonl")
    rows = [line.split("\t") for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]]
    right = {(row[0], row[1]) for row in rows}
    index = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
    index.index([words(f"{d.get('title', '')} {d['text']}") for d in docs], show_progress=False)
    found = []
    for query in read_lines(folder / "queries.jsonl"):
        tokens = [w for w in words(query["text"]) if w in index.vocab_dict]
        if not tokens or not query.get("answers") or len(found) >= limit:
            continue
        ranked = index.retrieve([tokens], k=min(5, len(docs)), show_progress=False)[0][0]
        hits = [docs[i] for i in ranked]
        gold = [d["doc_id"] for d in hits if (query["query_id"], d["doc_id"]) in right]
        if gold:
            found.append(case(query, hits, gold[0]))
    return found


def case(query: dict, hits: list[dict], gold: str) -> dict:
    pieces = [u for n, d in enumerate(hits, 1) for u in units(d["text"], n)]
    rows = features(query["text"], [u.shown for u in pieces], [u.n for u in pieces], [d.get("title", "") for d in hits])
    answers = [squeezed(a) for a in query["answers"]]
    return {
        "question": query["text"],
        "said": [u.shown for u in pieces],
        "places": [hits[u.n - 1].get("title", "") for u in pieces],
        "owners": [u.n for u in pieces],
        "rows": rows,
        "right": np.array([any(a in squeezed(u.text) for a in answers) for u in pieces]),
        "chars": np.array([len(u.text) for u in pieces]),
        "half": hashlib.sha256(gold.encode()).digest()[0] % 2,
    }


def narrowed(c: dict, model: Model, reader: Reranker) -> dict:
    """A case of the sentences that are likeliest by a model, with what the reader says of each as a last column."""
    close = closest((c["rows"] - model[0]) / model[1] @ model[2])
    said, places, owners = ([c[key][i] for i in close] for key in ("said", "places", "owners"))
    read = read_odds(reader, c["question"], places, said)
    rows = np.column_stack([c["rows"][close], read])
    return {**c, "said": said, "owners": owners, "rows": rows, "right": c["right"][close], "chars": c["chars"][close]}


def fit(items: list[dict], *, l2: float = 1e-3, steps: int = 400, rate: float = 0.05) -> Model:
    """Softmax over a question's sentences, all right ones sharing the credit; Adam on standardised features."""
    everything = np.concatenate([c["rows"] for c in items])
    mean, scale = everything.mean(0), everything.std(0)
    scale[scale < 1e-3] = 1.0  # a feature that never varies here says nothing
    used = [c for c in items if c["right"].any() and not c["right"].all()]
    rows = np.concatenate([(c["rows"] - mean) / scale for c in used])
    right = np.concatenate([c["right"] for c in used]).astype(float)
    sizes = [len(c["right"]) for c in used]
    owner, starts = np.repeat(np.arange(len(used)), sizes), np.r_[0, np.cumsum(sizes)[:-1]]
    weights = np.zeros(rows.shape[1])
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, steps + 1):
        score = rows @ weights
        odds = np.exp(score - np.maximum.reduceat(score, starts)[owner])
        p = odds / np.add.reduceat(odds, starts)[owner]
        q = odds * right / np.add.reduceat(odds * right, starts)[owner]
        slope = rows.T @ (p - q) / len(used) + l2 * weights
        first, second = 0.9 * first + 0.1 * slope, 0.999 * second + 0.001 * slope**2
        weights -= rate * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    return mean, scale, weights


def report(items: list[dict], model: Model, rule: Rule) -> dict[str, float]:
    """Shares of questions whose first, or any, quoted sentence holds the answer; sentences and characters quoted."""
    mean, scale, weights = model
    totals = np.zeros(4)
    for c in items:
        score = (c["rows"] - mean) / scale @ weights
        p = np.exp(score - score.max())
        p /= p.sum()
        taken = choose(c["question"], c["said"], c["owners"], c["rows"][:, NAMES.index("coverage")], p, rule)
        totals += c["right"][taken[0]], c["right"][taken].any(), len(taken), c["chars"][taken].sum()
    first, any_of, n, chars = totals / max(len(items), 1)
    return {
        "questions": len(items),
        "first": round(first, 3),
        "any": round(any_of, 3),
        "sentences": round(n, 2),
        "chars": round(chars),
    }


def chosen_rule(fitted: dict[str, list[dict]], model: Model) -> Rule:
    """RULE with the largest harmless `about`, judged on the halves that the coefficients were fitted on."""
    found = {a: {n: report(items, model, replace(RULE, about=a))["any"] for n, items in fitted.items()} for a in ABOUT}
    harmless = [a for a in ABOUT if all(found[a][n] >= found[0.0][n] - LOSS - 1e-9 for n in fitted)]
    return replace(RULE, about=max(harmless))


def fitted(data: dict[str, list[dict]]) -> tuple[dict, dict]:
    """Coefficients with their rule, as they are stored, and the figures."""
    halves = {name: [c for c in data[name] if c["half"] == 0] for name in FIT_SETS}
    model = fit([c for items in halves.values() for c in items])
    rule = chosen_rule(halves, model)
    kept = {
        name: report([c for c in items if c["half"] == 1 or name in OTHER_SETS], model, rule)
        for name, items in data.items()
    }
    unseen = {}
    for name in FIT_SETS:
        others = [c for other in FIT_SETS if other not in (name, KIN.get(name)) for c in data[other]]
        unseen[name] = report(data[name], fit(others), rule)
    columns = zip(("mean", "scale", "weights"), model, strict=True)
    stored = {key: [round(float(x), 5) for x in column] for key, column in columns}
    return {**stored, "rule": asdict(rule)}, {"kept_half": kept, "never_seen": unseen}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--limit", type=int, default=1500)
    parser.add_argument("--weights", type=Path, help="a reranker's file, instead of the bundled one")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    data = {name: cases(args.data / name, args.limit) for name in (*FIT_SETS, *OTHER_SETS)}
    alone, figures = fitted(data)
    print(json.dumps({"alone": {"rule": alone["rule"], **figures}}), file=sys.stderr)
    chosen = {"model_path": args.weights} if args.weights else {}
    reader = CrossReranker(cache_dir(load_settings(None, {})), **chosen)
    model = (np.array(alone["mean"]), np.array(alone["scale"]), np.array(alone["weights"]))
    read, figures_read = fitted({name: [narrowed(c, model, reader) for c in items] for name, items in data.items()})
    result = {
        "about": "coefficients of extractive answers, fitted by train/fit_extract.py",
        "fitted_on": f"halves of {', '.join(FIT_SETS)}",
        "figures": {"alone": figures, reader.name: figures_read},
        "names": list(NAMES),
        "alone": alone,
        "readers": {reader.name: read},
    }
    print(json.dumps({"rules": [alone["rule"], read["rule"]], **result["figures"]}, indent=1))
    if args.write:
        MODEL_FILE.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
