"""Groups of sentences, and of passages that lost their answer: `python sentences.py WORK`, after mine.py.

A sentence costs a fifth of a window, and its neighbours are about the same thing: what tells it from them is that it
answers. Written to WORK/groups, in mine.py's form, every text led by its page's title:

* SET-sentences (reading comprehension): the sentence that holds the answer against the others of its passage and of the
  near passages; for some questions nothing answers, since what they ask about was made another (a number, the page's
  subject).
* SET-cut: the window with the answer's sentence taken out as a near miss of the whole one.
* definitions: "X 是……" asked as 什么是 X against sentences that speak of X and do not say what it is.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from wording import changed_numbers

from edu_cli.simplified import simplified
from edu_cli.text import cjk_share, sentences

SEED = 8
READING = ("drcd", "xquad")
ALL = ("drcd", "xquad", "java", "manuals")
MOST_WRONG, LEAST_WRONG = 12, 4
WIDTHS = (8, 160)  # characters of a sentence worth showing
OTHER_SUBJECT = 4  # one question in so many that names its page's subject is asked of another, too
DEFINED_SHARE = 3  # one page's sentences define at most so many terms
_CUT = 200  # characters of a window
_DEFINES = re.compile(
    r"^(?P<term>[A-Za-z0-9\u4e00-\u9fff+#./ -]{2,16}?)\s?(?:（[^）]{1,40}）|\([^)]{1,40}\))?\s?"
    r"(?P<how>是一[种个款套类组份项门]|是指|指的是|是用来|用于|用来|是由|属于)"
)
_NO_TERM = re.compile(
    r"^(?:[这那它他她其该此某每各有在当如若从对以被把将由因所为但而且并或第最左右上下本一两不可通/-]|现|过去|关于|主要|社会就)"
    r"|[的了是们时总上中会被]$|[，。；：]|我|你|您|可以|广泛|来自|源出"
)
_WHAT = ("什么是{}？", "{}是什么？", "{}是什么意思", "{}指的是什么？", "介绍一下{}", "{}")
_FOR = ("{}有什么作用？", "{}用来做什么？", "{}的作用是什么？", "{}是什么？", "{}有什么用")
_PURPOSE = ("用", "是用")

Shown = tuple[str, float]


def main() -> None:
    """See the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    options = parser.parse_args()
    for name in READING:
        mined = [json.loads(line) for line in _text_lines(options.work / "groups" / f"{name}.jsonl")]
        made = list(of_reading(options.work / name, mined))
        _write(options.work, f"{name}-sentences", [group for kind, group in made if kind == "sentences"])
        _write(options.work, f"{name}-cut", [group for kind, group in made if kind == "cut"])
    _write(options.work, "definitions", [group for name in ALL for group in of_definitions(options.work / name)])


def of_reading(folder: Path, mined: Sequence[dict]) -> Iterator[tuple[str, dict]]:
    """("sentences" or "cut", group) of the questions whose answer stands in one sentence of their passage."""
    rng = random.Random(SEED)
    near = {group["question"]: group for group in mined if group["kind"] == "question"}
    subjects = sorted({_title(page) for page in _pages(folder).values()})
    for one in (json.loads(line) for line in _text_lines(folder / "dataset.jsonl")):
        group = near.get(one["question"])
        if group is None or not one.get("answers"):
            continue
        docs = [entry["doc"] for entry in one["relevant"]]
        page = _pages(folder)[min(docs) if one["question"] == group["question"] and rng.random() < 0.4 else max(docs)]
        sought = [squeezed(answer) for answer in one["answers"]]
        made = _sentences_of(one["question"], page, sought, group)
        if made is None:
            continue
        yield "sentences", made
        yield from (("sentences", other) for other in _unanswered(made, _title(page), subjects, rng))
        cut = _cut(one["question"], page, made["right"][0][0], sought, group)
        if cut:
            yield "cut", cut


def _sentences_of(question: str, page: str, sought: Sequence[str], group: dict) -> dict | None:
    title, text = _title(page), _body(page)
    own = [f"{title}\n{part}" for part in parts(text)]
    right = [line for line in own if any(answer in squeezed(_body_of(line)) for answer in sought)]
    if not right:
        return None
    best = max(right, key=lambda line: likeness(question, line))
    others = [line for line in own if line not in right]
    for window, _ in group["wrong"]:
        head, _, body = window.rpartition("\n") if window.count("\n") == 1 else window.partition("\n")
        others += [f"{head}\n{part}" for part in parts(body)]
    clean = [line for line in dict.fromkeys(others) if not any(answer in squeezed(line) for answer in sought)]
    once = {simplified(line): line for line in reversed(clean)}.values()  # a passage comes in two scripts
    wrong = sorted(once, key=lambda line: -likeness(question, line))[:MOST_WRONG]
    if len(wrong) < LEAST_WRONG:
        return None
    return _group(question, "sentence", [best], wrong, question)


