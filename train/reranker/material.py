"""Openly licensed text -> the sets that the reranker learns from: `python material.py WORK [--ir IR] [--java DIR]`.

Each set becomes WORK/SET/docs/*.md, one passage a file under its page's title, and WORK/SET/dataset.jsonl with
questions and the passages that answer them. README.md lists sources, licences and what was taken.

* drcd: half of the articles of drcd-hant (by the hash of the article's id), their questions; in Simplified characters
  too. `trains` says which half an article is in; the other half measures.
* xquad: xquad-zh less the passages that squad-zh, which measures, holds in another translation.
* drcd-other, notes: not for training but for fitting what the reranker's answers weigh (bench/rerank.py): the other half
  of DRCD, and headings of course notes (of any licence: nothing of them is kept but a handful of fitted numbers).
* java, manuals, registry: heading -> its section, with the heading taken out of the text, so that it must be recognised
  by what it says. A heading that stands over several sections asks nothing; in `registry`, which holds the pages of
  packages.py, some of these ask with their page's title.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from headings import Asked, Passage, of_headings
from packages import PACKAGES, pages_of

from edu_cli.config import Settings, cache_dir
from edu_cli.index.encoders.e5_small import E5SmallEncoder
from edu_cli.simplified import simplified

SEED = 8
# Debian packages of manuals in Chinese: name -> where its pages are. Licences stand in README.md.
MANUALS = {
    "libreoffice-help-zh-cn": "usr/share/libreoffice/help/zh-CN/text",
    "gimp-help-zh-cn": "usr/share/gimp/2.0/help/zh_CN",
    "debian-handbook": "usr/share/doc/debian-handbook/html/zh-CN",
    "debian-reference-zh-cn": "usr/share",
    "installation-guide-amd64": "usr/share/doc/installation-guide-amd64/zh_CN",
    "linux-doc-6.1": "usr/share/doc/linux-doc-6.1/html/translations/zh_CN",
    "maint-guide-zh-cn": "usr/share",
    "debian-faq-zh-cn": "usr/share",
}
MOST_OF_A_MANUAL = 2500  # sections: the office manual alone has thousands that are alike
PAGES_OF_NOTES = 70
_SAME_PASSAGE = 0.93  # cosine above which two passages are one text in two translations


def main() -> None:
    """See the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--ir", type=Path, default=Path("../shared/data/ir"), help="drcd-hant, xquad-zh and squad-zh")
    parser.add_argument("--java", type=Path, default=Path("../shared/data/courses/advanced-java"))
    parser.add_argument("--notes", type=Path, nargs="*", default=[], help="folders of Markdown")
    parser.add_argument("--sets", default="drcd,xquad,java,manuals")
    options = parser.parse_args()
    makers: dict[str, Callable[[], tuple[list[Passage], list[Asked]]]] = {
        "drcd": lambda: of_drcd(options.ir),
        "drcd-other": lambda: _of_set(options.ir / "drcd-hant", lambda doc: not trains(article_of(doc["doc_id"]))),
        "notes": lambda: of_notes(options.notes),
        "xquad": lambda: of_xquad(options.ir),
        "java": lambda: of_headings(options.java.rglob("*.md"), random.Random(SEED)),
        "manuals": lambda: of_manuals(options.work / "packages"),
        "registry": lambda: of_packages(options.work / "packages"),
    }
    for name in options.sets.split(","):
        passages, asked = makers[name]()
        write(options.work / name, passages, asked)
        print(json.dumps({"set": name, "passages": len(passages), "questions": len(asked)}), flush=True)


def trains(article: str) -> bool:
    """Whether an article of DRCD is in the half that trains."""
    return hashlib.blake2b(article.encode(), digest_size=1).digest()[0] % 2 == 0


def article_of(doc_id: str) -> str:
    """DRCD's passages are numbered within their article."""
    return doc_id.rsplit("-", 1)[0]


def of_drcd(ir: Path) -> tuple[list[Passage], list[Asked]]:
    """The training half, as it is and in Simplified characters."""
    passages, asked = _of_set(ir / "drcd-hant", lambda doc: trains(article_of(doc["doc_id"])))
    place = len(passages)
    passages += [Passage(simplified(p.title), simplified(p.text)) for p in passages]
    rng = random.Random(SEED)
    both = []
    for one in asked:  # each question once: a third as it was written, two thirds in Simplified; either text answers it
        answers = (*one.answers, *(a + place for a in one.answers))
        said = (*one.said, *map(simplified, one.said))
        both.append(Asked(one.question if rng.random() < 1 / 3 else simplified(one.question), answers, one.kind, said))
    return passages, both


