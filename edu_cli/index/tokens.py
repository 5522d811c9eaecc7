"""Text -> BM25 tokens: jieba's search-mode words and whole technical terms, folded. One tokeniser for both sides."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from edu_cli.errors import ConfigError
from edu_cli.index.tokens_version import cutter_name, fingerprint_of
from edu_cli.simplified import simplified

_LONGEST = 64  # characters; a longer run is a hash or a data URI, of which only pieces are kept

_INVISIBLE = re.compile("[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff]")
_HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003347f"
_KANA = "\u3040-\u30ff\u31f0-\u31ff"
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
_ALNUM = rf"[^\W_{_HAN}{_KANA}{_UNSPACED}]"
# A term is alphanumeric runs joined by one connector (TCP/IP, k-means, node_id, std::vector, 2031-09-01), led by the
# dot of .NET or followed by the sign of C++, B+, C#, A*.
_TERM = (
    rf"\.(?=[a-z]{{2}}){_ALNUM}+(?:[-_.]{_ALNUM}+)*"
    rf"|{_ALNUM}+(?:(?:::|->|__|[-_./&'@+#*\u00b7]){_ALNUM}+)*(?:(?<=[a-z])\+\+?|(?<![^\W_][a-z])(?<=[a-z])[#*](?![*#]))?"
)
_PIECE = re.compile(rf"(?P<han>[{_HAN}]+)|(?P<term>{_TERM})|(?P<runs>[{_KANA}]+|[{_UNSPACED}]+)")
_PART = re.compile(rf"{_ALNUM}+")
_STANDARD = re.compile(r"\b([a-z]{2,4}/[a-z]) ?(\d[\d.]*)")  # GB/T 7714, with or without the space


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """Callable text -> tokens. `fingerprint` changes whenever the same text may give other tokens."""

    fingerprint: str
    _cut: Callable[[str], list[str]]
    _mixed: re.Pattern[str] | None

    def __call__(self, text: str) -> list[str]:
        """Tokens in reading order; repeats stay. Nothing but punctuation is left out."""
        folded = fold_for_words(text)
        found = list(self._pieces(folded))
        found.extend("".join(match.groups()) for match in _STANDARD.finditer(folded))
        if self._mixed is not None:
            found.extend(match[0] for match in self._mixed.finditer(folded))
        return found

    def _pieces(self, folded: str) -> Iterator[str]:
        for match in _PIECE.finditer(folded):
            kind, piece = match.lastgroup, match[0]
            if kind == "han":
                yield from self._cut(piece)
            elif kind == "term":
                yield from _term_tokens(piece)
            else:
                yield from (piece[i : i + 2] for i in range(max(1, len(piece) - 1)))


def fold_for_words(text: str) -> str:
    """`text` for cutting into words: invisible characters out, NFKC width, lower case, Simplified."""
    visible = _INVISIBLE.sub("", text)
    return simplified(unicodedata.normalize("NFKC", visible).casefold())


def _term_tokens(term: str) -> Iterator[str]:
    parts = _PART.findall(term)
    if len(term) > len(parts[0]) and len(term) <= _LONGEST:
        yield term
    for part in parts:
        yield part[:_LONGEST]


@functools.lru_cache(maxsize=4)
def open_tokenizer(user_dict: Path | None = None, cache: Path | None = None) -> Tokenizer:
    """The tokeniser with the course terms of `user_dict` (one a line; what follows the first tab is ignored).

    `cache` is the folder where jieba keeps its unpacked dictionary, used only where rjieba is not installed. Raises
    ConfigError for a dictionary that cannot be read.
    """
    terms = read_terms(user_dict) if user_dict else ()
    han = tuple(term for term in terms if re.fullmatch(f"[{_HAN}]+", term))
    mixed = tuple(term for term in terms if term not in han)
    cutter = cutter_name()
    cut = _open_rjieba(han) if cutter == "rjieba" else _open_jieba(han, cache)
    pattern = re.compile("|".join(map(re.escape, sorted(mixed, key=len, reverse=True)))) if mixed else None
    return Tokenizer(fingerprint_of(cutter, terms), cut, pattern)


def read_terms(path: Path) -> tuple[str, ...]:
    """The terms of a user dictionary, folded, sorted, each once. Raises ConfigError."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"The user dictionary {path} cannot be read as UTF-8 text: {error}.", hint="mend lexical.user_dict"
        ) from error
    folded = (fold_for_words(line.split("\t")[0].strip()) for line in lines if not line.startswith("#"))
    return tuple(sorted({_jieba_word(term) for term in folded} - {""}))


def _jieba_word(line: str) -> str:
    """The term of a line in jieba's own format (`term`, `term 5`, `term 5 n`), so that its dictionaries can be used."""
    return re.sub(r"(?: \d+)?(?: [a-z]{1,3})?$", "", line) if re.search(r" \d+(?: [a-z]{1,3})?$", line) else line


def _open_rjieba(words: tuple[str, ...]) -> Callable[[str], list[str]]:
    import rjieba

    if not words:
        return rjieba.cut_for_search  # the import has loaded this one; another takes 0.1 s more
    cutter = rjieba.Jieba()
    for word in words:
        cutter.add_word(word, None, None)
    return cutter.cut_for_search


def _open_jieba(words: tuple[str, ...], cache: Path | None) -> Callable[[str], list[str]]:
    import logging

    import jieba

    jieba.setLogLevel(logging.ERROR)
    cutter = jieba.Tokenizer()
    if cache is not None:  # jieba's own choice, the common temp folder, lets others plant a cache that is unmarshalled
        cache.mkdir(parents=True, exist_ok=True)
        vars(cutter)["tmp_dir"] = str(cache)
    for word in words:
        cutter.add_word(word)
    return cutter.lcut_for_search
