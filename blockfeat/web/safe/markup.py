"""Which elements, attributes and styles of a hostile page are written again, and how."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from blockfeat.content.links import Base, safe_target, xml_characters

if TYPE_CHECKING:
    from tinycss2.ast import Node

# What an older or another browser would run, and what would load another sheet.
_ACTIVE = re.compile(
    r"expression\s*\(|javascript\s*:|vbscript\s*:|progid\s*:|livescript\s*:|-moz-binding|behaviou?r\s*:|-ms-behavior|@import|"
    r"@charset|@namespace|<!--|-->",
    re.IGNORECASE,
)
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))", re.DOTALL)
_IMPORT = re.compile(r"@import\b[^;{}]*;?", re.IGNORECASE)
_ADDRESS = re.compile(r"url\(\s*(?:\"[^\"]*\"|'[^']*'|[^)]*)\s*\)?", re.IGNORECASE)
_IMAGE = re.compile(r"url\(\s*+[\"']?\s*+data:image/(?:png|gif|jpeg|jpg|webp|avif)[;,]", re.IGNORECASE)
_WEB_ADDRESS = re.compile(r"url\(\s*+[\"']?\s*+https?://", re.IGNORECASE)
# Functions that take an address as a string without url().
_OF_STRINGS = re.compile(r"(?:-webkit-)?\b(?:image-set|image|src)\(", re.IGNORECASE)
_IMAGE_DATA = re.compile(r"\s*+data:image/(?:png|gif|jpeg|jpg|webp|avif)[;,]", re.IGNORECASE)
_ON_THE_WEB = re.compile(r"\s*+https?://", re.IGNORECASE)
_SCHEME = re.compile(r"\s*+[a-z][a-z0-9+.-]*+:", re.IGNORECASE)
# Names as a parser has them: escapes resolved, in lower case; here without a vendor's prefix.
_FUNCTIONS_THAT_LOAD = frozenset({"url", "src", "image", "image-set"})
_RULES_REFUSED = frozenset({"import", "charset", "namespace"})
_PREFIX = re.compile(r"-[a-z]+-")
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f]")


def safe_style_sheet(css: str, *, loads: bool = False) -> str:
    """Return a style sheet that may stand in a style element; empty where it hides something active.

    Parameters
    ----------
    css : str
        The sheet, as hostile as it may be.
    loads : bool
        Leave addresses of images on the web; without it only images that the sheet itself holds stay.
    """
    return _safe(_IMPORT.sub("", _COMMENT.sub("", css)), loads).replace("<", "\\3c ")


def safe_declarations(css: str, *, loads: bool = False) -> str:
    """Return the value of a style attribute; empty where it hides something active. See `safe_style_sheet`."""
    return _safe(_COMMENT.sub("", css), loads)


def _safe(css: str, loads: bool) -> str:
    css = _CONTROLS.sub("", css)
    plain = _ESCAPE.sub(_character, css)
    if _ACTIVE.search(css) or _ACTIVE.search(plain):
        return ""
    if not loads:
        css = _OF_STRINGS.sub("none(", css)
    css = _ADDRESS.sub(lambda found: _address(found.group(), loads), css)
    # What escapes hide from patterns, a parser sees.
    return css if all(_is_harmless(node, loads) for node in _nodes(css)) else ""


def _nodes(css: str) -> Iterator[Node]:
    """Yield what browsers see in a sheet: every token, function and block."""
    from tinycss2 import parse_component_value_list

    waiting = [iter(parse_component_value_list(css))]
    while waiting:
        node = next(waiting[-1], None)
        if node is None:
            waiting.pop()
        else:
            yield node
            waiting.append(iter(_children(node)))


def _children(node: Node) -> Iterable[Node]:
    """Return what stands in a function or a block."""
    return getattr(node, "arguments", None) or getattr(node, "content", None) or ()


def _is_harmless(node: Node, loads: bool) -> bool:
    """Return whether a token, function or block loads nothing but what is allowed; not where that is in doubt."""
    if node.type == "url":
        return _may_load(node.value, loads)
    if node.type == "at-keyword":
        return node.lower_value not in _RULES_REFUSED
    if node.type == "error":
        return node.kind not in ("bad-url", "eof-in-url")
    name = _PREFIX.sub("", node.lower_name) if node.type == "function" else ""
    if name not in _FUNCTIONS_THAT_LOAD:
        return name != "expression"
    strings = [each.value for each in node.arguments if each.type == "string"]
    if name == "url":
        return bool(strings) and all(_may_load(value, loads) for value in strings)
    return loads and all(_may_load(value, loads) or not _SCHEME.match(value) for value in strings)


def _may_load(address: str, loads: bool) -> bool:
    """Return whether an address may be loaded: an image that the sheet itself holds, or one on the web."""
    return bool(_IMAGE_DATA.match(address) or (loads and _ON_THE_WEB.match(address)))


def _address(written: str, loads: bool) -> str:
    """Return an address in a sheet, or none for one that may not be loaded."""
    allowed = _IMAGE.match(written) or (loads and _WEB_ADDRESS.match(written))
    return written if allowed and written.endswith(")") else "none"


def _character(escape: re.Match[str]) -> str:
    """Return what an escape of CSS stands for."""
    if escape.group(1) is None:
        return escape.group(2)
    code = int(escape.group(1), 16)
    return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"


LOOKS = ("plain", "page", "web")
"""How much of a page's look is kept: none of its styles; those that stand in it; also what they and it load."""

DROPPED = frozenset(
    (
        *("applet", "area", "audio", "base", "bgsound", "canvas", "command", "embed", "frame", "iframe", "isindex"),
        *("keygen", "link", "map", "math", "meta", "noembed", "noframes", "noscript", "object", "param", "script"),
        *("source", "style", "svg", "template", "title", "track", "video"),
    )
)
"""Elements that are left out; those with text of a block are unwrapped."""