def of_xquad(ir: Path) -> tuple[list[Passage], list[Asked]]:
    """Without the passages of squad-zh."""
    encoder = E5SmallEncoder(cache_dir(Settings()))
    held = encoder.encode_passages([doc["text"] for doc in _lines(ir / "squad-zh" / "corpus.jsonl")]).dense
    own = _lines(ir / "xquad-zh" / "corpus.jsonl")
    vectors = encoder.encode_passages([doc["text"] for doc in own]).dense
    alike = (vectors @ held.T).max(axis=1) >= _SAME_PASSAGE
    fresh = {doc["doc_id"] for doc, same in zip(own, alike, strict=True) if not same}
    return _of_set(ir / "xquad-zh", lambda doc: doc["doc_id"] in fresh)


def of_manuals(packages: Path) -> tuple[list[Passage], list[Asked]]:
    """The manuals' pages, read by the project's own reader."""
    packages.mkdir(parents=True, exist_ok=True)
    passages: list[Passage] = []
    asked: list[Asked] = []
    for name, folder in MANUALS.items():
        unpacked = packages / name
        if not unpacked.exists():
            subprocess.run(["apt-get", "download", name], cwd=packages, check=True)
            subprocess.run(["dpkg-deb", "-x", str(next(packages.glob(f"{name}_*.deb"))), str(unpacked)], check=True)
        pages = sorted((unpacked / folder).rglob("*.html"))
        _add(passages, asked, of_headings(pages, random.Random(SEED), MOST_OF_A_MANUAL))
    return passages, asked


def of_packages(packages: Path) -> tuple[list[Passage], list[Asked]]:
    """The pages of packages.py; a passage that two packages hold comes once."""
    packages.mkdir(parents=True, exist_ok=True)
    passages: list[Passage] = []
    asked: list[Asked] = []
    for package in PACKAGES:
        found = of_headings(pages_of(package, packages), random.Random(SEED), package.most, titled=True)
        print(json.dumps({"package": package.name, "passages": len(found[0]), "questions": len(found[1])}), flush=True)
        _add(passages, asked, found)
    return passages, asked


def _add(passages: list[Passage], asked: list[Asked], found: tuple[list[Passage], list[Asked]]) -> None:
    """Behind those that are there."""
    place = len(passages)
    passages += found[0]
    asked += [Asked(q.question, tuple(a + place for a in q.answers), q.kind) for q in found[1]]


def of_notes(folders: Sequence[Path]) -> tuple[list[Passage], list[Asked]]:
    """Some pages of the folders, by lot."""
    pages = sorted(page for folder in folders for page in folder.rglob("*.md"))
    return of_headings(random.Random(SEED).sample(pages, min(len(pages), PAGES_OF_NOTES)), random.Random(SEED))


def _of_set(folder: Path, wanted: Callable[[dict], bool]) -> tuple[list[Passage], list[Asked]]:
    docs = [doc for doc in _lines(folder / "corpus.jsonl") if wanted(doc)]
    place = {doc["doc_id"]: i for i, doc in enumerate(docs)}
    answers: dict[str, list[int]] = {}
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, doc, grade = line.split("\t")
        if doc in place and int(grade) > 0:
            answers.setdefault(query, []).append(place[doc])
    asked = [
        Asked(query["text"], tuple(answers[query["query_id"]]), "question", tuple(query.get("answers", ())))
        for query in _lines(folder / "queries.jsonl")
        if query["query_id"] in answers
    ]
    return [Passage(doc.get("title") or "", doc["text"]) for doc in docs], asked


def write(folder: Path, passages: list[Passage], asked: list[Asked]) -> None:
    """Files for `edu ingest` and a data set for `edu eval`."""
    docs = folder / "docs"
    docs.mkdir(parents=True, exist_ok=True)
    for place, passage in enumerate(passages):
        title = " ".join(passage.title.split())
        text = f"# {title}\n\n{passage.text}\n" if title else passage.text + "\n"
        (docs / f"{place:05}.md").write_text(text, encoding="utf-8")
    lines = [
        {
            "id": f"q{i}",
            "question": one.question,
            "kind": one.kind,
            "relevant": [{"doc": f"{a:05}.md"} for a in one.answers],
            "answers": one.said,
        }
        for i, one in enumerate(asked)
    ]
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    (folder / "dataset.jsonl").write_text(text, encoding="utf-8")


def _lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


if __name__ == "__main__":
    main()
