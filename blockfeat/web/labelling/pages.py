"""The pages of a session: stored compressed, cut into blocks, with the suggestions of a model."""

from __future__ import annotations

import tempfile
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat._numeric import probabilities
from blockfeat.blocks import Blocks
from blockfeat.content import data_tables, plain_text
from blockfeat.data import LabelledPage, cut_digest
from blockfeat.errors import BlockfeatError
from blockfeat.extraction import Extraction, Extractor, content_logits
from blockfeat.features import Measured, PageFeatures, feature_matrix, features_named
from blockfeat.metadata import find_span
from blockfeat.page import Document, Page, decode
from blockfeat.web.coloured import analysis_of

_LEVEL = 1  # of compression: fast, and HTML compresses well


class SessionPages:
    """Stores pages in a temporary file; created by `SessionPages.of`, and to be closed after use."""

    def __init__(self) -> None:
        self.problems: list[str] = []
        """Reasons why documents could not be read, each with the document's id."""
        self._file = tempfile.TemporaryFile(prefix="blockfeat-label-")  # noqa: SIM115 (closed by close)
        self._places: dict[str, tuple[int, int, str | None, str | None]] = {}
        self.hosts: dict[str, str] = {}
        """The site of each page, as training knows it."""
        self._next_number: dict[str, int] = {}
        self._lock = Lock()
        self._end = 0

    @classmethod
    def of(cls, documents: Iterable[Document]) -> SessionPages:
        """Read documents; those that are no pages are listed in ``problems``."""
        pages = cls()
        for document in documents:
            pages._add(document)
        return pages

    def close(self) -> None:
        """Remove the temporary file."""
        self._file.close()

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the pages in the order of the input."""
        return tuple(self._places)

    def __contains__(self, id: object) -> bool:
        """Return whether there is a page of this id."""
        return id in self._places

    def page(self, id: str) -> LabelledPage:
        """Return one page as it was read, without labels; KeyError where there is none of this id."""
        first, size, url, lang = self._places[id]
        with self._lock:
            self._file.seek(first)
            packed = self._file.read(size)
        return LabelledPage(id, zlib.decompress(packed).decode("utf-8", "surrogatepass"), url=url, lang=lang)

    def _add(self, document: Document) -> None:
        if document.data is None:
            self.problems.append(document.error or f"{document.id}: the document has no data")
            return
        html = document.data
        try:
            if isinstance(html, bytes):
                Page.parse(html, charset=document.charset)  # refuses what is no page
                html = decode(html, document.charset).text
        except BlockfeatError as error:
            self.problems.append(f"{document.id}: {error}")
            return
        packed = zlib.compress(html.encode("utf-8", "surrogatepass"), _LEVEL)
        self._file.write(packed)
        url = None if document.url is None else _writable(document.url)
        id = self._free_id(_writable(document.id))
        self._places[id] = (self._end, len(packed), url, document.lang)
        self.hosts[id] = LabelledPage(id, html, url=url).host
        self._end += len(packed)

    def _free_id(self, id: str) -> str:
        if id not in self._places:
            return id
        number = self._next_number.get(id, 2)
        while f"{id}#{number}" in self._places:
            number += 1
        self._next_number[id] = number + 1
        return f"{id}#{number}"


def _writable(name: str) -> str:
    """Return a name that can be encoded in UTF-8: file names may have bytes that are no text."""
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


_LONGEST_BYLINE = 25
_AROUND = 4
_MOST_ODDS = 30.0


@dataclass(frozen=True)
class Suggestion:
    """The suggestions of a model for a page.

    Attributes
    ----------
    roles : tuple of str, n
        A role for each block.
    chances : tuple of float, n
        Probability, by the model's scores, that the block is content, from 0 to 1.
    confidence : float
        Expected word F1 of the model's text, 0 to 1; 0 where it finds none.
    """

    roles: tuple[str, ...]
    chances: tuple[float, ...]
    confidence: float


@dataclass(frozen=True)
class CutPage:
    """A page with its blocks as they are shown to the labeller.

    Attributes
    ----------
    page : LabelledPage
        The page.
    extraction : Extraction
        The model's extraction of it.
    blocks : Blocks
        Its n blocks.
    cut : str
        Digest of the blocks' texts.
    suggestion : Suggestion
        What the model suggests for them.
    """

    page: LabelledPage
    extraction: Extraction
    blocks: Blocks
    cut: str
    suggestion: Suggestion


@dataclass(frozen=True)
class Suggester:
    """Cuts pages and suggests the roles of their blocks, by one model.

    Attributes
    ----------
    extractor : Extractor
        The extractor, with the model.
    """

    extractor: Extractor

    @property
    def table(self) -> str:
        """Name of the tag table that cuts pages."""
        return self.extractor.model.table.name

    def __call__(self, page: LabelledPage) -> CutPage:
        """Cut a page and suggest roles.

        Raises
        ------
        BlockfeatError
            The page cannot be extracted.
        """
        extraction = self.extractor.extract(page.html, url=page.url, lang=page.lang)
        analysis = analysis_of(extraction)
        measured, blocks = analysis.measured, analysis.measured.blocks
        kept, scores = analysis.prediction.kept, analysis.prediction.scores
        sizes = np.maximum(blocks.measures.words, 1)
        chances = probabilities(content_logits(self.extractor.model.kind, scores, sizes), limit=_MOST_ODDS)
        confidence = extraction.confidence if kept.any() else 0.0
        if confidence is None:
            confidence = sureness(chances, sizes)
        suggestion = Suggestion(_roles(extraction, measured, kept), tuple(chances.tolist()), confidence)
        return CutPage(page, extraction, blocks, cut_digest(blocks), suggestion)


def text_of_roles(blocks: Blocks, roles: tuple[str | None, ...]) -> str:
    """Return the text of the blocks that are content, as an extraction of them would be."""
    is_content = np.array([role == "content" for role in roles], dtype=np.bool_)
    return plain_text(blocks, is_content, data_tables(blocks, is_content)) if is_content.any() else ""


def _roles(extraction: Extraction, measured: PageFeatures, kept: NDArray[np.bool_]) -> tuple[str, ...]:
    """Return the role of each block: content or clutter by the model, headline, byline and caption by markup."""
    named = np.array(["content" if is_kept else "clutter" for is_kept in kept.tolist()], dtype=object)
    parts = np.array(extraction.roles, dtype=object)
    named[parts == "caption"] = "caption"
    named[_bylines(extraction, measured, kept)] = "byline"
    named[parts == "headline"] = "headline"
    return tuple(named.tolist())


def _bylines(extraction: Extraction, measured: PageFeatures, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the short blocks that name author or date.

    By their markup, from the headline to the end of the text; around the headline, where the model drops them, also by
    a date or the name of an author in their text.
    """
    blocks = measured.blocks
    found = np.zeros(len(blocks), dtype=np.bool_)
    if not kept.any():
        return found
    features = features_named(("around_byline", "terminal"))
    named, terminal = feature_matrix(features, Measured(blocks, measured.stop_words)).T
    is_short = (blocks.measures.words <= _LONGEST_BYLINE) & (terminal == 0)
    start, end = int(kept.argmax()), int(kept.size - kept[::-1].argmax())
    headline = extraction.roles.index("headline") if "headline" in extraction.roles else start
    first = min(headline, start)
    found[first:end] = (is_short & (named > 0))[first:end]
    authors = [author for author in extraction.metadata.authors if author]
    for block in range(max(headline - _AROUND, 0), min(max(headline, start) + _AROUND, end)):
        if is_short[block] and not kept[block]:
            text = blocks.text(block)
            found[block] |= find_span(text) is not None or any(author in text for author in authors)
    return found


def sureness(chances: NDArray[np.float64], sizes: NDArray[np.integer[Any]]) -> float:
    """Return 1 less the mean entropy, in bits, of the labels of the words; for models without a calibration.

    Parameters
    ----------
    chances : float array, n
        Probability that each block is content.
    sizes : int array, n
        Words of each block.
    """
    odds = np.clip(chances, 1e-12, 1 - 1e-12)
    entropy = -(odds * np.log2(odds) + (1 - odds) * np.log2(1 - odds))
    return float(1 - np.average(entropy, weights=sizes)) if chances.size else 0.0
