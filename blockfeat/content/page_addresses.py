"""The addresses in a page's attributes and styles, made absolute or left, those that could run left out."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lxml import etree

from blockfeat.content.characters import xml_characters
from blockfeat.content.kept_media import SOURCES, source_of
from blockfeat.content.links import Base, safe_target

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
