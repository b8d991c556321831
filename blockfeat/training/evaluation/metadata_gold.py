"""Pages with gold metadata: JSON Lines whose pages stand in them or in a corpus beside them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from blockfeat._json_lines import parse_object, read_lines, stem
from blockfeat.errors import CorpusError

_SUFFIXES = (".jsonl", ".jsonl.gz", ".jsonl.xz")


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
        ``title``, ``authors``, ``days``, ``instant``, ``modified`` and ``paywall``, as far as they are known.
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
    records = [(file, record) for file in files for record in _sampled(_records(file), sample)]
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
        found = sorted(file for file in path.iterdir() if file.name.endswith(_SUFFIXES))
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


def _sampled(records: list[dict[str, Any]], count: int | None) -> list[dict[str, Any]]:
    if count is None or count >= len(records):
        return records
    return [records[place * len(records) // count] for place in range(count)]


def _corpus(file: Path, name: str) -> Path:
    """Return the corpus that a page is referred to in."""
    # The folder above first: beside it may stand the gold of the same name.
    for folder in (file.resolve().parent.parent, file.resolve().parent):
        for suffix in _SUFFIXES:
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
