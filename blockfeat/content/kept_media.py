"""Which images, films and sounds of a page belong to what is kept of it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.kinds import kinds_of_containers
from blockfeat.blocks.table import Blocks
from blockfeat.blocks.text_places import elements_behind, text_places
from blockfeat.content.build import shows_images
from blockfeat.page.tags import Tags, name_key, name_keys

Indices = NDArray[np.int64]
SOURCES = ("src", "data-src", "data-lazy-src", "data-original")
"""Where pages have the address of an image; those that load images late, not in the first."""

_MEDIA = name_keys(["img", "audio", "video"])
_PAGE = name_keys(["body", "html"])
_MOSTLY = 2 / 3


def kept_media(blocks: Blocks, kept: NDArray[np.bool_]) -> list[int]:
    """Return the images, films and sounds that a reader would expect; linear in the size of the page.

    Those inside of kept blocks; those between two kept blocks, captions aside; and those in an element of which two
    thirds of the characters, captions aside, are kept, such as the picture above an article's first paragraph. Not
    images of one pixel, nor what stands in for an image that is loaded late.
    """
    tags = blocks.tags
    media = np.isin(tags.key, _MEDIA).nonzero()[0]
    if not media.size or not kept.any():
        return []
    kinds = kinds_of_containers(blocks)
    kind_of = [kinds[container] for container in blocks.container.tolist()]
    between = np.array(shows_images(kept.tolist(), kind_of))
    is_caption = np.array([kind.name == "caption" for kind in kind_of])
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
    parents = tags.parents()
    own = elements_behind(blocks)[places.tag]
    counted = ~is_caption[places.block]
    columns = [counted, counted & kept[places.block]]
    total, left = (np.bincount(own, weights=column, minlength=len(tags)).tolist() for column in columns)
    around = parents.tolist()
    for element in range(len(around) - 1, 0, -1):
        total[around[element]] += total[element]
        left[around[element]] += left[element]
    is_page = np.isin(tags.key, _PAGE).tolist()
    found: list[bool] = []
    for element, parent in enumerate(around):
        if total[element] or parent < 0:
            found.append(not is_page[element] and left[element] >= _MOSTLY * max(total[element], 1.0))
        else:
            found.append(found[parent])
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
