"""The head of a page of which only the kept blocks are left: title, view port, and the styles of the whole page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from lxml import etree

from blockfeat.content.inline import SOURCES
from blockfeat.content.kept_tree import source_of
from blockfeat.content.links import Base, fold_white_space, safe_target, xml_characters
from blockfeat.page.tags import Tags, name_keys

_LINKS = ("href",)
_REFERENCES = ("src", "poster", "background")
_SETS = ("srcset", "data-srcset", "data-lazy-srcset")
_PICTURE = re.compile(r"data:image/(?:png|jpe?g|gif|webp|avif);base64,[A-Za-z0-9+/=\s]*", re.IGNORECASE)
_CANDIDATE = re.compile(r"[^\s,]\S*(?:\s+[\d.]+[wx])?")
# An address of a style: url(a), url("a") or the one behind @import.
_URL = re.compile(r"""url\(\s*+(?:"([^"\n]*+)"|'([^'\n]*+)'|([^"'()\s]*+))\s*+\)""", re.IGNORECASE)
_IMPORT = re.compile(r"""(@import\s++)(?:"([^"\n]*+)"|'([^'\n]*+)')""", re.IGNORECASE)
# What old browsers ran in styles, also behind the escapes and comments that they passed over.
_RUNS = re.compile(r"expression|javascript|vbscript|behaviou?r|-moz-binding|-o-link", re.IGNORECASE)
_DISGUISE = re.compile(r"/\*(?:.*?\*/|.*)|\\(?:[0-9a-f]{1,6}\s?)?|[\x00-\x20]+", re.IGNORECASE | re.DOTALL)
_RULE = re.compile(r"[^{};]*[{};]?")

# Nothing runs, whatever a browser makes of what is written.
_POLICY = "script-src 'none'; object-src 'none'; frame-src 'none'; form-action 'none'"
_DOCTYPE = re.compile(
    rb"\s*+(?:\xef\xbb\xbf\s*+)?(?:<\?xml[^<>]{0,200}>\s*+)?(?:<!--[^<>]{0,2000}-->\s*+)?<!doctype\s++html",
    re.IGNORECASE,
)
_MOST_START = 4_096
_MEDIA = re.compile(r"[\w\s(),:./<=>-]{1,200}")


@dataclass(frozen=True)
class Addresses:
    """Rewrites the addresses of one page.

    Attributes
    ----------
    base : Base
        What relative addresses refer to; of None, they stay as they are.
    """

    base: Base

    def rewrite(self, element: etree._Element) -> None:
        """Rewrite the attributes of an element; addresses that are not allowed go, and so do styles that could run."""
        name = str(element.tag)
        if name == "img":
            self._image(element)
        for attribute in (*_LINKS, *_REFERENCES):
            value = element.get(attribute)
            if value is not None:
                allows_pictures = attribute in _REFERENCES and name in ("img", "source")
                _set(element, attribute, self.address(value, allows_pictures=allows_pictures))
        found = next((value for key in _SETS if (value := element.get(key))), None)
        if found is not None:
            _set(element, "srcset", self._set_of(found))
        style = element.get("style")
        if style is not None:
            _set(element, "style", self.styles(style))

    def address(self, value: str, *, allows_pictures: bool = False) -> str | None:
        """Return an address as it is written; None for one that is not allowed."""
        if allows_pictures and _PICTURE.fullmatch(value.strip()):
            return value.strip()
        if value.lstrip().startswith("#"):
            return value.strip()
        return safe_target(self.base.resolved(value))

    def styles(self, css: str) -> str:
        """Return styles with their addresses rewritten; declarations that old browsers would run go."""
        css = _IMPORT.sub(lambda match: f'{match[1]}"{self._in_styles(match[2] or match[3] or "")}"', css)
        css = _URL.sub(lambda match: f'url("{self._in_styles(match[1] or match[2] or match[3] or "")}")', css)
        if not _RUNS.search(css) and not _RUNS.search(_DISGUISE.sub("", css)):
            return css
        return "".join(_harmless(rule) for rule in _RULE.findall(css))

    def _in_styles(self, value: str) -> str:
        # Quotes, brackets and backslashes are percent-encoded.
        return self.address(value, allows_pictures=True) or ""

    def _image(self, element: etree._Element) -> None:
        """Load an image at once that a script would have loaded."""
        source = source_of({key: element.get(key) or "" for key in SOURCES})
        if source is not None:
            _set(element, "src", source)

    def _set_of(self, value: str) -> str | None:
        """Return the addresses of an image in several sizes."""
        if "data:" in value.lower():
            return None
        found = []
        for candidate in _CANDIDATE.findall(value):
            address, _, size = candidate.rstrip(",").partition(" ")
            target = self.address(address.rstrip(","))
            if target is not None:
                found.append(f"{target} {size}".strip())
        return ", ".join(found) or None


