"""The nodes of content, from which every output format is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Text(NamedTuple):
    """Text in one style; a newline in it is a line break.

    Attributes
    ----------
    text : str
        White space folded to single blanks and newlines.
    bold, italic, code : bool
        How it is set.
    target : str or None
        Where it leads, if it is a link: a target that `blockfeat.content.links.safe_target` allows.
    script : str
        ``"sup"`` where it is raised, ``"sub"`` where it is lowered, otherwise empty.
    formula : str
        ``"$"`` where it is the LaTeX of a formula in a line, ``"$$"`` of one that is displayed, otherwise empty.
    """

    text: str
    bold: bool = False
    italic: bool = False
    code: bool = False
    target: str | None = None
    script: str = ""
    formula: str = ""


@dataclass(frozen=True, slots=True)
class Image:
    """An image: an allowed address, and the text that stands for it."""

    source: str
    alt: str = ""


Inline = tuple[Text | Image, ...]
"""A line of text, in order."""


def target_of(piece: Text | Image) -> str | None:
    """Return where a piece of a line leads; None where it is no link."""
    return piece.target if isinstance(piece, Text) else None


def set_bold(inline: Inline, bold: bool) -> Inline:
    """Return a line of text with all of it in bold, or nothing."""
    return tuple(piece._replace(bold=bold) if isinstance(piece, Text) else piece for piece in inline)


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph, or any text that is nothing else."""

    inline: Inline


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of level 1 to 6."""

    level: int
    inline: Inline


@dataclass(frozen=True, slots=True)
class Caption:
    """The caption of a figure or a table."""

    inline: Inline


@dataclass(frozen=True, slots=True)
class Code:
    """Preformatted text with its line breaks and runs of blanks, and its programming language where it is named."""

    text: str
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Quote:
    """A quotation."""

    nodes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure: images or a table with a caption."""

    nodes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list of items; the first of a numbered one has the number ``start``."""

    ordered: bool
    items: tuple[tuple[Node, ...], ...]
    start: int = 1


@dataclass(frozen=True, slots=True)
class Entry:
    """A term of a definition list, or what is said of the terms before it."""

    is_term: bool
    nodes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Definitions:
    """A definition list: terms and definitions in the order of the page."""

    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table.

    Attributes
    ----------
    inline : tuple of Text or Image
        What stands in it.
    is_header : bool
        Whether it names its row or column.
    columns, rows : int
        How many it spans; 0 where another cell spans its place.
    """

    inline: Inline = ()
    is_header: bool = False
    columns: int = 1
    rows: int = 1

    def spans(self) -> dict[str, int]:
        """Return how many columns and rows it spans, where these are several."""
        return {name: count for name, count in (("col", self.columns), ("row", self.rows)) if count > 1}


@dataclass(frozen=True, slots=True)
class Table:
    """A table of data: rows of the same length. The first row is its header if all of its cells are header cells."""

    rows: tuple[tuple[Cell, ...], ...]

    @property
    def has_header(self) -> bool:
        """Whether the first row names the columns."""
        return all(cell.is_header or not cell.inline for cell in self.rows[0])


Node = Paragraph | Heading | Caption | Code | Quote | Figure | ListOf | Definitions | Table


@dataclass(frozen=True, slots=True)
class Content:
    """What is kept of a page, and what is said of it in the head of a document.

    Attributes
    ----------
    nodes : tuple of Node
        In document order; lists, quotes and definitions are nested at most 12 deep.
    title, lang, url, id : str or None
        The page's title, language, address and identifier.
    model : str
        Name of the model that chose.
    """

    nodes: tuple[Node, ...] = ()
    title: str | None = None
    lang: str | None = None
    url: str | None = None
    id: str | None = None
    model: str = ""
