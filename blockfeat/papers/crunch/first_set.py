"""The filters that delete elements by name or by what they refer to: the first set, and advertisements."""

from __future__ import annotations

from blockfeat.papers.crunch.decision import Decision
from blockfeat.papers.crunch.hosts import HostList
from blockfeat.papers.crunch.letters import letters
from blockfeat.papers.crunch.settings import Filters

_NAMED: dict[str, frozenset[str]] = {
    "scripts": frozenset({"script"}),
    "noscript": frozenset({"noscript"}),
    "styles": frozenset({"style"}),
    "forms": frozenset({"form"}),
    "inputs": frozenset({"input", "textarea"}),
    "buttons": frozenset({"button"}),
    "selects": frozenset({"datalist", "select"}),
    "meta": frozenset({"meta"}),
    "frames": frozenset({"frame", "frameset", "iframe", "noframes"}),
    "embeds": frozenset({"applet", "audio", "bgsound", "embed", "object", "video"}),
}
_IMAGES = frozenset({"img", "map", "picture", "svg"})
# What a link may hold beside text and images.
_REST = frozenset({"audio", "button", "canvas", "embed", "iframe", "input", "object", "select", "textarea", "video"})
_FIXED = frozenset({"body", "head", "html"})
_REFERENCES = ("src", "href", "data")


def decide_first_set(decision: Decision, filters: Filters, hosts: HostList | None) -> None:
    """Mark what goes, from the top down; what is inside of something that goes is not looked at.

    Parameters
    ----------
    decision : Decision
        What goes so far, and what this adds.
    filters : Filters
        Which filters are on.
    hosts : HostList or None
        Hosts of advertisements; None leaves them.
    """
    walked = decision.walked
    names = frozenset().union(*(chosen for filter, chosen in _NAMED.items() if getattr(filters, filter)))
    around = walked.links_around()
    holds_image = bytearray(len(walked))
    index = 0
    while index < len(walked):
        name = walked.names[index]
        if name in _FIXED:
            index += 1
            continue
        if hosts is not None and _is_advertisement(decision, index, hosts):
            decision.removed[index] = decision.is_advertisement[index] = 1
        elif name in names or (filters.styles and _is_style_sheet(decision, index)):
            decision.removed[index] = 1
        elif name in _IMAGES:
            link = around[index]
            if link >= 0:
                holds_image[link] = 1
            _decide_image(decision, index, filters, is_link=link >= 0)
        index = walked.end[index] if decision.removed[index] else index + 1
    _decide_links(decision, filters, holds_image, around)


def _is_advertisement(decision: Decision, index: int, hosts: HostList) -> bool:
    element = decision.walked.elements[index]
    return any(hosts.lists(element.get(name) or "") for name in _REFERENCES)


def _is_style_sheet(decision: Decision, index: int) -> bool:
    if decision.walked.names[index] != "link":
        return False
    element = decision.walked.elements[index]
    return "stylesheet" in (element.get("rel") or "").lower().split() or (element.get("as") or "").lower() == "style"


def _decide_image(decision: Decision, index: int, filters: Filters, *, is_link: bool) -> None:
    """Mark an image, with the text that is shown in its place."""
    removes, shows = (filters.image_links, filters.image_links_alt) if is_link else (filters.images, filters.images_alt)
    if not removes:
        return
    decision.removed[index] = 1
    if shows:
        inside = decision.walked.elements[index : decision.walked.end[index]]
        texts = (element.get("alt") or "" for element in inside)
        if text := " ".join(" ".join(texts).split()):
            decision.shown[index] = text


def _decide_links(decision: Decision, filters: Filters, holds_image: bytearray, around: list[int]) -> None:
    """Mark links of text, and links that held nothing but images which go."""
    walked, gone = decision.walked, decision.gone()
    length, has_rest = [0] * len(walked), bytearray(len(walked))
    for index, element in enumerate(walked.elements):
        inside, outside = around[index], around[walked.parent[index]] if index else -1
        if not gone[index] and inside >= 0:
            length[inside] += letters(element.text)
            has_rest[inside] |= index != inside and walked.names[index] in _REST
        parent = walked.parent[index]
        if outside >= 0 and not gone[parent]:
            length[outside] += letters(element.tail) + letters(decision.shown.get(index))
    for index in range(len(walked)):
        if gone[index] or around[index] != index:
            continue
        if length[index]:
            decision.removed[index] |= filters.text_links
        elif holds_image[index] and filters.image_links and not has_rest[index]:
            decision.removed[index] = 1
