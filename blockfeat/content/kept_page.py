"""The page itself with everything but its kept blocks taken out: its tree, its head, and both as markup."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import NamedTuple

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks, text_places
from blockfeat.content.build import caption_blocks, shows_images
from blockfeat.content.inline import SOURCES
from blockfeat.content.links import Base, fold_white_space, xml_characters
from blockfeat.content.sanitise import Sanitiser
from blockfeat.page.tags import Tags, lxml_tree, name_key, name_keys

# Nothing runs, whatever a browser makes of what is written.
_POLICY = "script-src 'none'; object-src 'none'; frame-src 'none'; form-action 'none'"
_DOCTYPE = re.compile(
    rb"\s*+(?:\xef\xbb\xbf\s*+)?(?:<\?xml[^<>]{0,200}>\s*+)?(?:<!--[^<>]{0,2000}-->\s*+)?<!doctype\s++html",
    re.IGNORECASE,
)
_MOST_START = 4_096

_MEDIA_KEYS = name_keys(["img", "audio", "video"])
_PAGE_KEYS = name_keys(["body", "html"])
_MOSTLY = 2 / 3

_PAGE = frozenset({"body", "head", "html"})
# Parts of tables that hold the others in their places, also where they are empty.
_PLACES = frozenset({"col", "colgroup", "td", "th"})
_BREAKS = frozenset({"br", "hr", "wbr"})
_OF_MEDIA = frozenset({"source", "track"})
_MEDIA = frozenset({"audio", "picture", "video"})
# What ends the flow around floating elements, by its name or its style.
_CLEARING = ("clear", "clearfix", "cf")


@dataclass(frozen=True, eq=False)
class KeptPage:
    """One page with everything but its kept blocks taken out.

    Attributes
    ----------
    blocks : Blocks
        The page's blocks.
    kept : bool array, n
        Those that are kept.
    url : str or None
        Its address.
    title : str or None
        Its title.
    data : bytes
        The page as it was read, UTF-8.
    """

    blocks: Blocks
    kept: NDArray[np.bool_]
    url: str | None
    title: str | None
    data: bytes

    def written(self, *, absolute: bool, styles: bool) -> str:
        """Return the page as HTML, with absolute addresses or not, with its styles or not; linear in its size."""
        tags = self.blocks.tags
        sanitiser = Sanitiser(Base.of(tags, self.url) if absolute else Base(None))
        head = self._head(sanitiser, None if absolute else _own_base(self.blocks), styles=styles)
        if not len(tags):
            return f"<!DOCTYPE html>\n<html>\n<head>\n{head}\n</head>\n<body>\n</body>\n</html>\n"
        # A browser lays a page without a doctype out in another way.
        doctype = "<!DOCTYPE html>\n" if _DOCTYPE.match(self.data[:_MOST_START]) else ""
        return doctype + sanitiser.document(kept_tree(self.blocks, self.kept), head)

    def _head(self, sanitiser: Sanitiser, base: str | None, *, styles: bool) -> str:
        """Return the head: a policy, view port, title, base and styles."""
        lines = ['<meta charset="utf-8">', f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">']
        tags = Tags.read(self.data, keeps_raw_text=True).tags
        lines += _view_port(tags)
        lines.append(f"<title>{escape(fold_white_space(xml_characters(self.title or '')).strip())}</title>")
        if base is not None and (target := sanitiser.address(base)):
            lines.append(f'<base href="{escape(target)}">')
        return "\n".join([*lines, *(sanitiser.head_styles(tags) if styles else ())])


def _own_base(blocks: Blocks) -> str | None:
    """Return the address of the page's base element."""
    for element in blocks.tags.named("base").tolist():
        if href := blocks.tags.attributes(element).get("href", "").strip():
            return href
    return None


def _view_port(tags: Tags) -> list[str]:
    for element in tags.named("meta").tolist():
        attributes = tags.attributes(element)
        if attributes.get("name", "").lower() == "viewport":
            content = escape(xml_characters(attributes.get("content", ""))[:200])
            return [f'<meta name="viewport" content="{content}">']
    return []


def kept_media(blocks: Blocks, kept: NDArray[np.bool_]) -> list[int]:
    """Return the images, films and sounds that a reader would expect; linear in the size of the page.

    Those inside of kept blocks; those between two kept blocks, captions aside; and those in an element of which two
    thirds of the characters, captions aside, are kept, such as the picture above an article's first paragraph. Not
    images of one pixel, nor what stands in for an image that is loaded late.
    """
    tags = blocks.tags
    media = np.isin(tags.key, _MEDIA_KEYS).nonzero()[0]
    if not media.size or not kept.any():
        return []
    is_caption = caption_blocks(blocks)
    between = shows_images(kept, is_caption)
    around = _in_kept_element(blocks, kept, is_caption)
    place = tags.start[tags.opened[media]]
    before = blocks.first_byte.searchsorted(place, side="right") - 1
    inside = (before >= 0) & (place < blocks.end_byte[before])
    is_kept = np.where(inside, kept[before], around[media])
    loose = ~inside & (before + 1 < len(blocks))
    is_kept[loose] |= between[before[loose] + 1]
    return _with_sources(tags, media[is_kept].tolist())


