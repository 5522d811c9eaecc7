"""How well wrong sentences are told from right ones: tests/data/claims.json, written for this project.

    python bench/verify.py [--show]

Topics with three passages each and sentences that cite one of them: right ones in other words, and ones with a
swapped number, a negation, an invented quotation, another passage's marker, or a marker that does not exist. The part
"tuning" chose the rules and thresholds of edu_cli/ask/verification; the part "kept" was written after them, measured once
and not looked into, and gives the figures.
A sentence counts as flagged when it is judged unsupported or cites a passage that does not exist.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

from edu_cli.ask.verification.verify import judge
from edu_cli.types import Passage

DATA = Path(__file__).parents[1] / "tests" / "data" / "claims.json"


def passages_of(topic: dict) -> list[Passage]:
    return [
        Passage(
            n,
            1.0,
            p["doc"],
            Path(p["doc"]).stem,
            (p["section"],),
            None,
            "",
            str(n),
            str(n),
            p["doc"],
            p["text"],
            p["text"],
            {},
        )
        for n, p in enumerate(topic["passages"], 1)
    ]


def is_flagged(text: str, passages: list[Passage]) -> bool:
    return any(j.level == "unsupported" or j.claim.invalid for j in judge(text, passages))


def measure(topics: list[dict], *, show: bool = False) -> dict[str, object]:
    """Precision and recall of flagging, and the share flagged of each kind of sentence."""
    flagged, total = Counter(), Counter()
    for topic in topics:
        passages = passages_of(topic)
        for item in topic["items"]:
            total[item["kind"]] += 1
            got = is_flagged(item["text"], passages)
            flagged[item["kind"]] += got
            if show and got == (item["kind"] == "correct"):
                reasons = [
                    (j.level, j.reason, [round(s.score, 2) for _, s in j.supports])
                    for j in judge(item["text"], passages)
                ]
                print(f"{topic['topic']} {item['kind']}: {item['text']} {reasons}")
    wrong = [kind for kind in total if kind != "correct"]
    caught = sum(flagged[kind] for kind in wrong)
    return {
        "sentences": sum(total.values()),
        "precision": round(caught / max(1, caught + flagged["correct"]), 4),
        "recall": round(caught / max(1, sum(total[kind] for kind in wrong)), 4),
        "flagged": {kind: f"{flagged[kind]}/{total[kind]}" for kind in sorted(total)},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", action="store_true", help="print what is judged wrongly, of the tuning half")
    args = parser.parse_args()
    topics = json.loads(DATA.read_text(encoding="utf-8"))
    report = {
        half: measure([t for t in topics if t["half"] == half], show=args.show and half == "tuning")
        for half in ("tuning", "kept")
    }
    print(json.dumps(report, ensure_ascii=False, indent=1))


if __name__ == "__main__":
    main()
