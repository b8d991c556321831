"""The page itself with everything but its kept blocks taken out: its tree, its head, and both as markup."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape, unescape
from itertools import islice

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from blockfeat._numeric import sums_before
from blockfeat.blocks.table import Blocks, Mask, TextPlaces, elements_behind, text_places
from blockfeat.content.build import caption_blocks, shows_images
from blockfeat.content.inline import SOURCES
from blockfeat.content.links import Base, first_address, fold_white_space, xml_characters
from blockfeat.content.sanitise import Sanitiser
from blockfeat.page.page import check_tree
from blockfeat.page.tags import Tags, are_among, lxml_tree, name_key, name_keys

# Forbids scripts, objects, frames and forms, in case sanitising missed one.
_POLICY = "script-src 'none'; object-src 'none'; frame-src 'none'; form-action 'none'"
_DOCTYPE = re.compile(
    rb"\s*+(?:\xef\xbb\xbf\s*+)?(?:<\?xml[^<>]{0,200}>\s*+)?(?:<!--[^<>]{0,2000}-->\s*+)?<!doctype\s++html",
    re.IGNORECASE,
)
_MOST_START = 4_096

_MEDIA_KEYS = name_keys(["img", "audio", "video"])
_PAGE_KEYS = name_keys(["body", "html", "head"])
_MOSTLY = 2 / 3

# Elements that stay beside what is kept: cells and columns in their places, breaks behind text, what belongs to media.
_BESIDE = {
    **dict.fromkeys(map(name_key, ("col", "colgroup", "td", "th")), "place"),
    **dict.fromkeys(map(name_key, ("br", "hr", "wbr")), "break"),
    **dict.fromkeys(map(name_key, ("source", "track")), "source"),
    **dict.fromkeys(map(name_key, ("div", "li", "p", "span")), "box"),
}
_WITH_SOURCES = frozenset(map(name_key, ("audio", "picture", "video")))
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
    kept: Mask
    url: str | None
    title: str | None
    data: bytes

    def written(self, *, absolute: bool, styles: bool) -> str:
        """Return the page as HTML, with absolute addresses or not, with its styles or not; linear in its size."""
        tags = self.blocks.tags
        check_tree(len(self.data), tags)
        sanitiser = Sanitiser(Base.of(tags, self.url) if absolute else Base(None))
        head = self._head(sanitiser, None if absolute else first_address(tags, "base"), styles=styles)
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


def _view_port(tags: Tags) -> list[str]:
    metas = map(tags.attributes, tags.named("meta").tolist())
    given = (meta.get("content", "") for meta in metas if meta.get("name", "").lower() == "viewport")
    return [f'<meta name="viewport" content="{escape(xml_characters(one)[:200])}">' for one in islice(given, 1)]


def _kept_media(blocks: Blocks, kept: Mask, places: TextPlaces) -> list[int]:
    """Return the images, films and sounds that a reader would expect; linear in the size of the page.

    Those inside of kept blocks; those between two kept blocks, captions aside; and those in an element of which two
    thirds of the characters, captions aside, are kept, such as the picture above an article's first paragraph. Not
    images of one pixel, nor what stands in for an image that is loaded late.
    """
    tags = blocks.tags
    media = are_among(tags.key, _MEDIA_KEYS).nonzero()[0]
    if not media.size or not kept.any():
        return []
    is_caption = caption_blocks(blocks)
    between = shows_images(kept, is_caption)
    around = _in_kept_element(tags, places, ~is_caption[places.block], kept[places.block])
    place = tags.start[tags.opened[media]]
    before = blocks.first_byte.searchsorted(place, side="right") - 1
    inside = (before >= 0) & (place < blocks.end_byte[before])
    is_kept = np.where(inside, kept[before], around[media])
    loose = ~inside & (before + 1 < len(blocks))
    is_kept[loose] |= between[before[loose] + 1]
    return _with_sources(tags, media[is_kept].tolist())


def _in_kept_element(tags: Tags, places: TextPlaces, counted: Mask, kept: Mask) -> Mask:
    """Return for each element whether most of the text of the innermost one around it that has text is kept."""
    first, end = (places.tag.searchsorted(column) for column in (tags.opened, tags.closed))
    before = (sums_before(column) for column in (counted, counted & kept))
    total, left = (column[end] - column[first] for column in before)
    parents = tags.parents()
    mostly = ~are_among(tags.key, _PAGE_KEYS[:2]) & (left >= _MOSTLY * np.maximum(total, 1))
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
        has_image = any(attributes.get(name, "").strip() for name in SOURCES)
        if has_image and not {attributes.get("width"), attributes.get("height")} & {"0", "1", "1px", "0px"}:
            found.append(element)
    return found


def kept_tree(blocks: Blocks, kept: Mask) -> etree._Element:
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
        line breaks between them, and their images. Not safe to show.
    """
    tags, places = blocks.tags, text_places(blocks)
    has_text = np.zeros(tags.start.size, dtype=np.bool_)
    has_text[places.tag[kept[places.block]]] = True
    needed = _needed(tags, has_text, _kept_media(blocks, kept, places))
    root = lxml_tree(_cut(tags, elements_behind(blocks), needed, has_text))
    for element in root.iter(etree.Element):
        element.text, element.tail = (text and xml_characters(text) for text in (element.text, element.tail))
    return root