def _in_kept_element(blocks: Blocks, kept: NDArray[np.bool_], is_caption: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return for each element whether most of the text of the innermost one around it that has text is kept."""
    tags, places = blocks.tags, text_places(blocks)
    first, end = (places.tag.searchsorted(column) for column in (tags.opened, tags.closed))
    counted = ~is_caption[places.block]
    before = (np.concatenate(([0], column.cumsum())) for column in (counted, counted & kept[places.block]))
    total, left = (column[end] - column[first] for column in before)
    parents = tags.parents()
    mostly = ~np.isin(tags.key, _PAGE_KEYS) & (left >= _MOSTLY * np.maximum(total, 1))
    found: list[bool] = []
    for is_mostly, has_text, parent in zip(mostly.tolist(), (total > 0).tolist(), parents.tolist(), strict=True):
        found.append(is_mostly if has_text or parent < 0 else found[parent])
    return np.array(found, dtype=np.bool_)


def _with_sources(tags: Tags, media: list[int]) -> list[int]:
    """Leave out images without an address or of a pixel, and the second of two where one stands in for the other."""
    noscripts = tags.named("noscript")
    starts, ends = tags.opened[noscripts], tags.closed[noscripts]
    image = name_key("img")
    found: list[int] = []
    has_image = False
    for element in media:
        if tags.key[element] != image:
            found.append(element)
            continue
        attributes = tags.attributes(element)
        number = int(starts.searchsorted(tags.opened[element], side="right")) - 1
        is_stand_in = number >= 0 and tags.opened[element] < ends[number]
        if is_stand_in and has_image:
            has_image = False
            continue
        has_image = source_of(attributes) is not None
        if has_image and not {attributes.get("width"), attributes.get("height")} & {"0", "1", "1px", "0px"}:
            found.append(element)
    return found


def source_of(attributes: dict[str, str]) -> str | None:
    """Return the address of an image: one that is loaded late before one inside of the page."""
    given = [value for name in SOURCES if (value := attributes.get(name, "").strip())]
    elsewhere = (value for value in given if not value.lower().startswith("data:"))
    return next(elsewhere, given[0] if given else None)


class _Kept(NamedTuple):
    """What is kept of each element: itself, the text before its first child, and the text behind it."""

    needed: list[bool]
    inside: list[bool]
    behind: list[bool]


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
    inside, behind = _kept_texts(blocks, kept)
    needed = _needed(elements, parents, inside, behind, kept_media(blocks, kept))
    found = _Kept(needed, inside, behind)
    children: list[list[int]] = [[] for _ in elements]
    for number, parent in enumerate(parents[1:], start=1):
        children[parent].append(number)
    # From the end, and with no other reference than this list: lxml frees each element in a time that grows with the
    # elements before it that nothing refers to any more.
    for number in range(len(elements) - 1, -1, -1):
        if needed[number]:
            _rebuild(elements, number, children[number], found)
    return root


def _kept_texts(blocks: Blocks, kept: NDArray[np.bool_]) -> tuple[list[bool], list[bool]]:
    """Return whether the text before the first child of each element, and the one behind it, is kept."""
    tags, places = blocks.tags, text_places(blocks)
    by_tag = np.zeros(tags.start.size, dtype=np.bool_)
    by_tag[places.tag[kept[places.block]]] = True
    return (by_tag[tags.opened] & (tags.opened != tags.closed)).tolist(), by_tag[tags.closed].tolist()


def _needed(
    elements: Sequence[etree._Element],
    parents: Sequence[int],
    inside: Sequence[bool],
    behind: Sequence[bool],
    media: Sequence[int],
) -> list[bool]:
    """Return which elements stay: those with kept text or images in them, and what holds these in their places."""
    needed = [str(element.tag) in _PAGE for element in elements]
    for number in media:
        needed[number] = True
    for number in range(len(elements) - 1, 0, -1):
        needed[number] = needed[number] or inside[number]
        if needed[number] or behind[number]:
            needed[parents[number]] = True
    follows = list(inside)  # Whether what stands last in an element so far is kept.
    for number, element in enumerate(elements[1:], start=1):
        parent = parents[number]
        if needed[parent] and not needed[number]:
            name, around = str(element.tag), str(elements[parent].tag)
            needed[number] = (
                name in _PLACES
                or (name in _BREAKS and (follows[parent] or behind[number]))
                or (name in _OF_MEDIA and around in _MEDIA)
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


def _rebuild(elements: Sequence[etree._Element], own: int, children: Sequence[int], kept: _Kept) -> None:
    """Take out of an element the children and the texts that are not kept; every text is written once."""
    element = elements[own]
    before: etree._Element | None = None
    pieces = [_text(element.text, is_kept=kept.inside[own])]
    for number in children:
        child = elements[number]
        tail = _text(child.tail, is_kept=kept.behind[number])
        if kept.needed[number]:
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
    text = xml_characters("".join(pieces))
    # One line end where many elements went.
    text = text if text.strip() or len(pieces) == 1 else ("\n" if "\n" in text else text[:1])
    if before is None:
        element.text = text or None
    else:
        before.tail = text or None
