"""Validation of corpus files: counts of their pages, and problems."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from hashlib import blake2b
from os import PathLike
from pathlib import Path

from blockfeat._files import parse_object, read_lines, stem
from blockfeat.data.corpus import LabelledPage, language_code, page_from_record
from blockfeat.errors import CorpusError
from blockfeat.lang import tokenize

LEAST_FOUND = 0.5
"""Smallest share of the gold words that must occur in the page; `validate` reports a page below it."""


@dataclass(frozen=True, slots=True)
class CorpusProblem:
    """One thing that is wrong with a line of a corpus.

    Attributes
    ----------
    line : int
        Number of the line, from 1; 0 for a problem of the whole file.
    kind : str
        ``"record"`` (bad JSON, missing fields, wrong types), ``"empty html"``, ``"empty gold"``,
        ``"gold not found"``, ``"roles"`` (of another segmentation of the page), ``"duplicate id"``,
        ``"duplicate html"`` or ``"file"``.
    message : str
        What is wrong, with the page's id where it has one.
    """

    line: int
    kind: str
    message: str

    def __str__(self) -> str:
        """Return the problem as one line of text."""
        return f"line {self.line}: {self.message}" if self.line else self.message


@dataclass(frozen=True, slots=True)
class CorpusReport:
    """What `validate` found in a file.

    Attributes
    ----------
    path : str
        The file.
    corpus : str
        Its name without suffixes.
    pages : int
        Number of labelled pages, bad records left out.
    languages : dict of str to int
        Number of pages of each language, the most frequent first; ``"unknown"`` counts the pages without one.
    hosts : int
        Number of different hosts.
    problems : tuple of CorpusProblem
        In the order of lines.
    """

    path: str
    corpus: str
    pages: int
    languages: dict[str, int]
    hosts: int
    problems: tuple[CorpusProblem, ...]

    @property
    def ok(self) -> bool:
        """True if there are no problems."""
        return not self.problems


def gold_found(page: LabelledPage) -> float:
    """Return the share of the gold's words that occur in the page, scripts and styles left out.

    The gold is the text, or without one the snippets that must occur; 1.0 if there are no words in it.
    """
    gold = tokenize("\n".join(page.present) if page.text is None else page.text)
    if not gold:
        return 1.0
    from blockfeat.page.page import Page  # lxml, which reading a corpus does not need

    words = set(tokenize(Page.parse(page.html).all_text()))
    return sum(word in words for word in gold) / len(gold)


@dataclass(slots=True)
class _Tally:
    """Counts and problems of the pages read so far."""

    pages: int = 0
    languages: Counter[str] = field(default_factory=Counter)
    hosts: set[str] = field(default_factory=set)
    problems: list[CorpusProblem] = field(default_factory=list)
    ids: dict[tuple[str, str], int] = field(default_factory=dict)
    digests: dict[bytes, int] = field(default_factory=dict)

    def add(self, page: LabelledPage, line: int) -> None:
        """Count a page and add its problems."""
        self.pages += 1
        self.languages[language_code(page.lang) or "unknown"] += 1
        self.hosts.add(page.host)
        first = self.ids.setdefault((page.corpus, page.id), line)
        if first != line:
            self.note(line, "duplicate id", f"id {page.id!r} is already on line {first}")
        digest = blake2b(page.html.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        first = self.digests.setdefault(digest, line)
        if first != line and page.html.strip():
            self.note(line, "duplicate html", f"{page.id!r} has the same html as line {first}")
        if not page.html.strip():
            self.note(line, "empty html", f"{page.id!r} has empty html")
            return
        # Roles without content say that the page has none.
        is_meant = page.roles is not None and "content" not in page.roles.blocks
        if page.text is not None and not page.text.strip() and not is_meant:
            self.note(line, "empty gold", f"{page.id!r} has an empty gold text")
        share = gold_found(page)
        if share < LEAST_FOUND:
            message = f"only {share:.0%} of the gold words of {page.id!r} occur in its html"
            self.note(line, "gold not found", message)
        if page.roles is not None and not _roles_fit(page):
            message = f"the roles of {page.id!r} are of another cut of the page; its text is used instead"
            self.note(line, "roles", message)

    def note(self, line: int, kind: str, message: str) -> None:
        """Add a problem."""
        self.problems.append(CorpusProblem(line, kind, message))


def _roles_fit(page: LabelledPage) -> bool:
    """Return whether a page's roles fit its segmentation into blocks; True if their tag table is not bundled."""
    from blockfeat.blocks.blockify import cut_into_blocks
    from blockfeat.blocks.tagtable import BUNDLED_TABLES, load_table
    from blockfeat.page.page import Page

    if page.roles is None or page.roles.table not in BUNDLED_TABLES:
        return True
    table = load_table(page.roles.table)
    parsed = Page.parse(page.html, url=page.url, keep_drawings=table.reads_drawings)
    return page.roles.fits(cut_into_blocks(parsed, table))


def validate(path: str | PathLike[str]) -> CorpusReport:
    """Read a corpus file to its end, counting its pages and listing what is wrong with it.

    Parameters
    ----------
    path : str or path
        A file as for `blockfeat.data.corpus.read_corpus`.

    Returns
    -------
    CorpusReport
        A damaged file, a bad line and doubtful content are problems in the report, not errors.

    Raises
    ------
    CorpusError
        If the file is missing or its suffix is unknown.
    """
    place = Path(path)
    corpus = stem(place)
    if not place.exists():
        raise CorpusError(f"{place}: there is no such file")
    tally = _Tally()
    try:
        for line, content in read_lines(place):
            try:
                tally.add(page_from_record(parse_object(content), corpus=corpus), line)
            except CorpusError as error:
                tally.note(line, "record", str(error))
    except CorpusError as error:
        tally.note(0, "file", str(error))
    languages = dict(tally.languages.most_common())
    return CorpusReport(str(place), corpus, tally.pages, languages, len(tally.hosts), tuple(tally.problems))
