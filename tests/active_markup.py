"""What would be active in a document, as an HTML5 parser reads it."""

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

import html5lib

__all__ = ["active_in", "running_in"]

_HTML = "{http://www.w3.org/1999/xhtml}"
_ACTIVE = {
    *("applet", "audio", "base", "bgsound", "embed", "frame", "frameset", "iframe", "isindex", "object", "portal"),
    *("param", "script", "source", "template", "track", "video", "noscript", "marquee", "keygen"),
}
_ADDRESSES = {
    *("action", "background", "cite", "classid", "code", "codebase", "data", "formaction", "href", "longdesc"),
    *("manifest", "ping", "poster", "profile", "src", "srcset", "usemap", "xlink:href"),
}
_SAFE_ADDRESS = re.compile(r"(?:https?:|mailto:|/|#|\?|[^:]*\Z)", re.IGNORECASE)
_SAFE_IMAGE = re.compile(r"data:image/(?:png|gif|jpe?g|webp|avif)[;,]", re.IGNORECASE)
_ESCAPE = re.compile(r"\\([0-9a-fA-F]{1,6})\s?")
_CSS = re.compile(
    r"expression\s*\(|javascript:|vbscript:|@import|-moz-binding|behaviou?r\s*:|url\(\s*['\"]?(?!data:image/)"
)

_LOADS = re.compile(r"link |style |element (?:audio|base|source|track|video)$|meta .*Content-Security-Policy")
_RUNS = re.compile(r"expression|javascript|vbscript|-moz-binding|behaviou?r\s*:|data:text|refresh", re.IGNORECASE)


def active_in(document: str, *, own_forms: bool = False, own_links: bool = False) -> list[str]:
    """Return what could run, or act without being asked, in a document; empty for none.

    With ``own_forms`` and ``own_links``, forms that lead to the service itself and links to its static files are none.
    """
    tree = html5lib.parse(document, treebuilder="etree")
    return [found for element in tree.iter() for found in _active(element, own_forms=own_forms, own_links=own_links)]


def running_in(document: str) -> list[str]:
    """Return what could run in a document that may load pictures, films and style sheets by itself."""
    return [found for found in active_in(document) if not _LOADS.match(found) or _RUNS.search(found)]


def _active(element: Element, *, own_forms: bool, own_links: bool) -> Iterator[str]:
    if not isinstance(element.tag, str):
        return
    if not element.tag.startswith(_HTML):
        yield f"foreign element {element.tag}"
        return
    name = element.tag.removeprefix(_HTML)
    attributes = {str(key).lower(): value for key, value in element.attrib.items()}
    if name in _ACTIVE:
        yield f"element {name}"
    if name == "form" and not (own_forms and attributes.get("action") == "/read"):
        yield f"form {attributes}"
    if name == "meta" and "http-equiv" in attributes:
        yield f"meta {attributes}"
    if name == "link" and not (own_links and attributes.get("href", "").startswith("/static/")):
        yield f"link {attributes}"
    if name == "style" and _runs(element.text or ""):
        yield f"style {element.text!r}"
    for key, value in attributes.items():
        if key.startswith("on") or key in ("srcdoc", "autofocus", "form", "ping", "is"):
            yield f"attribute {key} of {name}"
        if key == "style" and _runs(value):
            yield f"style {value!r}"
        if key in _ADDRESSES and not _is_safe(value, name == "img"):
            yield f"address {key}={value!r} of {name}"


def _is_safe(address: str, is_image: bool) -> bool:
    folded = re.sub(r"[\x00-\x20\x7f-\x9f]", "", address)
    return _SAFE_ADDRESS.match(folded) is not None or (is_image and _SAFE_IMAGE.match(folded) is not None)


def _runs(css: str) -> bool:
    plain = _ESCAPE.sub(lambda found: chr(int(found.group(1), 16) % 0x10FFFF), re.sub(r"/\*.*?\*/", "", css))
    return any(_CSS.search(each.lower()) for each in (css, plain))
