"""The head of a page of which only the kept blocks are left: title, view port, and the styles of the whole page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

from blockfeat.content.characters import fold_white_space, xml_characters
from blockfeat.content.page_addresses import Addresses
from blockfeat.page.tags import Tags, name_keys

# Nothing runs, whatever a browser makes of what is written.
_POLICY = "script-src 'none'; object-src 'none'; frame-src 'none'; form-action 'none'"
_DOCTYPE = re.compile(
    rb"\s*+(?:\xef\xbb\xbf\s*+)?(?:<\?xml[^<>]{0,200}>\s*+)?(?:<!--[^<>]{0,2000}-->\s*+)?<!doctype\s++html",
    re.IGNORECASE,
)
_MOST_START = 4_096
_MEDIA = re.compile(r"[\w\s(),:./<=>-]{1,200}")


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
