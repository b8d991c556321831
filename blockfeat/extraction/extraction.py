"""``Extraction``: the main text of a page with its evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from functools import cached_property, partial
from html import escape
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

import numpy as np

import blockfeat
from blockfeat.blocks.block import Block
from blockfeat.content.links import clean_characters
from blockfeat.errors import InputError, LimitExceeded, ModelError, PageNotKept
from blockfeat.extraction.analysis import Facts, PageAnalysis
from blockfeat.lang.measures import keys_of_text, runs_of_three

if TYPE_CHECKING:
    from blockfeat.content.links import TextLink
    from blockfeat.content.nodes import Content
    from blockfeat.extraction.reasons import Counterfactual
    from blockfeat.metadata.metadata import Metadata

RECORD_SCHEMA = 2
"""Version of the record that `Extraction.to_dict` returns; ``blockfeat/io/outputs/record.schema.json`` describes it."""
_BYTES_OF_EVIDENCE = 11_500
_SHOWN, _MOST_BLOCKS, _MOST_CHARACTERS = 70, 500, 50_000
_EMPTY_PAGE = '<!DOCTYPE html>\n<html>\n<head>\n<meta charset="utf-8">\n</head>\n<body>\n</body>\n</html>\n'
_NOTHING = Facts()


def _escaped(text: str) -> str:
    return escape(clean_characters(text[:_MOST_CHARACTERS]))


def _folded(name: str, rows: list[tuple[str, bool, str]]) -> str:
    """Return texts as HTML under a heading that unfolds them, those that are kept in green; nothing in it is live."""
    style = "color: black; white-space: pre-wrap; background: "
    shown = "".join(
        f'<p style="{style}{"#d9f2d9" if kept else "#f6dada"}" title="{_escaped(why)}">{_escaped(text)}</p>'
        for text, kept, why in rows
    )
    return f"<details><summary>{name}</summary>{shown}</details>"


def _not_kept() -> None:
    raise PageNotKept('the result was pickled without its page, of which this is made: extract with keep="page"')


@dataclass(frozen=True, repr=False)
class Extraction:
    """The result of extraction from one page.

    Pickling keeps the text and the facts, and the blocks if they were asked for before; with the option
    ``keep="page"`` also the page, from which blocks and formats are made again after unpickling.

    Attributes
    ----------
    text : str
        The main text, blocks joined by blank lines; empty where the page has none. Line breaks, rows of tables (cells
        parted by tabs) and preformatted lines stay lines.
    lang : str or None
        ISO 639-1 code of the page's language.
    url, id : str or None
        Address and identifier as the caller gave them.
    title : str or None
        Text of the title element.
    headline : str or None
        The heading above the text that is most like the title, whether it is part of ``text`` or not.
    status : str
        ``"ok"``, ``"no content"`` (none of the page's text is main text, or it is an error page, a login, a bot check
        or a consent wall, whose notice is the text), ``"empty"`` (the page has no text) or ``"error"``; ``kind`` says
        what the page is.
    warnings : tuple of str
        What was cut off or repaired.
    error : str or None
        Why the page could not be read.
    model : str
        Name of the model.
    encoding : str or None
        The encoding of the bytes.
    blocks : tuple of Block
        Every block with its features, score and reason, computed at the first use.
    kind : str
        What the page is: ``"article"``, ``"other"`` (another page with content, such as a forum, a product),
        ``"front page"``, ``"list"``, ``"consent wall"``, ``"paywall stub"``, ``"login"``, ``"bot check"``,
        ``"error page"``, ``"empty"``, or ``"error"`` where it could not be read. This and the following are computed at
        the first use.
    confidence : float or None
        Expected word F1 of ``text``, from 0 to 1; None without a text, and for plain text.
    lang_confidence : float or None
        Confidence that the text is in ``lang``, from 0 to 1.
    roles : tuple of str
        The part of each block: ``"headline"``, ``"lead"``, ``"body"``, ``"caption"``, ``"comment"`` or ``"clutter"``.
    lead, body : str or None
        The standfirst, or else the first paragraph; the kept text without headline, lead, captions and comments.
    captions, comments : tuple of str
        Captions inside the text, and what readers wrote, whether they are part of ``text`` or not.
    links : tuple of TextLink
        Links of the text with absolute addresses, at most 200.
    fingerprint : str or None
        MinHash by which copies of the text are found (`blockfeat.extraction.extraction`); None without a text.
    metadata : Metadata
        Title, authors, dates and other metadata of the page, read at the first use.
    source : PageAnalysis, callable or None
        The measured page, from which blocks and facts are computed, or a function that returns it; None if only
        values are known.
    known_headline, known_blocks, known_facts, known_metadata : str, tuple of Block, Facts, Metadata
        The headline (empty for none), blocks, facts and metadata to use instead of those of ``source``.
    """

    text: str
    lang: str | None = None
    url: str | None = None
    id: str | None = None
    title: str | None = None
    status: str = "ok"
    warnings: tuple[str, ...] = ()
    error: str | None = None
    model: str = ""
    encoding: str | None = None
    source: PageAnalysis | Callable[[], PageAnalysis | None] | None = field(default=None, repr=False, compare=False)
    known_headline: str | None = field(default=None, repr=False, compare=False)
    known_blocks: tuple[Block, ...] = field(default=(), repr=False, compare=False)
    known_facts: Facts | bytes | None = field(default=None, repr=False, compare=False)
    known_metadata: Metadata | None = field(default=None, repr=False, compare=False)

    def __repr__(self) -> str:
        """Return the beginning of the text, and what the page is known by."""
        shown = {"title": self.title, "lang": self.lang, "url": self.url, "id": self.id, "error": self.error}
        given = "".join(f", {name}={value!r}" for name, value in shown.items() if value is not None)
        text = self.text if len(self.text) <= _SHOWN else f"{self.text[:_SHOWN]}…"
        return f"Extraction({text!r}, {self.status!r}{given})"

    def _repr_html_(self) -> str:
        """Return it for a notebook: title and facts, on a click the text, and the blocks in colour."""
        facts = [self.kind, self.lang, self.url, self.error]
        if (confidence := self.facts.confidence) is not None:
            facts.append(f"likely quality {confidence:.2f}")
        try:
            blocks = [(block.text, block.kept, block.reason) for block in self.blocks[:_MOST_BLOCKS]]
        except (LimitExceeded, ModelError, PageNotKept) as error:
            blocks = [(str(error), False, "")]
        head = f"<b>{_escaped(self.title or 'Without a title')}</b> {_escaped(' · '.join(filter(None, facts)))}"
        return f"<div>{head}{_folded('Text', [(self.text, True, '')])}{_folded('Blocks', blocks)}</div>"

    def __str__(self) -> str:
        """Return the text."""
        return self.text

    def __bool__(self) -> bool:
        """Return whether there is any text."""
        return bool(self.text)

    def __reduce__(self) -> str | tuple[Any, ...]:
        """Pickle it as plain values; see the class."""
        if self.source is None:
            return super().__reduce__()
        values = values_of(self) | {"known_metadata": self._metadata}
        analysis = getattr(self.source, "analysis", self.source)
        made = isinstance(analysis, PageAnalysis) and "blocks" in vars(analysis)
        values["known_blocks"] = self.blocks if made else self.known_blocks
        facts = self.known_facts if isinstance(self.known_facts, bytes) else self.facts.packed(self.text)
        source = self.source if getattr(self.source, "keeps_page", False) else _not_kept
        return partial(Extraction, **values, known_facts=facts, source=source), ()

    def __deepcopy__(self, memo: object = None) -> Extraction:
        """Return it itself, with its page: it cannot be changed."""
        return self

    __copy__ = __deepcopy__

    @property
    def analysis(self) -> PageAnalysis | None:
        """The page as it was measured; None where only values are known.

        Raises
        ------
        PageNotKept
            The extraction was pickled without its page.
        """
        return self.source() if callable(self.source) else self.source

    @property
    def metadata(self) -> Metadata:
        """Metadata of the page, each value with its source; empty where the extractor leaves it out."""
        from blockfeat.metadata.metadata import Metadata

        return self._metadata or Metadata()

    @cached_property
    def _metadata(self) -> Metadata | None:
        if self.known_facts is not None or self.analysis is None:
            return self.known_metadata
        return self.analysis.metadata

    @property
    def blocks(self) -> tuple[Block, ...]:
        """Every block of the page, in order, with the reason why it was kept or dropped."""
        return self.known_blocks if self.known_blocks or self.analysis is None else self.analysis.blocks

    def what_would_change(self, block: int) -> Counterfactual | None:
        """Return the smallest change of features that reverses the decision about a block.

        None where none does, where a rule has decided, or for an extraction without its analysis. InputError where the
        page has no such block.
        """
        if self.analysis is not None and block not in range(count := len(self.analysis.measured.blocks)):
            raise InputError(f"there is no block {block!r}: the page has {count}, counted from 0")
        return None if self.analysis is None else self.analysis.what_would_change(int(block))

    @property
    def headline(self) -> str | None:
        """The heading above the text that is most like the title."""
        if self.known_headline is not None or self.analysis is None:
            return self.known_headline or None
        return self.analysis.headline_text

    @property
    def facts(self) -> Facts:
        """The results about the page other than the text."""
        known = self._known
        return known.facts if isinstance(known, PageAnalysis) else known

    @property
    def _known(self) -> Facts | PageAnalysis:
        """What knows kind and roles: facts, which are unpacked at every use, or the analysis that they are made by."""
        if isinstance(self.known_facts, bytes):
            return Facts.unpacked(self.known_facts, self.text)
        return self.known_facts or self.analysis or _NOTHING

    @property
    def kind(self) -> str:
        """What the page is."""
        return self._known.kind

    @property
    def confidence(self) -> float | None:
        """Expected word F1 of the text, from 0 to 1."""
        return self.facts.confidence

    @property
    def lang_confidence(self) -> float | None:
        """Confidence that the text is in the page's language, from 0 to 1."""
        return self.facts.lang_confidence

    @property
    def roles(self) -> tuple[str, ...]:
        """The part of each block."""
        return self._known.roles or tuple("body" if block.kept else "clutter" for block in self.blocks)

    @property
    def lead(self) -> str | None:
        """The standfirst, or else the first paragraph."""
        return self.facts.lead

    @property
    def body(self) -> str | None:
        """The kept text beside headline, lead, captions and comments."""
        return self.facts.body

    @property
    def captions(self) -> tuple[str, ...]:
        """Captions inside the text."""
        return self.facts.captions

    @property
    def comments(self) -> tuple[str, ...]:
        """Comments by readers."""
        return self.facts.comments

    @property
    def links(self) -> tuple[TextLink, ...]:
        """Links of the text."""
        return self.facts.links

    @cached_property
    def fingerprint(self) -> str | None:
        """Fingerprint by which copies of the text are found."""
        return fingerprint(self.text)

    def content(self, *, images: bool = False, links: bool = True) -> Content:
        """Return the main text as a tree of headings, paragraphs, lists …; with its links and images or without."""
        from blockfeat.content.nodes import Content

        nodes = () if self.analysis is None else self.analysis.nodes(links=links, images=images)
        return Content(nodes, self.title, self.lang, self.url, self.id, self.model)

    def to_text(self) -> str:
        """Return the main text free of control characters."""
        return clean_characters(self.text)

    def to_markdown(self, *, links: bool = False, images: bool = False, front_matter: bool = False) -> str:
        """Return the main text as Markdown: CommonMark, and pipe tables for tables.

        Parameters
        ----------
        links, images : bool
            Write links and images, with absolute addresses as far as the page's own is known.
        front_matter : bool
            Begin with a block of YAML: title, authors, date, address, language, kind and confidence, as far as known.
        """
        # Imported here as in the other formats: most callers read the text alone.
        from blockfeat.content import markdown

        text = markdown.to_markdown(self.content(links=links, images=images), links=links)
        return markdown.front_matter(self._described()) + text if front_matter else text

    def _described(self) -> dict[str, Any]:
        page = {} if self._metadata is None else self._metadata.to_dict()
        known = {"title": page.get("title") or self.headline or self.title, "authors": page.get("authors")}
        known |= {"date": page.get("published"), "address": self.url or page.get("canonical_url")}
        return known | {"language": self.lang, "kind": self.kind, "confidence": self.confidence}

    def to_html(self, *, images: bool = False, fragment: bool = False) -> str:
        """Return the main text as a small, complete HTML document, sanitised; links are absolute.

        Parameters
        ----------
        images : bool
            Write images.
        fragment : bool
            Write the elements of the text alone, to be put into another document.
        """
        from blockfeat.content.html import to_html

        return to_html(self.content(images=images), fragment=fragment)

    def to_page(self, *, absolute: bool = True, styles: bool = True) -> str:
        """Return the page itself with everything but the kept blocks taken out, sanitised.

        Parameters
        ----------
        absolute : bool
            Make addresses absolute as far as the page's own is known; otherwise they stay as they are written.
        styles : bool
            Keep the page's style elements and the links to its style sheets.
        """
        return _EMPTY_PAGE if self.analysis is None else self.analysis.markup(absolute=absolute, styles=styles)

    def to_xml(self, *, images: bool = False) -> str:
        """Return the main text as a TEI P5 document; images on request."""
        from blockfeat.content.tei import to_xml

        return to_xml(self.content(images=images))

    def to_dict(self, *, evidence: bool = False) -> dict[str, Any]:
        """Return the page's record as plain values that JSON can hold (docs/record.md).

        With ``evidence``, the record has the blocks too, each with its role.
        """
        values = vars(self) | vars(self.facts) | {"headline": self.headline}
        values |= {"schema": RECORD_SCHEMA, "fingerprint": self.fingerprint, "version": blockfeat.__version__}
        values |= {"metadata": None if self._metadata is None else self._metadata.to_dict()}
        values |= {"links": [{"text": link.text, "url": link.url} for link in values["links"]]}
        document = {name: list(value) if isinstance(value := values[name], tuple) else value for name in _RECORD}
        if evidence:
            document["blocks"] = list(self.evidence())
        return document

    def evidence(self, *, links: bool = True) -> Iterator[dict[str, Any]]:
        """Return the blocks as plain values, each with its role, with or without links; see `check_memory`."""
        self.check_memory(_BYTES_OF_EVIDENCE, "the evidence of all blocks")
        blocks = zip(self.blocks, self.roles, strict=True)
        return ({**block.to_dict(links=links), "role": role} for block, role in blocks)

    def check_memory(self, bytes_a_block: int, what: str) -> None:
        """Raise LimitExceeded where what is made of all blocks takes more than 64 MB and 25 times the page's bytes."""
        if not self.known_blocks and self.analysis is not None:
            self.analysis.columns.check_memory(bytes_a_block, what)


