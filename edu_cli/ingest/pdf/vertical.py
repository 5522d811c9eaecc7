"""Chinese set from top to bottom character by character, by programs that know no vertical writing mode."""

from __future__ import annotations

import itertools
import statistics
from collections import defaultdict
from collections.abc import Sequence

from edu_cli.ingest.layout.line import WIDE, Line

_LEAST = 12  # single characters on a page, fewer are labels
_SHARE = 0.8  # of all pieces


def is_stacked(lines: Sequence[Line]) -> bool:
    """Whether nearly all pieces are single characters that stand closer to the one below than to the one beside."""
    single = [line for line in lines if len(line.text) == 1 and WIDE.match(line.text)]
    if len(single) < max(_LEAST, _SHARE * len(lines)):
        return False
    em = statistics.median(line.size for line in single)
    below = _usual_step([(line.box[0], line.box[1]) for line in single], em)
    beside = _usual_step([(line.box[1], line.box[0]) for line in single], em)
    return below is not None and (beside is None or below < 0.9 * beside)


def _usual_step(places: Sequence[tuple[float, float]], em: float) -> float | None:
    """The median distance from each place to the next one that shares its first coordinate."""
    tracks: defaultdict[int, list[float]] = defaultdict(list)
    for first, second in places:
        tracks[round(2 * first / em)].append(second)
    steps = [b - a for track in tracks.values() for a, b in itertools.pairwise(sorted(track))]
    return statistics.median(steps) if steps else None
