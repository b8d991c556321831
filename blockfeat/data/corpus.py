"""Labelled pages: a web page with the main text that a person marked, and the files that hold them."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from blockfeat._files import bundled_file, check_suffix, json_type, parse_object, read_lines, stem, write_lines
from blockfeat.data.labels import BlockRoles
from blockfeat.errors import CorpusError, LanguageError
from blockfeat.lang import normalise_code
from blockfeat.page.document import guess_host, registered_domain


@dataclass(frozen=True, slots=True)
class LabelledPage:
    """A page with its gold: the text to extract, or snippets that must and must not be in it.

    Attributes
    ----------
    id : str
        Unique within the corpus.
    html : str
        The page, decoded (a ``charset`` in it may no longer be true).
    text : str or None
        Gold: the main content as plain text; "" where the page has none; None if there are only snippets.
    lang : str or None
        ISO 639-1 code of the gold text.
    url : str or None
        Address of the page.
    present, absent : tuple of str
        Snippets that must, and must not, occur in the extraction (``with`` and ``without`` in files).
    page_type : str or None
        Such as ``"article"``, ``"forum"``, ``"product"``.
    title, author, date, publisher : str or None
        Metadata gold.
    corpus : str
        Name of the corpus that the page is from.
    text2 : str or None
        Gold text of a second labeller.
    roles : BlockRoles or None
        The role that the labeller gave to each block (`blockfeat label` writes them).
    """

    id: str
    html: str
    text: str | None = None
    lang: str | None = None
    url: str | None = None
    present: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    page_type: str | None = None
    title: str | None = None
    author: str | None = None
    date: str | None = None
    publisher: str | None = None
    corpus: str = ""
    text2: str | None = None
    roles: BlockRoles | None = None

    @property
    def host(self) -> str:
        """The page's site, lower-case.

        The registered domain of the url (`blockfeat.page.document.registered_domain`); without a url the publisher;
        else the site that the page names as its own (`blockfeat.page.document.guess_host`); else the id.
        """
        site = registered_domain(self.url) if self.url else None
        return site or (self.publisher or "").strip().lower() or guess_host(self.html) or self.id


# Fields that hold strings, in the order in which they are written.
_STRINGS = (
    *("id", "url", "lang", "page_type", "title", "author", "date", "publisher"),
    *("corpus", "html", "text", "text2"),
)
_SNIPPETS = {"with": "present", "without": "absent"}
# Fields in which "" differs from a missing value.
_MAY_BE_EMPTY = frozenset({"html", "text", "text2"})


def page_from_record(record: dict[str, Any], *, corpus: str = "") -> LabelledPage:
    """Return the page that a JSON object describes; fields of other names are ignored.

    Parameters
    ----------
    record : dict
        The fields of the corpus format.
    corpus : str
        Name of the corpus, used if the record itself has no ``corpus``.

    Raises
    ------
    CorpusError
        If ``id`` or ``html`` is missing, a field is of the wrong type, or there is no gold: neither ``text``
        nor a snippet in ``with`` or ``without``. The message gives the reason, not the place.
    """
    values: dict[str, Any] = {}
    for name in _STRINGS:
        value = record.get(name)
        if value is not None and not isinstance(value, str):
            raise CorpusError(f"field {name!r} is {json_type(value)}, not a string")
        if value or (value is not None and name in _MAY_BE_EMPTY):
            values[name] = value
    for name in ("id", "html"):
        if name not in values:
            raise CorpusError(f"field {name!r} is missing or empty")
    for name, attribute in _SNIPPETS.items():
        snippets = [] if record.get(name) is None else record[name]
        if not isinstance(snippets, list) or not all(isinstance(snippet, str) for snippet in snippets):
            raise CorpusError(f"field {name!r} is not an array of strings")
        values[attribute] = tuple(snippets)
    if record.get("roles") is not None:
        values["roles"] = BlockRoles.from_value(record["roles"])
    if "text" not in values and not values["present"] and not values["absent"]:
        raise CorpusError("no gold: neither 'text' nor snippets in 'with' or 'without'")
    values.setdefault("corpus", corpus)
    return LabelledPage(**values)


def page_to_record(page: LabelledPage) -> dict[str, Any]:
    """Return the page as a JSON object: a fixed order of fields, empty ones left out."""
    record: dict[str, Any] = {}
    for name in _STRINGS:
        value = getattr(page, name)
        if value or (value is not None and name in _MAY_BE_EMPTY):
            record[name] = value
    for name, attribute in _SNIPPETS.items():
        if getattr(page, attribute):
            record[name] = list(getattr(page, attribute))
    if page.roles is not None:
        record["roles"] = page.roles.to_value()
    return record


def read_corpus(path: str | PathLike[str]) -> Iterator[LabelledPage]:
    """Read the labelled pages of a file one by one.

    Parameters
    ----------
    path : str or path
        A file of JSON Lines in UTF-8: ``.jsonl``, ``.jsonl.gz`` or ``.jsonl.xz``. Its name without these
        suffixes is the corpus's name, unless a record has a field ``corpus``.

    Yields
    ------
    LabelledPage
        In the file's order; blank lines are skipped.

    Raises
    ------
    CorpusError
        If the file is missing or damaged, or a line is not a labelled page (`page_from_record` says which
        are), or an id comes twice within its corpus. The message names file, line and reason.
    """
    place = Path(path)
    corpus = stem(place)  # here, so that a wrong suffix is an error at the call
    return _read_pages(place, corpus)


def _read_pages(path: Path, corpus: str) -> Iterator[LabelledPage]:
    first_lines: dict[tuple[str, str], int] = {}
    for number, line in read_lines(path):
        try:
            page = page_from_record(parse_object(line), corpus=corpus)
        except CorpusError as error:
            raise CorpusError(f"{path}, line {number}: {error}") from None
        first = first_lines.setdefault((page.corpus, page.id), number)
        if first != number:
            raise CorpusError(f"{path}, line {number}: id {page.id!r} is already on line {first}")
        yield page


def write_corpus(pages: Iterable[LabelledPage], path: str | PathLike[str]) -> int:
    """Write labelled pages to a file that `read_corpus` reads.

    The file appears under its name when it is complete; an older one stays if anything fails. Empty fields
    are left out, so ``""`` comes back as None, save in ``html``, ``text`` and ``text2``. The corpus's name is
    written where it is not the one that the file's name gives.

    Parameters
    ----------
    pages : iterable of LabelledPage
        Read once, as they are written.
    path : str or path
        A name that ends in ``.jsonl``, ``.jsonl.gz`` or ``.jsonl.xz``, in a folder that exists.

    Returns
    -------
    int
        Number of pages written.

    Raises
    ------
    CorpusError
        If the file cannot be written, or a page could not be read again: without id or gold, or with an id
        that its corpus has already.
    """
    place = Path(path)
    return write_lines(_checked_records(pages, place, stem(place)), place)


def _checked_records(pages: Iterable[LabelledPage], path: Path, corpus: str) -> Iterator[dict[str, Any]]:
    seen: set[tuple[str, str]] = set()
    for number, page in enumerate(pages, start=1):
        record = page_to_record(page)
        if record.get("corpus") == corpus:
            del record["corpus"]
        try:
            page_from_record(record)
        except CorpusError as error:
            raise CorpusError(f"{path}: page {number} ({page.id!r}) cannot be written: {error}") from None
        key = (page.corpus or corpus, page.id)
        if key in seen:
            raise CorpusError(f"{path}: page {number}: id {page.id!r} comes twice")
        seen.add(key)
        yield record


def language_code(code: str | None) -> str | None:
    """Return the ISO 639-1 code that a language tag stands for: ``"de"`` for ``"de-AT"`` and ``"deu"``.

    As `blockfeat.lang.normalise_code`, but an unknown code is returned in lower case.
    """
    return normalise_code(code) or str(code or "").strip().lower() or None


def load_corpora(
    paths: Iterable[str | PathLike[str]] | str | PathLike[str],
    langs: Iterable[str] | None = None,
    *,
    identify: Callable[[LabelledPage], str | None] | None = None,
    on_page: Callable[[int, int], None] | None = None,
) -> list[LabelledPage]:
    """Read several corpora, or their pages in some languages, into memory.

    Parameters
    ----------
    paths : iterable of str or path
        The files, each as for `read_corpus`; a file that is named twice is read once. A single path is accepted too.
    langs : iterable of str, optional
        ISO 639-1 codes; regions are ignored (``de-AT`` is ``de``). Without them all pages are kept.
    identify : callable, optional
        Returns the language of a page whose record has none. Without it, such pages belong to no language.
    on_page : callable, optional
        Called with the number of files read and of all pages read, after each page and each file.

    Returns
    -------
    list of LabelledPage
        In the order of the files and of their lines.

    Raises
    ------
    CorpusError
        As `read_corpus`.
    LanguageError
        If there is no page of one of the languages; the message lists those that there are.
    """
    if isinstance(paths, (str, PathLike)):
        paths = [paths]
    places: dict[Path, Path] = {}
    for path in map(Path, paths):
        check_suffix(path)
        if path.resolve() in places:
            logging.getLogger("blockfeat.data.corpus").warning("%s is named twice and read once", path)
        places.setdefault(path.resolve(), path)

    def read() -> Iterator[LabelledPage]:
        count = 0
        for number, place in enumerate(places.values()):
            for page in read_corpus(place):
                count += 1
                if on_page is not None:
                    on_page(number, count)
                yield page
            if on_page is not None:
                on_page(number + 1, count)

    return select_languages(read(), langs, identify=identify, where=", ".join(place.name for place in places.values()))


def select_languages(
    pages: Iterable[LabelledPage],
    langs: Iterable[str] | None,
    *,
    identify: Callable[[LabelledPage], str | None] | None = None,
    where: str = "",
) -> list[LabelledPage]:
    """Return the pages in some languages, or all for None; arguments as for `load_corpora`.

    Raises
    ------
    LanguageError
        There is no page of one of the languages; the message names ``where`` and lists the languages that there are.
    """
    if langs is None:
        return list(pages)
    wanted = {language_code(code) for code in langs}
    found: Counter[str | None] = Counter()
    kept: list[LabelledPage] = []
    for page in pages:
        lang = language_code(page.lang or (identify(page) if identify else None))
        found[lang] += 1
        if lang in wanted:
            kept.append(page)
    missing = sorted(repr(str(lang)) for lang in wanted - set(found))
    if missing:
        there = ", ".join(f"{lang or 'unknown'} ({count})" for lang, count in found.most_common()) or "none"
        place = f" in {where}" if where else ""
        raise LanguageError(f"no page of language {', '.join(missing)}{place}; there are: {there}")
    return kept


def demo_pages() -> list[LabelledPage]:
    """Return the labelled pages that come with blockfeat, written for it, in several languages.

    Raises
    ------
    CorpusError
        If the installation lacks them.
    """
    return list(read_corpus(bundled_file("blockfeat.data", "demo", "demo.jsonl")))
