"""WORK/model/state.pt -> edu_cli/index/encoders/cross.npz, in 8 bits, and how far that is from the float model.

    python export.py WORK [--name FOLDER,FOLDER] [--write FILE]       # JSON to stdout

The activations are evened out as `train/smooth_e5.py` does it for the encoder, with factors from pairs that were kept
out of training. The comparison is over other pairs: rank correlation within a question, and the probabilities' distance.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from groups import Group, read_groups
from network import FROZEN, CrossEncoder
from pairs import Pairs

from edu_cli.index.encoders.cross_graph import build_cross_graph
from edu_cli.index.encoders.cross_weights import SMOOTHED, read_cross
from edu_cli.index.encoders.e5_session import open_session
from edu_cli.index.encoders.weights import E5Weights
from edu_cli.model_files import CROSS_FILE
from train import open_pairs

STRENGTH, STEPS = 0.7, 127
SEEN, COMPARED = 24, 40  # questions: for the factors, and for the comparison


def main() -> None:
    """See the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument(
        "--name", default="model", help="of the folder in WORK with the state; the mean of several, by comma"
    )
    parser.add_argument("--write", type=Path, default=CROSS_FILE)
    options = parser.parse_args()
    pairs = open_pairs()
    weights = pairs.weights
    network = CrossEncoder(weights).eval()
    network.load_state_dict(mean_of([options.work / name / "state.pt" for name in options.name.split(",")]))
    _, held = read_groups(options.work / "groups")
    held = [group for group in held if group.right]
    factors = smoothing(network, pairs, weights, held[-SEEN:])
    arrays = quantised(network, weights, factors)
    np.savez_compressed(options.write, **arrays)
    report = {"of": options.name, "bytes": options.write.stat().st_size, "file": str(options.write)}
    print(json.dumps(report | compare(network, pairs, weights, options.write, held[:COMPARED])))


def mean_of(states: Sequence[Path]) -> dict[str, torch.Tensor]:
    """The mean of the weights of rounds that went out from one another."""
    found = [torch.load(path, weights_only=True)["network"] for path in states]
    return {name: torch.stack([state[name] for state in found]).mean(0) for name in found[0]}


def smoothing(network: CrossEncoder, pairs: Pairs, weights: E5Weights, groups: list[Group]) -> np.ndarray:
    """Factors (layers, inputs of qkv and fi), as they are stored."""
    top = {(layer, part): np.full(weights.hidden, 1e-5) for layer in range(weights.layers) for part in ("qkv", "fi")}

    def look(layer: int, part: str) -> object:
        def hook(_module: object, inputs: tuple[torch.Tensor], _output: torch.Tensor) -> None:
            seen = inputs[0].abs().flatten(0, 1).amax(0).numpy()
            top[layer, part] = np.maximum(top[layer, part], seen)

        return hook

    hooks = [getattr(network.layers[n], part).register_forward_hook(look(n, part)) for n, part in top]
    for group in groups:
        for text in (group.right, *group.wrong[:3]):
            float_logit(network, pairs, group.question, text)
    for hook in hooks:
        hook.remove()
    table = []
    for n, layer in enumerate(network.layers):
        row = []
        for part in ("qkv", "fi"):
            heaviest = getattr(layer, part).weight.detach().abs().amax(0).numpy()
            row.append(top[n, part] ** STRENGTH / np.maximum(heaviest, 1e-5) ** (1 - STRENGTH))
        table.append(np.concatenate(row))
    return np.maximum(np.array(table), 1e-3).astype(np.float16)


def quantised(network: CrossEncoder, weights: E5Weights, factors: np.ndarray) -> dict[str, np.ndarray]:
    """What cross.npz holds."""
    hidden = weights.hidden
    arrays: dict[str, np.ndarray] = {"first": np.array(FROZEN), "smoothing": factors}
    for n in range(FROZEN, weights.layers):
        layer = network.layers[n]
        linears = dict(zip("qkv", _thirds(layer.qkv, hidden), strict=True))
        linears |= {part: _numbers(getattr(layer, part)) for part in ("ao", "fi", "fo")}
        for part, (matrix, bias) in linears.items():
            row = factors[n].astype(np.float32)
            even = {"qkv": row[:hidden], "fi": row[hidden:]}.get(SMOOTHED.get(part, ""), np.float32(1))
            scale = (np.abs(matrix * even).max(axis=1) / STEPS).astype(np.float32)
            whole = np.rint(matrix * even / scale[:, None])
            arrays[f"l{n}.{part}.w"] = whole.clip(-STEPS, STEPS).astype(np.int8)
            arrays[f"l{n}.{part}.scale"] = scale
            arrays[f"l{n}.{part}.b"] = bias
        for part in ("aln", "oln"):
            arrays[f"l{n}.{part}.w"], arrays[f"l{n}.{part}.b"] = _numbers(getattr(layer, part))
    arrays["sides"] = network.side.detach().numpy()
    for name in ("middle", "last"):
        matrix, arrays[f"{name}.b"] = _numbers(getattr(network, name))
        arrays[f"{name}.w"] = matrix.astype(np.float16)
    digest = hashlib.blake2b(weights.identity.encode(), digest_size=8)
    for name in sorted(arrays):
        digest.update(name.encode() + arrays[name].tobytes())
    return arrays | {"encoder": np.array(weights.identity), "identity": np.array(digest.hexdigest())}


def compare(
    network: CrossEncoder, pairs: Pairs, weights: E5Weights, path: Path, groups: list[Group]
) -> dict[str, float]:
    """The 8-bit graph against the float model, on the same pairs."""
    cross = read_cross(weights, path)
    session = open_session(build_cross_graph(cross))
    sides = cross.floats("sides").reshape(2, -1)
    correlations: list[float] = []
    gaps: list[float] = []
    for group in groups:
        wanted, got = [], []
        for text in (group.right, *group.wrong):
            rows, segments, _ = pairs.batch([pairs.ids(group.question, text)])
            (logit,) = session.run(None, {"rows": rows, "sides": sides[segments]})
            got.append(float(logit[0, 0]))
            wanted.append(float_logit(network, pairs, group.question, text))
        ranks = [np.argsort(np.argsort(values)) for values in (wanted, got)]
        correlations.append(float(np.corrcoef(*ranks)[0, 1]))
        gaps += [abs(1 / (1 + np.exp(-a)) - 1 / (1 + np.exp(-b))) for a, b in zip(wanted, got, strict=True)]
    return {
        "rank_correlation": round(float(np.mean(correlations)), 4),
        "probability_gap_mean": round(float(np.mean(gaps)), 5),
        "probability_gap_max": round(float(np.max(gaps)), 4),
        "pairs": len(gaps),
    }


def float_logit(network: CrossEncoder, pairs: Pairs, question: str, passage: str) -> float:
    """In float32."""
    rows, segments, there = (torch.from_numpy(x) for x in pairs.batch([pairs.ids(question, passage)]))
    with torch.no_grad():
        return float(network(rows, segments, there))


def _numbers(module: torch.nn.Linear | torch.nn.LayerNorm) -> tuple[np.ndarray, np.ndarray]:
    return module.weight.detach().numpy(), module.bias.detach().numpy()


def _thirds(linear: torch.nn.Linear, hidden: int) -> list[tuple[np.ndarray, np.ndarray]]:
    matrix, bias = _numbers(linear)
    return [(matrix[i : i + hidden], bias[i : i + hidden]) for i in range(0, 3 * hidden, hidden)]


if __name__ == "__main__":
    main()
