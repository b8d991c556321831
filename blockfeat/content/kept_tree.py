"""The tree of a page with everything but the kept blocks, their ancestors and their images taken out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.blocks.text_places import text_places
from blockfeat.content.kept_media import kept_media
from blockfeat.page.lxml_tree import lxml_tree

__all__ = ["kept_tree"]

_PAGE = frozenset({"body", "head", "html"})
# Parts of tables that hold the others in their places, also where they are empty.
_PLACES = frozenset({"col", "colgroup", "td", "th"})
_BREAKS = frozenset({"br", "hr", "wbr"})
_OF_MEDIA = frozenset({"source", "track"})
# What ends the flow around floating elements, by its name or its style.
_CLEARING = ("clear", "clearfix", "cf")


@dataclass(frozen=True)
class _Texts:
    """Which of the texts of a tree are kept: before the first child of each element, and behind each element."""

    inside: NDArray[np.bool_]
    behind: NDArray[np.bool_]


def kept_tree(blocks: Blocks, kept: NDArray[np.bool_]) -> etree._Element:
    """Return a new tree of a page in which only what is kept is left; linear in the size of the page.

    Parameters
    ----------
    blocks : Blocks
        The page's blocks; the page has at least one tag.
    kept : bool array, n
        Those that are kept.

    Returns
    -------
    lxml element
        The outermost element. The text of all kept blocks, their ancestors with all attributes, the cells beside them,
        line breaks between them, and the images that `kept_media` names. Not safe to show.
    """
    root = lxml_tree(blocks.tags)
    elements = list(root.iter(etree.Element))
    parents = blocks.tags.parents().tolist()
    texts = _texts(blocks, kept)
    needed = _needed(elements, parents, texts, kept_media(blocks, kept))
    numbers = {element: number for number, element in enumerate(elements)}
    for element, is_needed in zip(elements, needed, strict=True):
        if is_needed:
            _rebuild(element, numbers, needed, texts)
    return root


def _texts(blocks: Blocks, kept: NDArray[np.bool_]) -> _Texts:
    tags, places = blocks.tags, text_places(blocks)
    by_tag = np.zeros(tags.start.size, dtype=np.bool_)
    by_tag[places.tag[kept[places.block]]] = True
    return _Texts(by_tag[tags.opened] & (tags.opened != tags.closed), by_tag[tags.closed])


def _needed(
    elements: Sequence[etree._Element], parents: Sequence[int], texts: _Texts, media: Sequence[int]
) -> list[bool]:
    """Return which elements stay: those with kept text or images in them, and what holds these in their places."""
    needed = [str(element.tag) in _PAGE for element in elements]
    inside, behind = texts.inside.tolist(), texts.behind.tolist()
    for number in media:
        needed[number] = True
    for number in range(len(elements) - 1, 0, -1):
        needed[number] = needed[number] or inside[number]
        if needed[number] or behind[number]:
            needed[parents[number]] = True
    follows = [False] * len(elements)  # Whether what stands before an element's next child is kept.
    for number, element in enumerate(elements[1:], start=1):
        parent, name = parents[number], str(element.tag)
        before = follows[parent] or (inside[parent] if element.getprevious() is None else False)
        if needed[parent] and not needed[number]:
            needed[number] = (
                name in _PLACES
                or (name in _BREAKS and (before or behind[number]))
                or (name in _OF_MEDIA and str(elements[parent].tag) in ("audio", "picture", "video"))
                or _is_clearing(element)
            )
        follows[parent] = behind[number] or (needed[number] and not (element.tail or "").strip())
    return needed


def _is_clearing(element: etree._Element) -> bool:
    """Return whether an empty element is there for the layout of what stands around it."""
    if len(element) or (element.text or "").strip() or str(element.tag) not in ("div", "p", "span", "li"):
        return False
    style = (element.get("style") or "").lower()
    return "clear:" in style or any(name.lower() in _CLEARING for name in (element.get("class") or "").split())


def _rebuild(element: etree._Element, numbers: dict[etree._Element, int], needed: Sequence[bool], texts: _Texts) -> None:
    """Take out of an element the children and the texts that are not kept; every text is written once."""
    number = numbers[element]
    before: etree._Element | None = None
    pieces = [_text(element.text, is_kept=bool(texts.inside[number]))]
    for child in list(element):
        own = numbers.get(child)
        tail = _text(child.tail, is_kept=own is not None and bool(texts.behind[own]))
        if own is not None and needed[own]:
            _write(element, before, pieces)
            before, pieces = child, [tail]
        else:
            element.remove(child)
            pieces.append(tail)
    _write(element, before, pieces)


def _text(text: str | None, *, is_kept: bool) -> str:
    """Return a text that is kept, or the white space where there was one."""
    if not text or is_kept or text.isspace():
        return text or ""
    return " "


def _write(element: etree._Element, before: etree._Element | None, pieces: Sequence[str]) -> None:
    text = "".join(pieces)
    # One line end where many elements went.
    text = text if text.strip() or len(pieces) == 1 else ("\n" if "\n" in text else text[:1])
    if before is None:
        element.text = text or None
    else:
        before.tail = text or None
