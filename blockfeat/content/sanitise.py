"""Sanitise foreign pages: an allow-list of elements and attributes, and filters for addresses and CSS."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Literal

from blockfeat._files import bundled_table
from blockfeat.content.inline import SOURCES
from blockfeat.content.links import Base, safe_target, xml_characters
from blockfeat.errors import LimitExceeded
from blockfeat.page.tags import Tags, name_keys

if TYPE_CHECKING:
    from lxml import etree
    from tinycss2.ast import Node


Loads = Literal["none", "embedded", "web", "all"]
"""What a shown page may load: nothing, embedded data, addresses of the web, or anything."""


# Every table is described in the file.
_ALLOWED = bundled_table("blockfeat.content", "sanitise.toml")


def _names(table: str) -> frozenset[str]:
    return frozenset(_ALLOWED[table].split())


_TAGS = _names("tags")
_CUSTOM = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)+")
_ATTRIBUTES: dict[str, set[str]] = {name: set(names.split()) for name, names in _ALLOWED["attributes"].items()}
_PREFIXES = {"aria-", "data-"}
_SCHEMES = {"data", "http", "https", "mailto"}
_OUTER = _ATTRIBUTES["*"] | {"background", "link", "text", "vlink"}
_OUTER_NAME = re.compile(r"(?:aria|data)-[a-z0-9-]+")
_OF_STYLES = _names("of_styles")
_RENAMED = {name: tag for tag, names in _ALLOWED["renamed"].items() for name in names.split()}
_OUTERMOST = frozenset({"body", "head", "html"})
_LEFT_OUT = _names("left_out")
_FORMATTING = _names("formatting")
_MOST_FORMATTING = 8
# The parser copies a text for each reference and each character from U+0080 to U+00BF, up to the next comment, which
# is left out later.
_LONG_TEXT = re.compile(r"(?:\A|>)[^<>]{20000,}")
_REFERENCES = re.compile("(?:[&\x80-\xbf][^&\x80-\xbf]*){1,1000}")
_PIECES = re.compile("[&<>\x80-\xbf]")
# What stands in a table outside of its cells goes before it, for which the parser looks at all that stands there.
_ROWS = frozenset({"table", "tbody", "tfoot", "thead", "tr"})
_IN_ROWS = frozenset({"caption", "col", "colgroup", "tbody", "td", "tfoot", "th", "thead", "tr"})
_MOST_ASTRAY = 20_000
_INPUTS = _names("inputs")
_PRESSED = frozenset({"button", "reset", "submit"})

_PICTURE = re.compile(r"data:image/(?:png|jpe?g|gif|webp|avif);base64,[A-Za-z0-9+/=\s]*", re.IGNORECASE)
_SETS = ("srcset", "data-srcset", "data-lazy-srcset")
_CANDIDATE = re.compile(r"[^\s,]\S*(?:\s+[\d.]+[wx])?")
_WEB = ("http://", "https://")
_MEDIA = re.compile(r"[\w\s(),:./<=>-]{1,200}")

# What old browsers ran in styles, also behind the escapes and comments that they passed over.
_RUNS = _names("runs")
_PASSED_OVER = re.compile(r"/\*(?:.*?\*/|.*)|\\(?:[0-9a-fA-F]{1,6}\s?)?", re.DOTALL)
_BLANKS = bytes(range(33))
# What is left out beforehand, so that a whole sheet need not be parsed for it: what pages wrote around styles for
# browsers without, charsets, filters of old browsers.
_NEEDLESS_WORDS = ("<!--", "@charset", "progid")
_NEEDLESS = re.compile(
    r"""\A\s*<!--|-->\s*\Z|@charset\s*"[^"\\<]*"\s*;"""
    r"""|(?<=[{;\s])(?:-ms-)?filter\s*:\s*(?:"progid:[^"\\<]*"|progid:[^"\\<;{}]*|'progid:[^'\\<]*')"""
    r"""(?:!important|\s)*+(?:;|(?=}))""",
    re.IGNORECASE,
)
# Styles with any of these are parsed. In others a pattern finds strings, comments and addresses as browsers do.
_DOUBTFUL = re.compile(r"<!--|[\x00-\x08\x0b-\x1f]")
_DOUBTFUL_WORDS = ("@import", "@charset", "@namespace", "src(", "image(", "image-set(")
# Each begins with one of a set of characters, which is searched many times faster than one of several patterns.
_TOKEN = re.compile(
    r"""["'/\\uU](?s:(?<=")(?:[^"\\\n]|\\[^\n])*+"|(?<=')(?:[^'\\\n]|\\[^\n])*+'|(?<=/)\*(?:.*?\*/)?"""
    # Escaped signs and digits are parts of names that are those of no function and no rule.
    r"""|(?<=\\)(?:(?:2[Cc]|3[0-9])(?![0-9A-Fa-f])\s?|[ !-,./:;=-@\[-^`{-~])?"""
    r"""|(?<=[uU])[rR][lL]\((?:\s*+(?:"([^"\\\n]*+)"|'([^'\\\n]*+)'|([^"'()\\\s]*+))\s*+\))?)"""
)
_PREFIX = re.compile(r"-[a-z]+-")
_OF_STRINGS = frozenset({"image", "image-set", "src"})
_MOST_NESTED = 30
# What could end a style element, not the sign of a comparison, and control characters, which the serialiser writes as
# they are; also escaped behind escaped backslashes.
_UNSAFE_IN_STYLE = re.compile(r"(?<!\\)((?:\\\\)*+)\\?(<(?![=\s\d])|[\x00-\x08\x0b-\x1f\x7f-\x9f])")


