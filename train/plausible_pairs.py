"""Makes edu_cli/ingest/text/plausible_pairs.txt: which pairs of neighbouring characters words are made of.

    python train/plausible_pairs.py                 # needs jieba and opencc
    python train/plausible_pairs.py --check DIR...  # how well the pairs tell text from nonsense, over text files

Chinese pairs come from jieba's dictionary, weighted by its frequencies, in simplified and in traditional script; Latin
ones from the manual pages inside Python. A page is nonsense to the reader of a PDF when few of its pairs are known.
The check prints shares of known pairs in pieces of 600 characters, and in the same pieces after their characters were
exchanged at random (what a wrong ToUnicode table does), so that the thresholds of plausible.py can be chosen.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

N_HAN, N_LATIN = 40_000, 230
OUT = Path(__file__).parents[1] / "edu_cli" / "ingest" / "text" / "plausible_pairs.txt"
HAN = re.compile("[\u4e00-\u9fff]+")


def han_pairs() -> list[str]:
    import jieba
    import opencc

    to_traditional = opencc.OpenCC("s2t")
    counts: Counter[str] = Counter()
    for line in (Path(jieba.__file__).parent / "dict.txt").read_text(encoding="utf-8").splitlines():
        word, frequency, *_ = line.split(" ")
        if len(word) < 2 or not HAN.fullmatch(word):
            continue
        for pair in itertools.pairwise(word):
            counts["".join(pair)] += int(frequency)
    simplified = [pair for pair, _ in counts.most_common(N_HAN)]
    traditional = to_traditional.convert("\n".join(simplified)).split("\n")
    return list(dict.fromkeys([*simplified, *(pair for pair in traditional if len(pair) == 2)]))


def latin_pairs() -> list[str]:
    from pydoc_data.topics import topics

    counts: Counter[str] = Counter()
    for text in topics.values():
        for word in re.findall(r"[a-z]{3,}", text.lower()):
            counts.update(word[i : i + 2] for i in range(len(word) - 1))
    return [pair for pair, _ in counts.most_common(N_LATIN)]


def write() -> None:
    followers: defaultdict[str, list[str]] = defaultdict(list)
    for pair in sorted(han_pairs()):
        followers[pair[0]].append(pair[1])
    lines = [" ".join(sorted(latin_pairs())), *(first + "".join(rest) for first, rest in sorted(followers.items()))]
    OUT.write_text("\n".join(lines) + "\n", encoding="utf-8")


def exchanged(text: str, rng: random.Random) -> str:
    letters = sorted({char for char in text if char.isalpha()})
    shuffled = letters[:]
    rng.shuffle(shuffled)
    return text.translate(str.maketrans("".join(letters), "".join(shuffled)))


def check(folders: list[Path]) -> None:
    from edu_cli.ingest.text.plausible import han_share, latin_share

    rng = random.Random(0)
    for folder in folders:
        pieces = [
            text[at : at + 600]
            for path in sorted(folder.rglob("*"))
            if path.suffix in (".md", ".txt")
            for text in [path.read_text(encoding="utf-8", errors="ignore")]
            for at in range(0, min(len(text), 6000), 600)
        ]
        for name, share, least in (("han", han_share, 30), ("latin", latin_share, 150)):
            enough = [piece for piece in pieces if share(piece)[1] >= least]
            if enough:
                good = sorted(share(piece)[0] for piece in enough)
                bad = sorted((share(exchanged(piece, rng))[0] for piece in enough), reverse=True)
                text, nonsense = spread(good), spread(bad)
                json.dump({"folder": folder.name, "pairs": name, "text": text, "nonsense": nonsense}, sys.stdout)
                sys.stdout.write("\n")


def spread(values: list[float]) -> dict[str, float]:
    """The worst value, the one that 1% are worse than, and the median; `values` from the worst on."""
    n = len(values)
    return {"n": n, "worst": round(values[0], 3), "1%": round(values[n // 100], 3), "median": round(values[n // 2], 3)}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", nargs="+", type=Path)
    folders = parser.parse_args().check
    check(folders) if folders else write()