def _set(element: etree._Element, attribute: str, value: str | None) -> None:
    if value:
        element.set(attribute, xml_characters(value))
    elif attribute in element.attrib:
        del element.attrib[attribute]


def _harmless(rule: str) -> str:
    """Return a rule, or only what ends it where it could run."""
    end = rule[-1:] if rule[-1:] in "{};" else ""
    return end if _RUNS.search(_DISGUISE.sub("", rule)) else rule


def doctype_of(data: bytes) -> str:
    """Return the doctype that has a browser lay a page out as it does the original: none where that has none."""
    return "<!DOCTYPE html>\n" if _DOCTYPE.match(data[:_MOST_START]) else ""


def head_of(data: bytes, title: str | None, addresses: Addresses, base: str | None, *, styles: bool) -> str:
    """Return the head of a page.

    Parameters
    ----------
    data : bytes
        The page as it was read, UTF-8.
    title : str or None
        Its title.
    addresses : Addresses
        Rewrites the addresses of its styles.
    base : str or None
        Address that relative ones refer to; None for none.
    styles : bool
        Whether the page's styles are in it.
    """
    lines = ['<meta charset="utf-8">', f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">']
    tags = Tags.read(data, keeps_raw_text=True).tags
    lines += _view_port(tags)
    lines.append(f"<title>{escape(fold_white_space(xml_characters(title or '')).strip())}</title>")
    if base is not None and (target := addresses.address(base)):
        lines.append(f'<base href="{escape(target)}">')
    return "\n".join([*lines, *(_styles(tags, addresses) if styles else ())])


def _view_port(tags: Tags) -> list[str]:
    for element in tags.named("meta").tolist():
        attributes = tags.attributes(element)
        if attributes.get("name", "").lower() == "viewport":
            content = escape(xml_characters(attributes.get("content", ""))[:200])
            return [f'<meta name="viewport" content="{content}">']
    return []


def _styles(tags: Tags, addresses: Addresses) -> Iterator[str]:
    """Yield style sheets and styles in their order, which decides between them."""
    chosen = (tags.key[:, None] == name_keys(["link", "style"])).any(axis=1).nonzero()[0]
    for element in chosen.tolist():
        attributes = tags.attributes(element)
        media = _media(attributes)
        if tags.name(element) == "style":
            css = addresses.styles(xml_characters(tags.text(element)))
            if attributes.get("type", "text/css").strip().lower() in ("", "text/css") and css.strip():
                # Inside of strings and addresses the backslash changes nothing; nothing else has "</". It comes last:
                # what is taken out could leave "</" behind.
                yield f"<style{media}>{css.replace('<!--', '').replace('</', '<' + chr(92) + '/')}</style>"
        elif _is_style_sheet(attributes) and (target := addresses.address(attributes["href"])):
            yield f'<link rel="stylesheet" href="{escape(target)}"{media}>'


def _is_style_sheet(attributes: dict[str, str]) -> bool:
    """Return whether a link is a style sheet in use, or one that a script would put to use once it is loaded."""
    relations = attributes.get("rel", "").lower().split()
    if not attributes.get("href", "").strip() or "alternate" in relations or "disabled" in attributes:
        return False
    return "stylesheet" in relations or ("preload" in relations and attributes.get("as", "").lower() == "style")


def _media(attributes: dict[str, str]) -> str:
    """Return the media of a style; those that a script changes once the style is loaded are all."""
    media = attributes.get("media", "").strip()
    if not media or "onload" in attributes or not _MEDIA.fullmatch(media):
        return ""
    return f' media="{escape(media)}"'