def _needed(tags: Tags, has_text: Mask, media: list[int]) -> Mask:
    """Return which elements stay: those with kept text (which is behind some tags) or media, and what these need."""
    own = are_among(tags.key, _PAGE_KEYS)
    own[[0, *media]] = True
    marked = has_text.copy()
    marked[tags.opened[own]] = True
    before = sums_before(marked)
    needed: list[bool] = (own | (before[tags.closed] > before[tags.opened])).tolist()
    inside, behind = has_text[tags.opened] & (tags.opened != tags.closed), has_text[tags.closed].tolist()
    follows = inside.tolist()  # Whether what stands last in an element so far is kept.
    keys, parents = tags.key.tolist(), tags.parents().tolist()
    for element, parent in enumerate(parents):
        if parent < 0 or not needed[parent]:
            continue
        if not needed[element] and (beside := _BESIDE.get(keys[element])):
            needed[element] = (
                beside == "place"
                or (beside == "break" and (follows[parent] or behind[element]))
                or (beside == "source" and keys[parent] in _WITH_SOURCES)
                or (beside == "box" and _is_clearing(tags, element))
            )
        follows[parent] = behind[element] or (
            needed[element] and _is_blank(_text_behind(tags, int(tags.closed[element])))
        )
    return np.array(needed, dtype=np.bool_)


def _is_clearing(tags: Tags, element: int) -> bool:
    """Return whether an empty element is there for the layout of what stands around it."""
    opened = int(tags.opened[element])
    if tags.closed[element] > opened + 1 or not _is_blank(_text_behind(tags, opened)):
        return False
    style, names = (tags.attributes(element).get(name, "").lower() for name in ("style", "class"))
    return "clear:" in style or any(name in _CLEARING for name in names.split())


def _text_behind(tags: Tags, tag: int) -> bytes:
    """Return the text between a tag and the next."""
    end = int(tags.start[tag + 1]) if tag + 1 < tags.start.size else None
    return tags.source[int(tags.stop[tag]) : end]


def _is_blank(text: bytes) -> bool:
    return not text or text.isspace() or not unescape(text.decode("utf-8", "replace")).strip()


def _cut(tags: Tags, around: NDArray[np.int64], needed: Mask, has_text: Mask) -> Tags:
    """Return the tags of the elements that stay with what is kept of the text in them; ``around`` each text is one."""
    is_written = np.zeros(tags.start.size, dtype=np.bool_)
    is_written[np.concatenate((tags.opened[needed], tags.closed[needed]))] = True
    is_inside = (around >= 0) & needed[around]
    chosen = (is_written | is_inside).nonzero()[0]
    written: list[bytes] = []
    texts: list[bytes] = []
    starts, size = [], 0
    columns = (column[chosen].tolist() for column in (tags.start, tags.stop, is_written, is_inside, has_text))
    for tag, first, end, writes, inside, is_kept in zip(chosen.tolist(), *columns, strict=True):
        if writes:
            written += [_joined(texts), tags.source[first:end]]
            texts = []
            starts.append(size + len(written[-2]))
            size = starts[-1] + end - first
        if inside:
            text = _text_behind(tags, tag)
            # White space where there was a text.
            texts.append(text if is_kept or _is_blank(text) else b" ")
    start, number = np.array(starts, dtype=np.int32), is_written.cumsum(dtype=np.int32) - 1
    source, stop = b"".join(written), start + (tags.stop - tags.start)[is_written]
    opened, closed = number[tags.opened[needed]], number[tags.closed[needed]]
    return Tags(source, start, stop, opened, closed, tags.key[needed], tags.depth, tags.origin[is_written])


def _joined(texts: Sequence[bytes]) -> bytes:
    """Return texts behind each other; one character of white space where many elements went."""
    text = b"".join(texts)
    if len(texts) == 1 or not _is_blank(text):
        return text
    white = xml_characters(unescape(text.decode("utf-8", "replace")))
    return b"\n" if "\n" in white else white[:1].encode()
