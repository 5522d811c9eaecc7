"""The rounds of training on one CUDA device, where only a few megabytes can be taken along and the encoder's package is absent.

    python device.py pack WORK FILE          # here: groups, their tokens, and the encoder less the words that none holds
    python device.py train FILE OUT          # there, from the root of the checkout: needs PyTorch and numpy
    python device.py join OUT WORK           # here: OUT's parts -> WORK/model/state.pt, for export.py

`--steps N` makes every round N steps long, to see that it runs. OUT's parts are of 16-bit numbers, 16 MB at most each;
they are written anew whenever a round saves, so that a run that is cut off leaves something.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import torch
from groups import MADE, MINED, Group, read_groups
from pairs import PAIR_TOKENS, QUESTION_TOKENS, Pairs

from train import Plan, Training, open_pairs

sys.path.insert(0, str(Path(__file__).parents[2]))
from edu_cli.index.encoders.weights import E5Weights, unpack

PAIRS_THERE = 144  # a step, all at once
WORDS = "emb.word"
PART = 7_500_000  # numbers


@dataclass(frozen=True)
class Round:
    """What one round learns from and how (see train.py)."""

    plan: Plan
    made: bool


ROUNDS = (  # passes: a device reads some 2,000 pairs a second, so that all of it takes less than ten minutes
    Round(Plan(1.5, 8, 0.0, 4, PAIRS_THERE, PAIRS_THERE), made=False),
    Round(Plan(3.0, 8, 20.0, 6, PAIRS_THERE, PAIRS_THERE), made=False),
    Round(Plan(6.0, 9, 15.0, 6, PAIRS_THERE, PAIRS_THERE), made=True),
)


class TokensOf(Pairs):
    """Pairs whose texts were cut where the tokenizer is; embeddings are made on the device."""

    def __init__(self, weights: E5Weights, known: dict[str, list[int]], device: str) -> None:
        self.weights, self._known = weights, known
        words = unpack(weights.blocks(WORDS, weights.hidden))
        positions = weights.floats("emb.pos").reshape(-1, weights.hidden) + weights.floats("emb.type")[: weights.hidden]
        self._table = torch.tensor(words, device=device)
        self._places = torch.tensor(positions, device=device)

    def batch(self, pairs: Sequence[tuple[list[int], int]]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """As Pairs does it, as tensors."""
        width = max(len(ids) for ids, _ in pairs)
        ids, sides = np.zeros((len(pairs), width), np.int64), np.zeros((len(pairs), width), np.int64)
        there = np.zeros((len(pairs), width), bool)
        for i, (tokens, start) in enumerate(pairs):
            ids[i, : len(tokens)], sides[i, start:], there[i, : len(tokens)] = tokens, 1, True
        device = self._table.device
        present = torch.from_numpy(there).to(device)
        rows = (self._table[torch.from_numpy(ids).to(device)] + self._places[:width]) * present[..., None]
        return rows, torch.from_numpy(sides).to(device), present

    def cut(self, text: str, limit: int) -> list[int]:
        """Of the texts that were packed."""
        return self._known[text][:limit]


class Leaving(Training):
    """Writes what it has into a folder of small parts, too."""

    out: Path

    def save(self) -> None:
        """As Training does; then the parts."""
        super().save()
        values = {name: value.detach().half().cpu().numpy() for name, value in self.learning.items()}
        part: dict[str, np.ndarray] = {}
        number = 0
        for name, value in values.items():
            if part and sum(held.size for held in part.values()) + value.size > PART:
                np.savez(self.out / f"part{number}.npz", **part)
                part, number = {}, number + 1
            part[name] = value
        np.savez(self.out / f"part{number}.npz", **part)


def main() -> None:
    """See the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("pack", "train", "join"))
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--steps", type=int, help="of every round")
    options = parser.parse_args()
    if options.what == "pack":
        pack(options.source, options.target)
    elif options.what == "train":
        train(options.source, options.target, options.steps)
    else:
        join(options.source, options.target)