@dataclass(frozen=True)
class Sanitiser:
    """Writes a foreign page, or a part of one, so that nothing in it runs; linear in its size.

    Attributes
    ----------
    base : Base
        What relative addresses refer to; of None, they stay as they are.
    styles : bool
        Whether style attributes and colours stay.
    pictures : str
        Which addresses a browser may load: ``"none"``; ``"embedded"`` pictures; also pictures and style sheets of the
        ``"web"``; or ``"all"`` addresses, also of films, and relative ones.
    link : callable, optional
        Makes the address of a link from its safe target; without it that is the address.
    added : mapping
        Attributes that elements get, such as ``{"a": {"rel": "noreferrer"}}``.
    """

    base: Base
    styles: bool = True
    pictures: Loads = "all"
    link: Callable[[str], str] | None = None
    added: Mapping[str, dict[str, str]] = field(default_factory=dict)

    def document(self, root: etree._Element, head: str) -> str:
        """Return a page as a document without a doctype; its tree is changed.

        Parameters
        ----------
        root : lxml element
            The outermost element of the page.
        head : str
            Safe markup for its head, instead of its own.
        """
        from lxml import etree

        body = _body(root)
        custom = self._prepare(root)
        inner = self.markup(etree.tostring(body, method="html", encoding="unicode", with_tail=False), custom)
        start = f"<html{self._outer(root)}>\n<head>\n{head}\n</head>\n<body{self._outer(body)}>"
        return f"{start}\n{inner.strip()}\n</body>\n</html>\n"

    def markup(self, markup: str, custom: frozenset[str] = frozenset()) -> str:
        """Return a part of a page; ``custom`` names elements that are allowed beside those of the list."""
        return self.of_parts(custom)(markup)

    def of_parts(self, custom: frozenset[str] = frozenset()) -> Callable[[str], str]:
        """Return a function that does as `markup`; to make it takes as long as to sanitise a short page."""
        import nh3

        cleaner = nh3.Cleaner(
            tags=set(_TAGS | custom),
            clean_content_tags={"script", "style"},
            attributes=_ATTRIBUTES,
            generic_attribute_prefixes=_PREFIXES,
            attribute_filter=self.attribute,
            set_tag_attribute_values=dict(self.added),
            url_schemes=_SCHEMES,
            link_rel=None,
        )
        return lambda markup: cleaner.clean(
            _LONG_TEXT.sub(lambda text: _REFERENCES.sub(r"\g<0><!---->", text[0]), xml_characters(markup))
        )

    def attribute(self, element: str, name: str, value: str) -> str | None:
        """Return the value of an attribute of the list; None for one that may not stay."""
        if not self.styles and name in _OF_STYLES:
            return None
        if name == "style":
            return self.css(value).strip() or None
        if name == "href":
            target = self.address(value)
            return target if target is None or self.link is None else self.link(target)
        if name == "srcset":
            return self._set_of(value) if self.pictures == "all" else None
        if name in ("background", "poster", "src"):
            return self._loaded(value, is_picture=element in ("img", "source"))
        return value

    def address(self, value: str) -> str | None:
        """Return where a link leads; None for an address that is not allowed."""
        return value.strip() if value.lstrip().startswith("#") else safe_target(self.base.resolved(value))

    def css(self, css: str) -> str:
        """Return a style sheet or declarations: what would run or load more than allowed goes, addresses are rewritten.

        Styles in doubt are written anew from what a parser finds in them, so that escapes and comments hide nothing.
        """
        words = _folded(css)
        if any(word in words for word in _NEEDLESS_WORDS):
            css = _NEEDLESS.sub("", css)
            words = _folded(css)
        is_doubtful = _DOUBTFUL.search(css) or any(word in words for word in _DOUBTFUL_WORDS)
        if not (is_doubtful or _runs(css) or _runs(_undisguised(css))):
            with suppress(ValueError):
                written = _TOKEN.sub(self._token, css)
                return _escaped(written) if "<" in written else written
        from tinycss2 import parse_component_value_list, serialize

        nodes = self._rules(parse_component_value_list(css, skip_comments=True), 0)
        return _escaped(serialize(nodes))

    def _token(self, token: re.Match[str]) -> str:
        """Return a string, comment, escape as it is, an address rewritten; ValueError where only a parser can tell."""
        written = token[0]
        if written[0] in "\"'/\\" and written not in ("/*", "\\"):
            return written
        value = next((group for group in token.groups() if group is not None), None)
        target = "" if value is None else self._loaded(value, is_picture=True) or "none"
        if not target or '"' in target:
            raise ValueError(written)
        return target if target == "none" else f'url("{target}")'

    def head_styles(self, tags: Tags) -> Iterator[str]:
        """Yield the style elements and linked sheets of a page, read with its raw text, in their order."""
        chosen = (tags.key[:, None] == name_keys(["link", "style"])).any(axis=1).nonzero()[0]
        for element in chosen.tolist():
            attributes = tags.attributes(element)
            media = _media(attributes)
            if tags.name(element) == "style":
                css = self.css(xml_characters(tags.text(element)))
                if attributes.get("type", "text/css").strip().lower() in ("", "text/css") and css.strip():
                    yield f"<style{media}>{css}</style>"
            elif _is_style_sheet(attributes) and (target := self._loaded(attributes["href"], is_picture=False)):
                yield f'<link rel="stylesheet" href="{escape(target)}"{media}>'

    def _prepare(self, root: etree._Element) -> frozenset[str]:
        """Rename what may not stay as it is, and find the sources of images; return the names of custom elements."""
        from lxml import etree

        formats: list[bool] = []
        custom: set[str] = set()
        depth = astray = 0
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
            elif name not in _TAGS | _OUTERMOST | _LEFT_OUT:
                element.tag = "span"
            self._set_attributes(name, element)
            astray += name in _ROWS and _pieces(element.text)
            if (around := element.getparent()) is not None and around.tag in _ROWS:
                astray += name not in _IN_ROWS or _pieces(element.tail)
        if astray > _MOST_ASTRAY:
            raise LimitExceeded(f"{astray:,} texts and elements stand in tables outside of cells")
        return frozenset(custom)

    def _set_attributes(self, name: str, element: etree._Element) -> None:
        if name == "details":
            element.set("open", "")
        elif name in ("audio", "video"):
            element.set("controls", "")
        elif name in ("button", "input"):
            _disable(name, element)
        elif name == "img":
            # A script would have loaded what stands elsewhere, in place of what stands inside of the page.
            given = sorted(filter(None, map(element.get, SOURCES)), key=lambda value: bool(_PICTURE.match(value)))
            if source := next(filter(None, (self._loaded(value, is_picture=True) for value in given)), None):
                element.set("src", source)
        if sizes := next(filter(None, map(element.get, _SETS)), None):
            element.set("srcset", xml_characters(sizes))

    def _loaded(self, value: str, *, is_picture: bool) -> str | None:
        """Return the address of what a browser loads by itself; None for one that it may not load."""
        if is_picture and self.pictures != "none" and _PICTURE.fullmatch(value.strip()):
            return "".join(value.split())
        if self.pictures in ("none", "embedded"):
            return None
        target = self.address(value)
        return target if target and (self.pictures == "all" or target.lower().startswith(_WEB)) else None

    def _set_of(self, value: str) -> str | None:
        """Return the addresses of an image in several sizes."""
        if "data:" in value.lower():
            return None
        found = []
        for candidate in _CANDIDATE.findall(value):
            address, _, size = candidate.rstrip(",").partition(" ")
            if (target := self.address(address.rstrip(","))) is not None:
                found.append(f"{target} {size}".strip())
        return ", ".join(found) or None

    def _outer(self, element: etree._Element) -> str:
        """Return the attributes of html or body that matter for the look of a page."""
        found = []
        for key, value in ((str(key).lower(), str(value)) for key, value in element.attrib.items()):
            if key in _OUTER or _OUTER_NAME.fullmatch(key):
                kept = self.attribute(str(element.tag), key, xml_characters(value))
                found += [] if kept is None else [f' {key}="{escape(kept)}"']
        return "".join(found)

    def _rules(self, nodes: list[Node], depth: int) -> list[Node]:
        """Return the rules and declarations, each ended by a block or a semicolon, of which nothing would run."""
        from tinycss2 import serialize

        found: list[Node] = []
        begin = 0
        for place, node in enumerate(nodes, start=1):
            if place < len(nodes) and node.type != "{} block" and node != ";":
                continue
            rule, begin = self._values(nodes[begin:place], depth), place
            own = serialize([each for each in rule if each.type != "{} block"])
            if not _runs(_undisguised(own)):
                found += rule
        return found

    def _values(self, nodes: list[Node], depth: int) -> list[Node]:
        """Return the values of a rule with their addresses rewritten."""
        keyword = next((node.lower_value for node in nodes if node.type == "at-keyword"), "")
        if keyword in ("charset", "namespace") or (keyword == "import" and self.pictures != "all"):
            return []
        found = []
        for node in nodes:
            name = _PREFIX.sub("", node.lower_name) if node.type == "function" else ""
            if node.type == "url" or (node.type == "string" and keyword == "import"):
                found.append(self._url(node))
            elif name == "url":
                found += [self._url(each) for each in node.arguments if each.type == "string"][:1]
            elif node.type == "error":
                # Brackets that nothing opens may stay, cut-off strings and addresses not.
                found += [node] if node.kind in ")]}" else []
            elif node in ("<!--", "-->") or (name in _OF_STRINGS and self.pictures in ("none", "embedded")):
                continue
            elif node.type == "function" or node.type.endswith(" block"):
                found += [self._inside(node, name, depth + 1)] if depth < _MOST_NESTED else []
            else:
                found.append(node)
        return found

    def _inside(self, node: Node, name: str, depth: int) -> Node:
        """Rewrite what stands in a function or a block."""
        if node.type == "{} block":
            node.content = self._rules(node.content, depth)
        elif node.type != "function":
            node.content = self._values(node.content, depth)
        else:
            are_addresses = name in _OF_STRINGS
            values = self._values(node.arguments, depth)
            node.arguments = [self._url(each) if are_addresses and each.type == "string" else each for each in values]
        return node

    def _url(self, node: Node) -> Node:
        """Return an address, or a string that is one, rewritten; the word none for one that may not be loaded."""
        from tinycss2.ast import IdentToken, URLToken
        from tinycss2.serializer import serialize_string_value

        place, target = (node.source_line, node.source_column), self._loaded(node.value, is_picture=True)
        if target is None:
            return IdentToken(*place, "none")
        return URLToken(*place, target, f'url("{serialize_string_value(target)}")')


