"""The page itself with everything but its kept blocks taken out, sanitised."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.content.links import Base, xml_characters

if TYPE_CHECKING:
    from lxml import etree

    from blockfeat.content.page_head import Addresses


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_TAGS = _names(
    """
    a abbr acronym address article aside audio b bdi bdo big blockquote br caption center cite code col colgroup data dd
    del details dfn dir div dl dt em fieldset figcaption figure font footer h1 h2 h3 h4 h5 h6 header hgroup hr i img ins
    kbd label legend li main mark menu nav nobr ol p picture pre q rp rt ruby s samp search section small source span
    strike strong sub summary sup table tbody td tfoot th thead time tr track tt u ul var video wbr
    """
)
_CUSTOM = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)+")
_EVERYWHERE = _names(
    """
    align bgcolor border class color dir height hidden id lang nowrap role style title valign width
    """
)
_OF_CELLS = {"abbr", "axis", "background", "char", "charoff", "colspan", "headers", "rowspan", "scope"}
_ATTRIBUTES: dict[str, set[str]] = {
    "*": set(_EVERYWHERE),
    "a": {"href", "name"},
    "audio": {"controls", "loop", "muted", "preload", "src"},
    "br": {"clear"},
    "col": {"span"},
    "colgroup": {"span"},
    "details": {"open"},
    "font": {"face", "size"},
    "hr": {"noshade", "size"},
    "img": {"alt", "decoding", "hspace", "loading", "sizes", "src", "srcset", "vspace"},
    "li": {"type", "value"},
    "ol": {"reversed", "start", "type"},
    "source": {"media", "sizes", "src", "srcset", "type"},
    "table": {"background", "cellpadding", "cellspacing", "frame", "rules", "summary"},
    "td": _OF_CELLS,
    "th": _OF_CELLS,
    "time": {"datetime"},
    "track": {"default", "kind", "label", "src", "srclang"},
    "tr": {"background"},
    "ul": {"type"},
    "video": {"controls", "loop", "muted", "playsinline", "poster", "preload", "src"},
}
_PREFIXES = {"aria-", "data-"}
_SCHEMES = {"data", "http", "https", "mailto"}
_OUTER = _EVERYWHERE | {"background", "link", "text", "vlink"}
_OUTER_NAME = re.compile(r"(?:aria|data)-[a-z0-9-]+")
# Elements whose text a browser would not show as that of an element, or that would act.
_RENAMED = {
    "form": "div",
    "dialog": "div",
    "listing": "pre",
    "plaintext": "pre",
    "xmp": "pre",
    **dict.fromkeys(("button", "datalist", "option", "optgroup", "output", "select", "textarea", "title"), "span"),
    **dict.fromkeys(("applet", "canvas", "iframe", "noembed", "noframes", "noscript", "object", "template"), "div"),
    **dict.fromkeys(("frameset", "frame", "foreignobject", "math", "svg"), "div"),
}
_OUTERMOST = frozenset({"body", "head", "html"})
# Elements that a browser opens again in each block behind one that broke them up: deeper ones would multiply.
_FORMATTING = _names("a b big code em font i nobr s small strike strong tt u")
_MOST_FORMATTING = 8


@dataclass(frozen=True, eq=False)
class PageMarkup:
    """Writes one page with everything but its kept blocks taken out.

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
        # Imported here, for most extractions are asked for their text alone.
        from blockfeat.content.kept_tree import kept_tree
        from blockfeat.content.page_head import Addresses, doctype_of, head_of

        tags = self.blocks.tags
        addresses = Addresses(Base.of(tags, self.url) if absolute else Base(None))
        own_base = None if absolute else _own_base(self.blocks)
        head = head_of(self.data, self.title, addresses, own_base, styles=styles)
        if not len(tags):
            return f"<!DOCTYPE html>\n<html>\n<head>\n{head}\n</head>\n<body>\n</body>\n</html>\n"
        root = kept_tree(self.blocks, self.kept)
        body = _body(root)
        inner = _sanitised(body, _prepared(root, addresses))
        start = f"<html{_attributes(root)}>\n<head>\n{head}\n</head>\n<body{_attributes(body)}>"
        return f"{doctype_of(self.data)}{start}\n{inner.strip()}\n</body>\n</html>\n"


def _own_base(blocks: Blocks) -> str | None:
    """Return the address of the page's base element."""
    for element in blocks.tags.named("base").tolist():
        if href := blocks.tags.attributes(element).get("href", "").strip():
            return href
    return None


def _body(root: etree._Element) -> etree._Element:
    """Return the body of a page, with what stands outside of it."""
    from lxml import etree

    body = root.find("body")
    if body is None:
        body = etree.SubElement(root, "body")
    for child in list(root):
        if child.tag != "head" and child is not body:
            body.append(child)
    return body


def _prepared(root: etree._Element, addresses: Addresses) -> set[str]:
    """Rename what may not stay as it is, and rewrite addresses; return the names of custom elements."""
    from lxml import etree

    formats: list[bool] = []
    custom: set[str] = set()
    depth = 0
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if event == "end":
            depth -= formats.pop()
            continue
        name = str(element.tag).lower()
        formats.append(name in _FORMATTING)
        depth += formats[-1]
        if name in _RENAMED:
            element.tag = _RENAMED[name]
        elif name in _FORMATTING and depth > _MOST_FORMATTING:
            element.tag = "span"
        elif _CUSTOM.fullmatch(name):
            custom.add(name)
        elif name not in _TAGS and name not in _OUTERMOST:
            element.tag = "span"
        if name == "details":
            element.set("open", "")
        elif name in ("audio", "video"):
            element.set("controls", "")
        addresses.rewrite(element)
    return custom


def _sanitised(body: etree._Element, custom: set[str]) -> str:
    """Return what is in a body, sanitised by nh3: elements, attributes and schemes of an allow list."""
    import nh3
    from lxml import etree

    markup = etree.tostring(body, method="html", encoding="unicode", with_tail=False)
    return nh3.clean(
        xml_characters(markup),
        tags=set(_TAGS | custom),
        attributes=_ATTRIBUTES,
        generic_attribute_prefixes=_PREFIXES,
        attribute_filter=_allowed,
        url_schemes=_SCHEMES,
        link_rel=None,
    )


def _allowed(element: str, attribute: str, value: str) -> str | None:
    """Return the value of an attribute; pictures are the only addresses that hold what they refer to."""
    if attribute not in ("background", "href", "poster", "src") or "data:" not in value[:64].lower():
        return value
    return value if element in ("img", "source") and value.lower().startswith("data:image/") else None


def _attributes(element: etree._Element) -> str:
    """Return the attributes of html or body that matter for the look of a page."""
    found = [
        (str(key).lower(), str(value))
        for key, value in element.attrib.items()
        if str(key).lower() in _OUTER or _OUTER_NAME.fullmatch(str(key).lower())
    ]
    return "".join(f' {key}="{escape(xml_characters(value))}"' for key, value in found)