def pack(work: Path, target: Path) -> None:
    """WORK/groups -> one file."""
    pairs = open_pairs()
    groups = {name: read_groups(work / "groups", sets, all_sure=sure) for name, (sets, sure) in _kinds().items()}
    every = [group for learn, held in groups.values() for group in (*learn, *held)]
    questions = {group.question for group in every}
    texts = list(dict.fromkeys(text for group in every for text in (group.question, group.right, *group.wrong)))
    tokens = [pairs.cut(text, QUESTION_TOKENS if text in questions else PAIR_TOKENS) for text in texts]
    weights = pairs.weights
    used = np.array(sorted({weights.begin_id, weights.end_id, *(token for line in tokens for token in line)}))
    place = np.zeros(used[-1] + 1, np.int32)
    place[used] = np.arange(len(used))
    kept = {name: _raw(weights, name) for name in weights.tensors if name != WORDS}
    kept[WORDS] = weights.blocks(WORDS, weights.hidden)[used].reshape(-1)
    about = asdict(replace(weights, data=np.zeros(0, np.uint8), tensors={}, path=Path()))
    numbers = {name: about[name] for name in ("hidden", "layers", "heads", "inner", "positions", "epsilon")}
    numbers |= {"begin_id": int(place[weights.begin_id]), "end_id": int(place[weights.end_id])}
    place_of = {text: i for i, text in enumerate(texts)}
    told = {"numbers": numbers, "texts": len(texts), "groups": {n: _told(pair, place_of) for n, pair in groups.items()}}
    np.savez_compressed(
        target,
        told=np.frombuffer(gzip.compress(json.dumps(told).encode()), np.uint8),
        tokens=place[np.concatenate([np.array(line, np.int64) for line in tokens])],
        ends=np.cumsum([len(line) for line in tokens]),
        **{f"tensor {name}": value for name, value in kept.items()},
    )
    print(json.dumps({"texts": len(texts), "words": len(used), "bytes": target.stat().st_size}))


def _kinds() -> dict[str, tuple[tuple[str, ...], bool]]:
    """Sets, and whether all that the fusion is sure of come, by the name of what a round learns from."""
    return {"all": (MINED, True), "unsure": (MINED, False), "made": (MINED + MADE, False)}


def _raw(weights: E5Weights, name: str) -> np.ndarray:
    _, offset, size = weights.tensors[name]
    return np.array(weights.data[offset : offset + size])


def _told(both: tuple[list[Group], list[Group]], place_of: dict[str, int]) -> list[list[list]]:
    return [
        [[place_of[g.question], [place_of[text] for text in (g.right, *g.wrong)], g.kind, g.fused] for g in part]
        for part in both
    ]


def train(source: Path, out: Path, steps: int | None) -> None:
    """All rounds, each from the state of the one before."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    out.mkdir(parents=True, exist_ok=True)
    packed = np.load(source)
    told = json.loads(gzip.decompress(packed["told"].tobytes()))
    names = [str(n) for n in range(told["texts"])]
    ends = packed["ends"]
    lines = np.split(packed["tokens"], ends[:-1])
    known = {name: line.tolist() for name, line in zip(names, lines, strict=True)}
    pairs = TokensOf(_weights(packed, told["numbers"]), known, device)
    before = None
    for number, one in enumerate(ROUNDS, 1):
        kind = "made" if one.made else "unsure" if one.plan.fused else "all"
        learn, held = ([_group(raw, lines) for raw in part] for part in told["groups"][kind])
        plan = (
            replace(one.plan, epochs=steps * (one.plan.pairs // one.plan.passages) / len(learn)) if steps else one.plan
        )
        torch.manual_seed(plan.seed)
        round_of = Leaving(out / f"round{number}", learn, held[:4] if steps else held, plan, pairs)
        round_of.out = out
        if before is not None:
            round_of.network.load_state_dict(before)
        round_of.run(200)
        before = round_of.network.state_dict()


def _group(raw: list, lines: list[np.ndarray]) -> Group:
    """Texts go by their number; no text ("") stays none."""
    question, shown, kind, fused = raw
    texts = [str(n) if len(lines[n]) else "" for n in shown]
    return Group(str(question), texts[0], tuple(texts[1:]), kind, tuple(fused))


def _weights(packed: np.lib.npyio.NpzFile, numbers: dict) -> E5Weights:
    tensors: dict[str, tuple[int, int, int]] = {}
    data: list[np.ndarray] = []
    at = 0
    for key in packed.files:
        if key.startswith("tensor "):
            value = packed[key]
            value = np.concatenate([value, np.zeros(-len(value) % 16, np.uint8)])
            tensors[key.removeprefix("tensor ")] = (0, at, len(packed[key]))
            data.append(value)
            at += len(value)
    nothing = {"path": Path(), "unknown_id": 0, "special_ids": (), "characters": b""}
    none = {
        name: np.zeros(0, kind)
        for name, kind in (("piece_ends", "<u4"), ("piece_scores", "<f4"), ("piece_bytes", "u1"))
    }
    return E5Weights(data=np.concatenate(data), tensors=tensors, **numbers, **nothing, **none)


def join(out: Path, work: Path) -> None:
    """The parts over the encoder's own lower layers."""
    from network import CrossEncoder

    network = CrossEncoder(open_pairs().weights)
    state = network.state_dict()
    for part in sorted(out.glob("part*.npz")):
        state |= {name: torch.tensor(value, dtype=torch.float32) for name, value in np.load(part).items()}
    (work / "model").mkdir(parents=True, exist_ok=True)
    torch.save({"network": state, "step": 0}, work / "model" / "state.pt")


if __name__ == "__main__":
    main()
