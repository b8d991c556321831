"""Metadata against gold: pages with gold metadata, which values are right; precision, recall and F1 of each field."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from html import unescape
from os import PathLike
from pathlib import Path
from typing import Any

from blockfeat._files import SUFFIXES, parse_object, read_lines, stem
from blockfeat.data.split import spaced
from blockfeat.errors import CorpusError
from blockfeat.metadata.dates import Moment, parse_moment

SCORED = ("title", "strict title", "authors", "day", "instant", "modified", "description", "tags", "paywall")
"""The fields that are scored."""

_SITE = re.compile(r"\s+[|–—·•»«:-]+\s+|\s*[|｜»]\s*|\s*::\s*")
_SECONDS = 60.0
# Descriptions are cut short by sites and systems: so many letters decide.
_LETTERS = 60


@dataclass(frozen=True, slots=True)
class GivenMetadata:
    """What a system gives for one page.

    Attributes
    ----------
    title : str or None
        Title of the page.
    authors : tuple of str
        Names.
    published, modified : Moment or None
        Dates.
    paywall : bool or None
        Whether the text is for subscribers.
    description : str or None
        What the page is described with.
    tags : tuple of str
        Its keywords.
    """

    title: str | None = None
    authors: tuple[str, ...] = ()
    published: Moment | None = None
    modified: Moment | None = None
    paywall: bool | None = None
    description: str | None = None
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FieldScore:
    """Counts over pages that have gold for a field.

    Attributes
    ----------
    right, given, gold : int
        Values that are right, that the system gave, and that the gold has.
    """

    right: int = 0
    given: int = 0
    gold: int = 0

    def __add__(self, other: FieldScore) -> FieldScore:
        """Return the sum of the counts."""
        return FieldScore(self.right + other.right, self.given + other.given, self.gold + other.gold)

    @property
    def precision(self) -> float:
        """Right over given."""
        return self.right / self.given if self.given else 0.0

    @property
    def recall(self) -> float:
        """Right over gold."""
        return self.right / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        total = self.given + self.gold
        return 2 * self.right / total if total else 0.0


def scores_of(pages: Iterable[tuple[GivenMetadata, Mapping[str, Any]]]) -> dict[str, FieldScore]:
    """Return the scores of each field over pages, each with its gold."""
    totals = dict.fromkeys(SCORED, FieldScore())
    for given, gold in pages:
        for name in SCORED:
            totals[name] += count_field(name, given, gold)
    return totals


def count_field(name: str, given: GivenMetadata, gold: Mapping[str, Any]) -> FieldScore:
    """Return the counts of one field on one page; none where the gold has no value.

    A title may have the name of its site or lack it, a strict one not; authors and tags are counted by names, order and
    case free; a day must be one of the gold's; an instant needs a zone and may differ by a minute; of descriptions, as
    long as the shorter is, the first 60 letters count.
    """
    wanted = gold.get(_GOLD.get(name, name))
    if wanted is None or wanted == [] or wanted == "":
        return FieldScore()
    if name in ("authors", "tags"):
        ours, theirs = ({_folded(one) for one in names} for names in (getattr(given, name), wanted))
        return FieldScore(len(ours & theirs), len(ours), len(theirs))
    has, right = _RULES[name](given, wanted)
    return FieldScore(int(right), int(has), 1)


def _title(given: GivenMetadata, gold: str) -> tuple[bool, bool]:
    title = given.title or ""
    ours, theirs = _folded(title), _folded(gold)
    return bool(ours), ours == theirs or theirs in _without_site(title) or ours in _without_site(gold)


def _strict_title(given: GivenMetadata, gold: str) -> tuple[bool, bool]:
    ours = _folded(given.title or "")
    return bool(ours), ours == _folded(gold)


def _description(given: GivenMetadata, gold: str) -> tuple[bool, bool]:
    # Some gold was copied from the page's source.
    ours, theirs = _folded(given.description or ""), _folded(unescape(gold))
    compared = min(len(ours), len(theirs), _LETTERS)
    return bool(ours), compared > 0 and ours[:compared] == theirs[:compared]


def _day(given: GivenMetadata, gold: list[str]) -> tuple[bool, bool]:
    moment = given.published
    return moment is not None, moment is not None and moment.day.isoformat() in gold


def _instant(given: GivenMetadata, gold: str) -> tuple[bool, bool]:
    return _same_instant(given.published, gold)


def _modified(given: GivenMetadata, gold: str) -> tuple[bool, bool]:
    wanted = parse_moment(gold)
    if wanted is not None and wanted.instant is None:
        return given.modified is not None, given.modified is not None and given.modified.day == wanted.day
    return _same_instant(given.modified, gold)


def _same_instant(moment: Moment | None, gold: str) -> tuple[bool, bool]:
    instant = moment.instant if moment is not None else None
    if instant is None:
        return False, False
    return True, abs((instant - datetime.fromisoformat(gold)).total_seconds()) <= _SECONDS


def _paywall(given: GivenMetadata, gold: bool) -> tuple[bool, bool]:
    return given.paywall is not None, given.paywall == gold


_GOLD = {"day": "days", "strict title": "title"}
_RULES: dict[str, Callable[[GivenMetadata, Any], tuple[bool, bool]]] = {
    "title": _title,
    "strict title": _strict_title,
    "description": _description,
    "day": _day,
    "instant": _instant,
    "modified": _modified,
    "paywall": _paywall,
}


def _folded(text: str) -> str:
    """Return letters, marks and digits of a text in one case."""
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if unicodedata.category(c)[0] in "LMN")


def _without_site(title: str) -> set[str]:
    """Return the title without its first or last part, folded."""
    marks = list(_SITE.finditer(title))
    if not marks:
        return set()
    return {_folded(title[: marks[-1].start()]), _folded(title[marks[0].end() :])} - {""}


@dataclass(frozen=True)
class GoldPage:
    """A page with the values that it should give.

    Attributes
    ----------
    id, set : str
        Its identifier, and the name of the file that it is from.
    url : str or None
        Its address.
    html : str
        The page.
    gold : mapping
        ``title``, ``authors``, ``days``, ``instant``, ``modified``, ``description``, ``tags`` and ``paywall``, as far
        as they are known.
    """

    id: str
    set: str
    url: str | None
    html: str
    gold: Mapping[str, Any]


def read_gold(paths: Iterable[str | PathLike[str]], *, sample: int | None = None) -> list[GoldPage]:
    """Read files of gold metadata, or folders of such files.

    Each line is an object with ``id``, ``url``, ``gold`` and either ``html`` or ``html_ref``: "corpus:id" names a page
    of ``corpus.jsonl.xz`` in the folder above that of the file, or in its own.

    Parameters
    ----------
    paths : iterable of path-like
        Files or folders.
    sample : int, optional
        Evenly spaced pages of each file; all by default.

    Raises
    ------
    CorpusError
        A file cannot be read, or a page that is referred to is not there.
    """
    files = [file for path in paths for file in _files(Path(path))]
    records = [(file, record) for file in files for record in spaced(_records(file), sample)]
    wanted: dict[Path, dict[str, str]] = {}
    for file, record in records:
        if "html" not in record:
            corpus, _, identifier = str(record.get("html_ref", "")).partition(":")
            wanted.setdefault(_corpus(file, corpus), {})[identifier] = ""
    for corpus_file, pages in wanted.items():
        _read_pages(corpus_file, pages)
    return [_page(file, record, wanted) for file, record in records]


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        found = sorted(file for file in path.iterdir() if file.name.endswith(SUFFIXES))
        if not found:
            raise CorpusError(f"{path}: holds no .jsonl files")
        return found
    return [path]


def _records(file: Path) -> list[dict[str, Any]]:
    found = []
    for number, line in read_lines(file):
        record = parse_object(line)
        if not isinstance(record.get("gold"), dict):
            raise CorpusError(f"{file}: line {number}: has no object 'gold'")
        found.append(record)
    return found


def _corpus(file: Path, name: str) -> Path:
    """Return the corpus that a page is referred to in."""
    # The folder above first: beside it may stand the gold of the same name.
    for folder in (file.resolve().parent.parent, file.resolve().parent):
        for suffix in SUFFIXES:
            if name and (folder / f"{name}{suffix}").is_file():
                return folder / f"{name}{suffix}"
    raise CorpusError(f"{file}: there is no corpus {name!r} in the folder above or beside it")


def _read_pages(corpus: Path, pages: dict[str, str]) -> None:
    """Fill in the pages of a corpus by identifier."""
    for _, line in read_lines(corpus):
        record = parse_object(line)
        identifier = str(record.get("id"))
        if identifier in pages:
            pages[identifier] = str(record.get("html") or "")
    missing = next((identifier for identifier, html in pages.items() if not html), None)
    if missing is not None:
        raise CorpusError(f"{corpus}: has no page {missing!r}")


def _page(file: Path, record: dict[str, Any], corpora: Mapping[Path, Mapping[str, str]]) -> GoldPage:
    html = record.get("html")
    if html is None:
        corpus, _, identifier = str(record["html_ref"]).partition(":")
        html = corpora[_corpus(file, corpus)][identifier]
    url = record.get("url")
    return GoldPage(str(record.get("id", "")), stem(file), url if isinstance(url, str) else None, html, record["gold"])
