"""The functions of trafilatura with this package behind them: programs change the import.

Options without effect here are told of by a warning that names them; docs/moving.md has the names of this package.
"""

from __future__ import annotations

import json
import logging
import re
import warnings
from collections.abc import Collection
from types import SimpleNamespace
from typing import Any

from lxml.html import fragment_fromstring

from blockfeat._files import bundled_table
from blockfeat.content.markdown import front_matter
from blockfeat.errors import BlockfeatError, FetchError, InputTypeError
from blockfeat.extraction import Extraction
from blockfeat.extraction import extract as extraction_of
from blockfeat.io.http.fetch import fetch
from blockfeat.page import decode
from blockfeat.page.document import host_of

_logger = logging.getLogger("blockfeat.compat.trafilatura")
_OUTSIDE = re.compile(r"/(?:nav|header|footer|aside|form)\b")
_FORMATS = ("txt", "markdown", "json", "html", "xml", "xmltei")


class Document(SimpleNamespace):
    """What is known of a page, by trafilatura's names: ``title``, ``author``, ``date``, ``text`` and the rest."""

    def as_dict(self) -> dict[str, Any]:
        """Return all values by name."""
        return dict(vars(self))


def extract(
    filecontent: Any,
    url: str | None = None,
    record_id: str | None = None,
    *,
    output_format: str = "txt",
    with_metadata: bool = False,
    **options: Any,
) -> str | None:
    """Return the main text of a page in a format; None where there is none, or the page cannot be read.

    Parameters
    ----------
    filecontent : str, bytes or lxml tree
        The page.
    url, record_id : str, optional
        Its address, and its identifier.
    output_format : str
        ``"txt"``, ``"markdown"``, ``"json"``, ``"html"``, ``"xml"`` or ``"xmltei"``; the last two are TEI.
    with_metadata : bool
        Write title, author, date and the rest: before text and Markdown as front matter, in JSON as members.
    **options
        ``favor_precision``, ``favor_recall``, ``include_comments``, ``include_tables``, ``include_links``,
        ``include_images``, ``include_formatting``, ``target_language``, ``only_with_metadata``, ``url_blacklist`` and
        ``author_blacklist`` as in trafilatura, but that comments and tables are as the model decides by default.

    Raises
    ------
    InputTypeError
        There is no such format or option, or the page is of a wrong type.
    """
    if output_format not in _FORMATS:
        raise InputTypeError(f"output_format {output_format!r} is unknown; known are {', '.join(_FORMATS)}")
    images = bool(options.get("include_images"))
    if output_format == "markdown":
        options["include_formatting"] = True
    found = _found(filecontent, url, record_id, options)
    if found is None:
        return None
    document, extraction = found
    if output_format in ("html", "xml", "xmltei"):
        return extraction.to_html(images=images) if output_format == "html" else extraction.to_xml(images=images)
    if output_format == "json":
        known = {**document.as_dict(), "source": document.url, "excerpt": document.description}
        known["source-hostname"] = document.sitename
        kept = known if with_metadata else {name: known[name] for name in ("id", "raw_text", "text", "comments")}
        return json.dumps(kept, ensure_ascii=False)
    if not with_metadata:
        return str(document.text)
    values = {name: value for name, value in document.as_dict().items() if "text" not in name}
    return f"{front_matter(values)}{document.text}"


def bare_extraction(
    filecontent: Any, url: str | None = None, *, as_dict: bool = False, **options: Any
) -> Document | dict[str, Any] | None:
    """Return text and metadata of a page; None where there is no text. The options are those of `extract`."""
    options = {name: value for name, value in options.items() if name not in ("output_format", "with_metadata")}
    found = _found(filecontent, url, options.pop("record_id", None), options)
    return None if found is None else found[0].as_dict() if as_dict else found[0]


