"""How often the encoding of a text is told right, by its length: `python bench/decode.py FILE_OR_DIR...` (UTF-8 texts).

Pieces of 5 to 2000 characters are written in each encoding that can hold them and read back. Prints JSON: the share that
comes back exactly, the share that is refused, and the share that comes back as other text (which must be next to none).
`--foreign` adds texts of other languages in their own encodings, which must come back right or be refused.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter, defaultdict
from pathlib import Path

from edu_cli.errors import LoadError
from edu_cli.ingest.text.decode import decode
from edu_cli.text import clean

LENGTHS = (5, 10, 20, 50, 200, 2000)
CODECS = ("utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-32-le", "gb18030", "big5")
FOREIGN = {
    "cp932": "これは日本語の文章です。文字コードの判定を確かめるために書きました。データベースとネットワークの授業は月曜日に行われます。",
    "euc_jp": "学生は締め切りまでにレポートを提出してください。質問がある場合は研究室まで来てください。カタカナも使います。",
    "cp949": "이 문서는 한국어로 작성되었습니다. 학생들은 다음 주 월요일까지 과제를 제출해야 합니다. 질문은 조교에게 하세요.",
    "cp1252": "Le résumé de la leçon précédente est déjà prêt – voilà “l’essentiel”. Größe und Länge. El niño comió piña.",
    "cp1251": "Студенты должны сдать работу до пятницы. Вопросы можно задать преподавателю на кафедре информатики.",
    "koi8_r": "Студенты должны сдать работу до пятницы. Вопросы можно задать преподавателю на кафедре информатики.",
    "iso8859_7": "Οι φοιτητές πρέπει να παραδώσουν την εργασία μέχρι την Παρασκευή το βράδυ στο γραφείο του καθηγητή.",
}


def texts(paths: list[Path]) -> list[str]:
    files = [file for path in paths for file in (sorted(path.rglob("*")) if path.is_dir() else [path])]
    return [clean(f.read_text(encoding="utf-8-sig"))[0] for f in files if f.suffix in (".md", ".txt", ".jsonl")]


def verdict(piece: str, codec: str) -> str | None:
    try:
        raw = piece.encode(codec)
    except UnicodeEncodeError:
        return None
    if raw.isascii() and b"\0" not in raw:
        return None
    try:
        return "right" if decode(raw).text == piece else "wrong"
    except LoadError:
        return "refused"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--foreign", action="store_true")
    parser.add_argument("--pieces", type=int, default=300)
    args = parser.parse_args()
    rng = random.Random(0)
    sources = [text for text in texts(args.paths) if len(text) > 50]
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for length in LENGTHS:
        for _ in range(args.pieces):
            text = rng.choice(sources)
            start = rng.randrange(max(1, len(text) - length))
            piece = text[start : start + length].strip()
            for codec in CODECS:
                found = verdict(piece, codec) if piece else None
                if found:
                    counts[f"{codec} {length}"][found] += 1
    if args.foreign:
        for codec, text in FOREIGN.items():
            for length in LENGTHS[1:4]:
                for start in range(0, len(text) - length, 3):
                    found = verdict(text[start : start + length].strip(), codec)
                    if found:
                        counts[f"{codec} {length}"][found] += 1
    shares = {
        name: {key: round(n / found.total(), 4) for key, n in sorted(found.items())} | {"n": found.total()}
        for name, found in counts.items()
    }
    json.dump(shares, sys.stdout, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
