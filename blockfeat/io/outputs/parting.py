"""How several pages stand in one stream: as one document that is valid as a whole, with a mark before each page."""

from __future__ import annotations

import re
from html import escape, unescape

from blockfeat.content.links import fold_white_space, xml_characters
from blockfeat.content.tei import TEI_NAMESPACE

_HTML = re.compile(
    r"<html(?P<lang> lang=\"[^\"]*\")?>.*?<title>(?P<title>.*?)</title>.*?<body>\n?(?P<body>.*)</body>", re.S
)
_OPENING = {
    "page": (
        '<!DOCTYPE html>\n<html>\n<head>\n<meta charset="utf-8">\n<title>Pages</title>\n<style>\n'
        "iframe { width: 100%; height: 90vh; border: 0; border-bottom: 1px solid; }\n</style>\n</head>\n<body>\n"
    ),
    "html": '<!DOCTYPE html>\n<html>\n<head>\n<meta charset="utf-8">\n<title>Pages</title>\n</head>\n<body>\n',
    "xml": (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<teiCorpus xmlns="{TEI_NAMESPACE}">\n<teiHeader><fileDesc><titleStmt>'
        "<title>Pages</title></titleStmt><publicationStmt><p>Main texts of web pages, extracted by machine.</p>"
        "</publicationStmt><sourceDesc><p>Each text names its source.</p></sourceDesc></fileDesc></teiHeader>\n"
    ),
}
_CLOSING = {"html": "</body>\n</html>\n", "page": "</body>\n</html>\n", "xml": "</teiCorpus>\n"}


def opening(format: str) -> str:
    """Return what stands before the first of several pages."""
    return _OPENING.get(format, "")


def closing(format: str) -> str:
    """Return what stands behind the last of several pages."""
    return _CLOSING.get(format, "")


def part(format: str, name: str, text: str, error: str | None) -> str:
    """Return one of several pages.

    Parameters
    ----------
    format : str
        ``"text"``: a line of a form feed and the page's name goes before it (behind a tab, its
        error). ``"markdown"``: a
        comment, ``<!-- page: NAME -->``, and one with the error. ``"html"``: an ``article`` with ``data-page`` and
        ``data-error``. ``"page"``: a sandboxed ``iframe`` with ``data-page`` and ``data-error``, and the page as its
        ``srcdoc``. ``"xml"``: a ``TEI`` inside of ``teiCorpus``, with a note of the error.
    name : str
        The page's address or identifier.
    text : str
        The page as it stands alone; "" where it failed.
    error : str or None
        Why it failed.
    """
    name, error = _one_line(name), error and _one_line(error)
    if format == "markdown":
        failed = f"<!-- error: {error.replace('--', '- -')} -->\n" if error else ""
        return f"<!-- page: {name.replace('--', '%2D%2D')} -->\n{failed}\n{_lines(text)}"
    if format == "html":
        return _article(name, text, error)
    if format == "page":
        failed = f' data-error="{escape(error)}"' if error else ""
        attributes = f'data-page="{escape(name)}"{failed} title="{escape(name)}"'
        return f'<iframe {attributes} sandbox srcdoc="{escape(text)}"></iframe>\n'
    if format == "xml":
        return _failed_tei(name, error) if error else text.partition("?>\n")[2].rstrip("\n") + "\n"
    return f"\f{name}{f'{chr(9)}error: {error}' if error else ''}\n{_lines(text)}"


def _one_line(value: str) -> str:
    return fold_white_space(xml_characters(value)).strip()


def _lines(text: str) -> str:
    """Return a text with a line end, and an empty line behind it."""
    return text.rstrip("\n") + "\n\n" if text else ""


def _article(name: str, text: str, error: str | None) -> str:
    found = _HTML.search(text)
    failed = f' data-error="{escape(error)}"' if error else ""
    if found is None:
        return f'<article data-page="{escape(name)}"{failed}></article>\n'
    title = f' title="{escape(unescape(found["title"]))}"' if found["title"] else ""
    return f'<article data-page="{escape(name)}"{found["lang"] or ""}{title}{failed}>\n{found["body"]}</article>\n'


def _failed_tei(name: str, error: str) -> str:
    return (
        f'<TEI xmlns="{TEI_NAMESPACE}"><teiHeader><fileDesc><titleStmt><title/></titleStmt><publicationStmt>'
        f"<p>No text was extracted.</p></publicationStmt><sourceDesc><bibl><idno>{escape(name)}</idno>"
        f'<note type="error">{escape(error)}</note></bibl></sourceDesc></fileDesc></teiHeader>'
        "<text><body><div/></body></text></TEI>\n"
    )