def _unanswered(made: dict, title: str, subjects: Sequence[str], rng: random.Random) -> Iterator[dict]:
    """The question with what it asks about made another: the sentence that answered it no longer does."""
    question, (best, _) = made["question"], made["right"][0]
    wrong = [text for text, _ in made["wrong"]]
    changed = changed_numbers(question, best, rng)
    if changed:
        yield _group(question, "number", [best], [changed[1], *wrong[: MOST_WRONG - 1]], question)
        yield _group(changed[0], "unanswerable", [], [best, *wrong[: MOST_WRONG - 1]], question)
    elif len(title) >= 2 and title in question and rng.random() < 1 / OTHER_SUBJECT:
        other = question.replace(title, rng.choice(subjects))
        if other != question:
            yield _group(other, "unanswerable", [], [best, *wrong[: MOST_WRONG - 1]], question)


def _cut(question: str, page: str, best: str, sought: Sequence[str], group: dict) -> dict | None:
    """The window around the answer, and first of the near misses that of the same passage without the answer."""
    title, text = _title(page), _body(page)
    sentence = _body_of(best)
    at = text.find(sentence)
    without = [part for part in parts(text) if not any(answer in squeezed(part) for answer in sought)]
    missing = "".join(sorted(without, key=lambda part: abs(text.find(part) - at))[:4])
    if at < 0 or len(missing) < _CUT // 3:
        return None
    spans = [(start, end) for start, end in sentences(text) if end > at - _CUT // 2 and start < at + _CUT // 2]
    around = text[spans[0][0] : spans[-1][1]][: _CUT + 40]
    if not any(answer in squeezed(around) for answer in sought):
        return None
    ordered = [part for part in without if part in missing]
    near = [window for window, _ in group["wrong"] if not any(answer in squeezed(window) for answer in sought)]
    wrong = [f"{title}\n{''.join(ordered)[:_CUT]}", *near[: MOST_WRONG - 1]]
    return _group(question, "cut", [f"{title}\n{around}"], wrong, question) if len(wrong) > LEAST_WRONG else None


def of_definitions(folder: Path) -> Iterator[dict]:
    """Questions made of sentences that say what something is."""
    rng = random.Random(SEED)
    lines = [f"{_title(page)}\n{part}" for page in _pages(folder).values() for part in parts(_body(page))]
    lines = list(dict.fromkeys(lines))
    found = [(match, line) for line in lines if (match := _DEFINES.match(_body_of(line)))]
    often = Counter(match["term"].strip() for match, _ in found)
    taken: Counter[str] = Counter()
    for match, line in found:
        term, title = match["term"].strip(), line.partition("\n")[0]
        if often[term] > 1 or not _is_term(term) or taken[title] >= DEFINED_SHARE:
            continue
        speaking = [other for other in lines if term in other and other != line]
        rng.shuffle(speaking)
        random_ones = rng.sample(lines, MOST_WRONG)
        same = [other for other in lines if other.startswith(title + "\n") and other != line][:4]
        wrong = [other for other in dict.fromkeys([*speaking[:6], *same, *random_ones]) if other != line]
        taken[title] += 1
        forms = _FOR if match["how"].startswith(_PURPOSE) else _WHAT
        yield _group(rng.choice(forms).format(term), "definition", [line], wrong[:MOST_WRONG], "")


def _is_term(term: str) -> bool:
    return not _NO_TERM.search(term) and (cjk_share(term) > 0 or term[:1].isupper()) and len(term) >= 2


def parts(text: str) -> list[str]:
    """The sentences worth showing."""
    found = (text[start:end].strip() for start, end in sentences(text))
    return [part for part in found if WIDTHS[0] <= len(part) <= WIDTHS[1] and not part.startswith(("|", "```"))]


def likeness(question: str, text: str) -> float:
    """The share of the question's pairs of characters that the text holds."""
    pairs, held = _pairs(question), _pairs(text)
    return len(pairs & held) / max(1, len(pairs))


def _pairs(text: str) -> set[str]:
    plain = squeezed(text)
    return {plain[i : i + 2] for i in range(len(plain) - 1)}


def squeezed(text: str) -> str:
    """Without blanks, of one width and case."""
    return re.sub(r"\s", "", unicodedata.normalize("NFKC", text)).casefold()


def _group(question: str, kind: str, right: Sequence[str], wrong: Sequence[str], of: str) -> dict:
    """As mine.py writes it, and the set's question it was made `of`; the search says nothing of sentences."""
    shown = {"right": [(text, 0.0) for text in right], "wrong": [(text, 0.0) for text in wrong]}
    return {"question": question, "kind": kind, "of": of, **shown}


_READ: dict[Path, dict[str, str]] = {}


def _pages(folder: Path) -> dict[str, str]:
    if folder not in _READ:
        _READ[folder] = {page.name: page.read_text(encoding="utf-8") for page in sorted((folder / "docs").glob("*.md"))}
    return _READ[folder]


def _title(page: str) -> str:
    return page.partition("\n")[0].removeprefix("# ").strip() if page.startswith("# ") else ""


def _body(page: str) -> str:
    return page.partition("\n\n")[2] if page.startswith("# ") else page


def _body_of(line: str) -> str:
    return line.partition("\n")[2]


def _text_lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def _write(work: Path, name: str, groups: Sequence[dict]) -> None:
    lines = (json.dumps(group, ensure_ascii=False) + "\n" for group in groups)
    (work / "groups" / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")
    print(json.dumps({"set": name, "groups": len(groups), "kinds": Counter(group["kind"] for group in groups)}))


if __name__ == "__main__":
    main()
