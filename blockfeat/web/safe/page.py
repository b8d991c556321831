"""A hostile page written again so that nothing in it can run, with its text nodes wrapped where that is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from html import escape, unescape
from typing import Protocol

from blockfeat.content.characters import fold_white_space, xml_characters
from blockfeat.content.links import Base, safe_target
from blockfeat.page.page import Page
from blockfeat.page.tags import Tags
from blockfeat.web.safe.css import safe_style_sheet
from blockfeat.web.safe.markup import ALLOWED, DROPPED, LOOKS, RENAMED, VOID, SafeAttributes

# Their tags are written once, at the top.
_FRAME = frozenset(("body", "head", "html"))
_LEFT_OUT, _UNWRAPPED = "-", ""


class TextMarks(Protocol):
    """Says which text of a page is marked."""

    def has_text(self, first: int, last: int) -> bool:
        """Return whether text between two tags, by their numbers, is marked."""
        ...

    def opening(self, tag: int) -> str:
        """Return the start tag of the wrapper around the text behind a tag; empty for none."""
        ...


@dataclass(frozen=True)
class NoMarks:
    """Marks no text."""

    def has_text(self, first: int, last: int) -> bool:
        """Return False."""
        return False

    def opening(self, tag: int) -> str:
        """Return nothing."""
        return ""


def safe_page(
    page: Page,
    *,
    styles: str = "",
    head: str = "",
    look: str = "page",
    link: Callable[[str], str] | None = None,
    marks: TextMarks | None = None,
    wrapper: str = "bf-block",
) -> str:
    """Return a page as a document that neither runs nor sends anything; linear in the size of the page.

    Scripts, event handlers, frames, objects, drawings, forms, ``base``, ``meta`` and every address that is not http,
    https or mailto go; elements and attributes of an allow list stay, relative addresses are made absolute. The page
    still belongs into a sandboxed frame with a content security policy of its own.

    Parameters
    ----------
    page : Page
        The page.
    styles : str
        Styles of the page for the head: what `head_styles` returned.
    head : str
        Safe markup for the end of the head.
    look : str
        ``"plain"`` leaves styles and images out, ``"page"`` has those that stand in the page, ``"web"`` also loads
        images from their hosts.
    link : callable, optional
        Makes the address of a link from its absolute one; links lead nowhere without it.
    marks : TextMarks, optional
        Which text is wrapped.
    wrapper : str
        Name of the element around marked text.

    Raises
    ------
    ValueError
        There is no such look.
    """
    if look not in LOOKS:
        raise ValueError(f"look {look!r} is unknown; known are {', '.join(LOOKS)}")
    tags = page.tags if page.tags is not None else Tags.of_markup(b"<html></html>")
    attributes = SafeAttributes(Base.of(tags, page.url), look, link)
    frame = _frame_attributes(tags, attributes)
    body = "".join(_written(tags, attributes, marks or NoMarks(), wrapper))
    title = escape(fold_white_space(xml_characters(page.title or "")).strip())
    language = "" if ' lang="' in frame["html"] or not page.declared_lang else f' lang="{escape(page.declared_lang)}"'
    return (
        f"<!DOCTYPE html>\n<html{frame['html']}{language}>\n<head>\n"
        '<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n{styles}{head}</head>\n<body{frame['body']}>\n{body}\n</body>\n</html>\n"
    )


def _frame_attributes(tags: Tags, attributes: SafeAttributes) -> Mapping[str, str]:
    """Return the attributes of html and body, by name."""
    found: dict[str, str] = {}
    for name in ("html", "body"):
        elements = tags.named(name)[:1].tolist()
        found[name] = attributes.written(name, tags.attributes(elements[0])) if elements else ""
    return found


def _written(tags: Tags, attributes: SafeAttributes, marks: TextMarks, wrapper: str) -> Iterator[str]:
    """Yield the markup of the body piece by piece, tag by tag and the text behind each."""
    starts, stops = tags.start.tolist(), [*tags.stop.tolist()]
    opened, closed = tags.opened.tolist(), tags.closed.tolist()
    ends: list[str] = []
    element, tag, count = 0, 0, len(starts)
    while tag < count:
        if element < len(opened) and opened[element] == tag:
            last = closed[element]
            name, start = _start(tags, element, attributes, marks, last)
            if name == _LEFT_OUT:
                # Nothing inside counts: go to the text behind.
                tag = last
                while element < len(opened) and opened[element] <= last:
                    element += 1
            else:
                yield start
                if last > tag:
                    ends.append(name)
                elif name not in VOID and name != _UNWRAPPED:
                    yield f"</{name}>"
                element += 1
        elif ends:
            name = ends.pop()
            if name not in VOID and name != _UNWRAPPED:
                yield f"</{name}>"
        text = tags.source[stops[tag] : starts[tag + 1] if tag + 1 < count else None]
        if text:
            yield _text(text, marks.opening(tag), wrapper)
        tag += 1


def _start(tags: Tags, element: int, attributes: SafeAttributes, marks: TextMarks, last: int) -> tuple[str, str]:
    """Return the name that an element is written under, and its start tag."""
    name = tags.name(element)
    if name in _FRAME:
        return _UNWRAPPED, ""
    if name in DROPPED:
        return (_UNWRAPPED if marks.has_text(int(tags.opened[element]), last) else _LEFT_OUT), ""
    shown = RENAMED.get(name, name if name in ALLOWED else "span")
    return shown, f"<{shown}{attributes.written(shown, tags.attributes(element))}>"


def _text(source: bytes, opening: str, wrapper: str) -> str:
    text = escape(xml_characters(unescape(source.decode("utf-8", "replace"))), quote=False)
    return f"{opening}{text}</{wrapper}>" if opening and not text.isspace() else text


def head_styles(html: str | bytes, *, url: str | None, charset: str | None = None, look: str = "page") -> str:
    """Return the styles of a page as markup for a head: its style elements, and with ``"web"`` its linked sheets.

    Parameters
    ----------
    html : str or bytes
        The page, read once more with its styles.
    url, charset : str, optional
        As for `Page.parse`.
    look : str
        One of `LOOKS`.
    """
    if look == "plain":
        return ""
    tags = Page.parse(html, url=url, charset=charset, keep_raw_text=True).tags
    if tags is None:
        return ""
    base = Base.of(tags, url)
    found = []
    for element in sorted([*tags.named("style").tolist(), *tags.named("link").tolist()]):
        attributes = tags.attributes(element)
        media = escape(xml_characters(attributes.get("media", "")))
        if tags.name(element) == "style":
            css = safe_style_sheet(xml_characters(tags.text(element)), loads=look == "web")
            found.append(f'<style media="{media}">{css}</style>\n' if media else f"<style>{css}</style>\n")
        elif look == "web" and "stylesheet" in attributes.get("rel", "").lower().split():
            target = safe_target(base.resolved(attributes.get("href", "")))
            if target and target.lower().startswith(("http://", "https://")):
                found.append(f'<link rel="stylesheet" href="{escape(target)}" media="{media or "all"}">\n')
    return "".join(found)