_RECORD = (
    *("schema", "id", "url", "status", "kind", "lang", "lang_confidence", "title", "headline", "lead", "body"),
    *("captions", "comments", "text", "confidence", "metadata", "links", "fingerprint", "warnings", "error", "model"),
    "version",
)
_VALUES = tuple(one.name for one in fields(Extraction) if one.compare)
_HASHES, _SEED, _RUN, _BYTES = 64, 1, 3, 256


def values_of(extraction: Extraction) -> dict[str, Any]:
    """Return by name the values that make two extractions equal, and the headline."""
    return {name: getattr(extraction, name) for name in _VALUES} | {"known_headline": extraction.headline or ""}


def fingerprint(text: str) -> str | None:
    """Return the fingerprint of a text; None for one without words.

    MinHash (Broder 1997; the library rensa) of the runs of three words (of three characters in scripts without spaces)
    with 64 hash functions, of each the lowest byte (Li & König 2010): 128 hexadecimal digits. Case, punctuation, white
    space and the Unicode form do not count. Compare two with `fingerprint_similarity`.
    """
    from rensa import RMinHash

    keys = keys_of_text(normalize("NFC", text))[0]
    if not keys.size:
        return None
    # A text of one or two words is a run too.
    runs = runs_of_three(keys if keys.size >= _RUN else np.pad(keys, (0, _RUN - keys.size)))
    rows = RMinHash.digest_matrix_from_flat_token_hashes(runs, [0, runs.size], _HASHES, _SEED).to_rows()
    return bytes([value % _BYTES for value in rows[0]]).hex()


