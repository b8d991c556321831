"""Lists of pages of corpora that are to be left out, such as those whose gold text is wrong."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from blockfeat._json_lines import parse_object, read_lines
from blockfeat.data.corpus import LabelledPage
from blockfeat.errors import CorpusError


def read_page_list(path: Path) -> frozenset[tuple[str, str]]:
    """Return corpus and id of each page of a list.

    Parameters
    ----------
    path : Path
        JSON Lines with ``corpus`` and ``id`` of a page each; other fields, such as ``reason``, are for people.

    Raises
    ------
    CorpusError
        The file cannot be read, or a line names no page; the message names file and line.
    """
    listed = set()
    for number, line in read_lines(path):
        try:
            entry = parse_object(line)
        except CorpusError as error:
            raise CorpusError(f"{path}, line {number}: {error}") from None
        corpus, name = entry.get("corpus"), entry.get("id")
        if not (isinstance(corpus, str) and isinstance(name, str)):
            raise CorpusError(f"{path}, line {number}: 'corpus' and 'id' must be strings")
        listed.add((corpus, name))
    return frozenset(listed)


def without_listed(pages: Iterable[LabelledPage], listed: frozenset[tuple[str, str]]) -> list[LabelledPage]:
    """Return the pages that a list does not name."""
    return [page for page in pages if (page.corpus, page.id) not in listed]
