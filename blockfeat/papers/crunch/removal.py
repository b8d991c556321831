"""Take out of a tree what a decision says, without fusing words."""

from __future__ import annotations

from collections.abc import Mapping

from lxml import etree

from blockfeat.papers.crunch.decision import Decision

# Elements that are not seen: a word around them is one word.
_UNSEEN = frozenset({"base", "link", "meta", "noscript", "script", "style", "template"})
# Elements in which there is no text to part.
_STRUCTURE = frozenset({"colgroup", "frameset", "head", "html", "table", "tbody", "tfoot", "thead", "tr"})


def take_out(decision: Decision) -> None:
    """Change the tree in place; linear in its size."""
    walked = decision.walked
    replaced: dict[int, dict[etree._Element, str]] = {}
    for index in walked.outermost(decision.removed):
        parent = walked.parent[index]
        text = decision.shown.get(index, "")
        gap = "" if walked.names[index] in _UNSEEN or walked.names[parent] in _STRUCTURE else " "
        replaced.setdefault(parent, {})[walked.elements[index]] = f"{gap}{text}{gap}" if text else gap
    for parent, places in replaced.items():
        _rebuild(walked.elements[parent], places)
    for index in walked.outermost(decision.emptied):
        element = walked.elements[index]
        del element[:]
        element.text = None


def _rebuild(parent: etree._Element, places: Mapping[etree._Element, str]) -> None:
    """Take children out of an element, each with a text in its place; every text is written once."""
    before: etree._Element | None = None
    pieces = [parent.text or ""]
    for child in list(parent):
        tail = child.tail or ""
        if child in places:
            pieces += places[child], tail
            parent.remove(child)
        else:
            _write(parent, before, pieces)
            before, pieces = child, [tail]
    _write(parent, before, pieces)


def _write(parent: etree._Element, before: etree._Element | None, pieces: list[str]) -> None:
    """Write the text behind a child, or at the beginning, with one space where two meet."""
    if len(pieces) == 1:
        return
    text = ""
    joined: list[str] = []
    for piece in pieces:
        if piece[:1] == " " and text[-1:].isspace():
            piece = piece[1:]
        elif text.endswith(" ") and piece[:1].isspace():
            joined[-1] = text[:-1]
        if piece:
            joined.append(piece)
            text = piece
    whole = "".join(joined)
    if before is None:
        parent.text = whole or None
    else:
        before.tail = whole or None