def extract_metadata(
    filecontent: Any, default_url: str | None = None, *, author_blacklist: Collection[str] = (), **options: Any
) -> Document:
    """Return the metadata of a page, without its text."""
    _warn(options)
    document = _described(extraction_of(filecontent, url=default_url), author_blacklist)
    document.text = document.raw_text = document.comments = None
    return document


def fetch_url(url: str, **options: Any) -> str | None:
    """Return a page from a public address; None where it cannot be fetched, with the reason in the log."""
    _warn(options)
    try:
        page = fetch(url)
    except FetchError as error:
        _logger.error("%s", error)
        return None
    assert isinstance(page.data, bytes)
    return decode(page.data, page.charset).text


def baseline(filecontent: Any) -> tuple[Any, str, int]:
    """Return the main text as a tree of lxml and as text, and its length."""
    extraction = extraction_of(filecontent)
    body = fragment_fromstring(extraction.to_html(fragment=True), create_parent="body")
    return body, extraction.text, len(extraction.text)


def html2txt(content: Any, clean: bool = True) -> str:
    """Return all text of a page; with ``clean`` without what stands in menus, headers, footers and asides."""
    blocks = extraction_of(content).blocks
    return " ".join(block.text for block in blocks if not (clean and _OUTSIDE.search(block.xpath)))


def _found(
    content: Any, url: str | None, name: str | None, options: dict[str, Any]
) -> tuple[Document, Extraction] | None:
    """Return what is known of a page, and its extraction; None where an option or the lack of text leaves it out."""
    if content is None:  # a page that `fetch_url` did not get
        return None
    is_precise, is_generous = options.pop("favor_precision", False), options.pop("favor_recall", False)
    favour: Any = "recall" if is_generous else "precision" if is_precise else None
    comments, tables = options.pop("include_comments", None), options.pop("include_tables", None)
    links, images = bool(options.pop("include_links", False)), bool(options.pop("include_images", False))
    is_formatted = options.pop("include_formatting", False) or links or images
    language = options.pop("target_language", None)
    is_whole = options.pop("only_with_metadata", False)
    left_out, authors = options.pop("url_blacklist", None) or (), options.pop("author_blacklist", None) or ()
    _warn(options, level=4)
    try:
        extraction = extraction_of(content, url=url, id=name, favour=favour, comments=comments, tables=tables)
    except InputTypeError:
        raise
    except BlockfeatError as error:
        _logger.error("not read: %s", error)
        return None
    document = _described(extraction, authors)
    if not document.text or (language and extraction.lang != language) or document.url in left_out:
        return None
    if is_whole and not (document.date and document.title and document.url):
        return None
    if is_formatted:
        document.text = extraction.to_markdown(links=links, images=images)
    return document, extraction


def _described(extraction: Extraction, left_out: Collection[str]) -> Document:
    metadata = extraction.metadata
    url = extraction.url or metadata.canonical_url
    return Document(
        title=metadata.title or extraction.title,
        author="; ".join(name for name in metadata.authors if name not in left_out) or None,
        url=url,
        hostname=host_of(url or "").removeprefix("www.") or None,
        description=metadata.description,
        sitename=metadata.site,
        date=metadata.to_dict()["published_day"],
        categories=[metadata.section] if metadata.section else [],
        tags=list(metadata.tags),
        fingerprint=extraction.fingerprint,
        id=extraction.id,
        license=metadata.licence,
        comments="\n".join(extraction.comments),
        raw_text=extraction.text,
        text=extraction.text,
        language=extraction.lang,
        image=metadata.image,
        pagetype=extraction.kind,
    )


def _warn(options: dict[str, Any], *, level: int = 3) -> None:
    """Warn of options that have no effect; raise InputTypeError for one that trafilatura has not either."""
    advice = bundled_table("blockfeat.extraction", "trafilatura.toml")
    for name, value in options.items():
        if name not in advice:
            raise InputTypeError(f"there is no option {name!r}")
        if value:
            warnings.warn(f"{name} has no effect here; blockfeat.extract has {advice[name]}", stacklevel=level)
