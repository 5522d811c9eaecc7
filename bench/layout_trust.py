"""Text layers that are right, and such as broken fonts and bad OCR leave, for the constants of pdf/trust.py."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from layout_pages import words

from edu_cli.ingest.layout.line import Line
from edu_cli.ingest.pdf import trust
from edu_cli.ingest.pdf.lines import Layer
from edu_cli.ingest.text import plausible

FULL, HALF, NONE = (0.0, 0.0, 600.0, 800.0), (0.0, 0.0, 600.0, 500.0), None
# The module that holds the constant, its name, and what to try.
SWEEPS: Sequence[tuple[ModuleType, str, tuple[float, ...]]] = (
    (trust, "_UNREADABLE", (0.02, 0.05, 0.08, 0.12, 0.2)),
    (trust, "_RUN", (2, 3, 4, 6)),
    (trust, "_RUNS", (3, 6, 10, 20)),
    (trust, "_STRANGE", (0.03, 0.06, 0.1, 0.2, 0.4)),
    (trust, "_OLD_LAYER", (0.3, 0.34, 0.38, 0.42, 0.46)),
    (plausible, "_HAN_NONSENSE", (0.1, 0.15, 0.2, 0.25, 0.3)),
    (plausible, "_LATIN_NONSENSE", (0.5, 0.6, 0.7, 0.8, 0.9)),
    (plausible, "_LEAST_HAN", (6, 14, 30)),
)


class Scan:
    """A page that shows one picture, or none."""

    def __init__(self, box: tuple[float, ...] | None) -> None:
        self.box = box
        self.rect = type("Rect", (), {"width": 600.0, "height": 800.0})

    def get_image_info(self) -> list[dict[str, Any]]:
        return [{"bbox": self.box}] if self.box else []

    def get_cdrawings(self) -> list[Any]:
        return []


def trust_report(pages: int = 1000) -> dict[str, Any]:
    """Of each half: the share of right layers that are believed, and of wrong ones that are doubted."""
    halves = ([*labelled(range(0, pages, 2))], [*labelled(range(1, pages, 2))])
    report: dict[str, Any] = {"kinds": kinds([*halves[0], *halves[1]])}
    for module, name, values in SWEEPS:
        now = getattr(module, name)
        rows = {}
        for value in values:
            setattr(module, name, value)
            found = [shares(half) for half in halves]
            rows[str(value)] = {"choose": found[0], "check": found[1]} | ({"shipped": True} if value == now else {})
        setattr(module, name, now)
        report[name] = rows
    return report


Page = tuple[str, bool, Scan, Layer]  # kind, whether it is wrong, the page, its layer


def labelled(seeds: Sequence[int]) -> list[Page]:
    chinese, english, _ = words()
    return [one(seed, chinese, english) for seed in seeds]


def one(seed: int, chinese: Sequence[str], english: Sequence[str]) -> Page:
    rng = random.Random(seed)
    kind, spoil, wrong, box = KINDS[seed // 2 % len(KINDS)]
    some = rng.choices(english if "latin" in kind else chinese, k=rng.randint(3, 16))
    lines = tuple(
        Line(spoil(text, rng), (60.0, 60.0 + 40 * at, 540.0, 75.0 + 40 * at), 11.0) for at, text in enumerate(some)
    )
    return kind, wrong, Scan(box), Layer(600.0, 800.0, lines, invisible="layer" in kind)


def as_it_is(text: str, _rng: random.Random) -> str:
    return text


def bulleted(text: str, rng: random.Random) -> str:
    """A bullet in a private font, and now and then a logo's glyph."""
    return f"{chr(0xF000 + rng.randrange(256))} {text}" if rng.random() < 0.8 else text


def mathematical(text: str, rng: random.Random) -> str:
    """Terms with Greek letters, and the parts of large brackets that have no character."""
    return f"{text} {rng.choice('αβγλμσ')} = ∑ x{rng.choice('ᵢⱼ')} \ue000\ue001"


def spoilt(share: float, make: Callable[[random.Random], str]) -> Callable[[str, random.Random], str]:
    return lambda text, rng: "".join(make(rng) if rng.random() < share and char != " " else char for char in text)


def wordless(text: str, rng: random.Random) -> str:
    """A word of the line in a font without characters, such as that of a term in bold."""
    at = rng.randrange(max(1, len(text) - 4))
    return text if rng.random() < 0.6 else text[:at] + "\ufffd" * 5 + text[at + 5 :]


def private(rng: random.Random) -> str:
    return chr(0xE000 + rng.randrange(3000))


def lost(_rng: random.Random) -> str:
    return "\ufffd"


def other_han(rng: random.Random) -> str:
    return chr(0x4E00 + rng.randrange(0x51A5))


def common_han(rng: random.Random) -> str:
    return bytes([rng.randrange(0xB0, 0xD8), rng.randrange(0xA1, 0xFA)]).decode("gb2312", "replace")


def other_letter(rng: random.Random) -> str:
    return rng.choice("abcdefghijklmnopqrstuvwxyz")


def foreign(rng: random.Random) -> str:
    return chr(rng.choice((0x0530, 0x0E01, 0x1000, 0x1400)) + rng.randrange(60))


KINDS: Sequence[tuple[str, Callable[[str, random.Random], str], bool, tuple[float, ...] | None]] = (
    ("right", as_it_is, False, NONE),
    ("right latin", as_it_is, False, NONE),
    ("right, private bullets", bulleted, False, NONE),
    ("right, mathematics", mathematical, False, NONE),
    ("right layer over a scan", as_it_is, False, FULL),
    ("right layer over a scan, every 50th character wrong", spoilt(0.02, common_han), False, FULL),
    ("right text on a picture", as_it_is, False, HALF),
    ("no characters", spoilt(1.0, lost), True, NONE),
    ("no characters for every tenth glyph", spoilt(0.1, lost), True, NONE),
    ("no characters for a word now and then", wordless, True, NONE),
    ("private characters", spoilt(1.0, private), True, NONE),
    ("private characters for a third", spoilt(0.33, private), True, NONE),
    ("other characters", spoilt(1.0, other_han), True, NONE),
    ("other common characters", spoilt(1.0, common_han), True, NONE),
    ("other letters latin", spoilt(1.0, other_letter), True, NONE),
    ("another script", spoilt(0.8, foreign), True, NONE),
    ("old layer, every tenth character wrong", spoilt(0.1, common_han), True, FULL),
    ("old layer, every fifth character wrong", spoilt(0.2, common_han), True, FULL),
    ("old layer, half of the characters wrong", spoilt(0.5, common_han), True, FULL),
)  # fmt: skip


def shares(pages: Sequence[Page]) -> dict[str, float]:
    doubted = [(wrong, bool(trust.doubt(page, layer).reason)) for _, wrong, page, layer in pages]
    right = [not found for wrong, found in doubted if not wrong]
    caught = [found for wrong, found in doubted if wrong]
    return {"believed": round(sum(right) / len(right), 3), "doubted": round(sum(caught) / len(caught), 3)}


def kinds(pages: Sequence[Page]) -> dict[str, float]:
    """The share of each kind that is doubted."""
    found: dict[str, list[bool]] = {}
    for kind, _, page, layer in pages:
        found.setdefault(kind, []).append(bool(trust.doubt(page, layer).reason))
    return {kind: round(sum(values) / len(values), 3) for kind, values in found.items()}