RENAMED = {
    **dict.fromkeys(("center", "dialog", "dir", "form", "listing", "menu", "plaintext", "xmp"), "div"),
    **dict.fromkeys(("datalist", "optgroup", "option", "select", "textarea"), "span"),
}
"""Elements that act, or that parsers read in a way of their own, and what stands in their place."""

VOID = frozenset(("br", "col", "hr", "img", "input", "wbr"))
"""Elements without an end tag, of those that are written."""

ALLOWED = frozenset(
    (
        *("a", "abbr", "address", "article", "aside", "b", "bdi", "bdo", "big", "blockquote", "br", "button"),
        *("caption", "cite", "code", "col", "colgroup", "dd", "del", "details", "dfn", "div", "dl", "dt", "em"),
        *("fieldset", "figcaption", "figure", "font", "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header"),
        *("hgroup", "hr", "i", "img", "input", "ins", "kbd", "label", "legend", "li", "main", "mark", "nav", "ol"),
        *("p", "picture", "pre", "q", "rp", "rt", "ruby", "s", "samp", "search", "section", "small", "span"),
        *("strike", "strong", "sub", "summary", "sup", "table", "tbody", "td", "tfoot", "th", "thead", "time", "tr"),
        *("tt", "u", "ul", "var", "wbr"),
    )
)
"""Elements that are written as they are; others become span."""

_PLAIN = frozenset(
    (
        *("abbr", "align", "alt", "bgcolor", "border", "cellpadding", "cellspacing", "char", "clear", "color"),
        *("colspan", "datetime", "dir", "face", "headers", "height", "hspace", "lang", "noshade", "nowrap", "open"),
        *("placeholder", "reversed", "role", "rowspan", "rules", "scope", "size", "span", "start", "title"),
        *("valign", "vspace", "width"),
    )
)
_OF_THE_LOOK = frozenset(("align", "bgcolor", "color", "face", "class", "id", "style"))
_INPUTS = frozenset(("button", "checkbox", "email", "number", "radio", "reset", "search", "submit", "tel", "text"))
_DELAYED = ("data-src", "data-original", "data-lazy-src", "data-lazy")
_DATA_IMAGE = re.compile(r"data:image/(?:png|gif|jpe?g|webp|avif);base64,[A-Za-z0-9+/=\s]*\Z", re.IGNORECASE)
_WEB = re.compile(r"https?://", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"[a-z][a-z0-9-]*\Z")


@dataclass(frozen=True)
class SafeAttributes:
    """Writes the attributes of elements again, those of an allow list only.

    Attributes
    ----------
    base : Base
        What relative addresses refer to.
    look : str
        One of `LOOKS`.
    link : callable, optional
        Makes the address of a link from its absolute one; None where links shall lead nowhere.
    """

    base: Base
    look: str = "page"
    link: Callable[[str], str] | None = None

    def written(self, name: str, attributes: Mapping[str, str]) -> str:
        """Return the attributes of an element that is written under a name, with a space before each."""
        kept = {key: value for key, value in attributes.items() if _ATTRIBUTE.match(key) and self._is_plain(key)}
        style = safe_declarations(attributes.get("style", ""), loads=self.look == "web")
        if style and self.look != "plain":
            kept["style"] = style
        if name == "a":
            kept |= self._of_link(attributes)
        elif name == "img":
            kept |= self._of_image(attributes)
        elif name in ("button", "input"):
            kept |= _of_field(name, attributes)
        elif name in ("li", "ol", "ul") and attributes.get("type", "") in ("1", "a", "A", "i", "I", "disc", "circle"):
            kept["type"] = attributes["type"]
        if name == "li" and attributes.get("value", "").isdecimal():
            kept["value"] = attributes["value"]
        return "".join(f' {key}="{escape(xml_characters(value))}"' for key, value in kept.items())

    def _is_plain(self, name: str) -> bool:
        if self.look == "plain" and name in _OF_THE_LOOK:
            return False
        return name in _PLAIN or name in ("class", "id")

    def _of_link(self, attributes: Mapping[str, str]) -> dict[str, str]:
        """Return address and target of a link; none for an address that could run."""
        target = safe_target(self.base.resolved(attributes.get("href", "")))
        if target is None:
            return {}
        if self.link is None:
            # In a frame that may neither open windows nor navigate another one, this leads nowhere.
            return {"href": target, "target": "_blank", "rel": "noopener noreferrer", "tabindex": "-1"}
        return {"href": self.link(target), "target": "_top", "rel": "noreferrer"}

    def _of_image(self, attributes: Mapping[str, str]) -> dict[str, str]:
        sources = [attributes[key].strip() for key in ("src", *_DELAYED) if attributes.get(key)]
        if self.look == "web":
            for source in sources:
                address = self.base.resolved(source)
                if _WEB.match(address) and (target := safe_target(address)):
                    return {"src": target, "referrerpolicy": "no-referrer", "loading": "lazy"}
        embedded = [source for source in sources if _DATA_IMAGE.match(source)]
        return {"src": embedded[0]} if embedded and self.look != "plain" else {}


def _of_field(name: str, attributes: Mapping[str, str]) -> dict[str, str]:
    """Return the attributes of an input field or button, which does nothing."""
    kind = attributes.get("type", "text").lower() if name == "input" else "button"
    shown = {"type": kind if kind in _INPUTS else "hidden" if kind in ("hidden", "image", "file") else "text"}
    if "value" in attributes and kind in ("button", "reset", "submit"):
        shown |= {"type": "button", "value": attributes["value"]}
    return {**shown, "tabindex": "-1", "disabled": "disabled"}