def _folded(css: str) -> str:
    """Return a style in lower case, also letters that patterns without regard to case take for i and s."""
    return (css if css.isascii() else css.replace("\u0130", "i").replace("\u0131", "i").replace("\u017f", "s")).lower()


def _escaped(css: str) -> str:
    """Return a style with escapes for what could end its element, and for control characters."""
    return _UNSAFE_IN_STYLE.sub(lambda sign: f"{sign[1]}\\{ord(sign[2]):x} ", css)


def _runs(css: str) -> bool:
    """Return whether a style has a word in it that old browsers ran."""
    words = _folded(css).replace("scroll-behavio", "|")  # That is no behaviour.
    return any(word in words for word in _RUNS)


def _undisguised(css: str) -> str:
    """Return a style without escapes, comments and blanks."""
    bare = _PASSED_OVER.sub("", css).encode("utf-8", "surrogatepass")
    return bare.translate(None, _BLANKS).decode("utf-8", "surrogatepass")


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


def _pieces(text: str | None) -> int:
    """Return in how many pieces the parser adds a text that stands in a table to what is before the table."""
    return len(_PIECES.findall(text)) + bool(text.strip()) if text else 0


def _disable(name: str, element: etree._Element) -> None:
    """Disable a button or field, but leave it visible."""
    kind = (element.get("type") or "text").lower() if name == "input" else "button"
    shown = kind if kind in _INPUTS else "hidden" if kind in ("hidden", "image", "file") else "text"
    if kind not in _PRESSED and "value" in element.attrib:
        del element.attrib["value"]
    for key, value in (("type", "button" if kind in _PRESSED else shown), ("tabindex", "-1"), ("disabled", "")):
        element.set(key, value)


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