def fingerprint_keys(fingerprint: str | None, *, keys: int = 10) -> tuple[str, ...]:
    """Return keys of a fingerprint: texts that share one may be copies; `fingerprint_similarity` says if they are.

    A join by key finds near copies without comparing all pairs (locality-sensitive hashing; Indyk & Motwani 1998). With
    ten keys of six bytes, two texts that have 80 % of their runs of three words in common share a key with a
    probability of 95 %, at 90 % of 99.9 %, at 50 % of 15 %, at 20 % of 0.1 %.

    Parameters
    ----------
    fingerprint : str or None
        A fingerprint; None has no keys.
    keys : int
        How many, from 1 to 64: more find copies that are less alike, and more pairs that are none.

    Returns
    -------
    tuple of str
        Each with its number, such as ``"3:9a01f2b47c55"``.

    Raises
    ------
    InputError
        It is no fingerprint, or the number of keys is out of range.
    """
    if fingerprint is None:
        return ()
    if len(fingerprint) != 2 * _HASHES:
        raise InputError(f"a fingerprint has {2 * _HASHES} digits, not {len(fingerprint)}")
    if not 1 <= keys <= _HASHES:
        raise InputError(f"from 1 to {_HASHES} keys, not {keys}")
    digits = 2 * (_HASHES // keys)
    return tuple(f"{number}:{fingerprint[number * digits : (number + 1) * digits]}" for number in range(keys))


def fingerprint_similarity(first: str, second: str) -> float:
    """Return about which share of the runs of three words two texts have in common (Jaccard), from 0 to 1.

    The share of equal bytes, less what is equal by chance. The standard error is at most 0.06; copies of an article
    have 0.8 and more, texts that have nothing to do with each other less than 0.1.

    Raises
    ------
    InputError
        One of the two is no fingerprint.
    """
    try:
        left, right = bytes.fromhex(first), bytes.fromhex(second)
    except ValueError as error:
        raise InputError(f"no fingerprint: {error}") from error
    if len(left) != _HASHES or len(right) != _HASHES:
        raise InputError(f"a fingerprint has {2 * _HASHES} digits, not {len(first)} and {len(second)}")
    equal = sum(a == b for a, b in zip(left, right, strict=True)) / _HASHES
    return max((equal - 1 / _BYTES) / (1 - 1 / _BYTES), 0.0)
