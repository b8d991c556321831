"""A plug-in of markitdown: HTML becomes Markdown of its main text, without menus and adverts.

Name this module in the pyproject.toml of a package, and ask for plug-ins: ``markitdown --use-plugins page.html``::

    [project.entry-points."markitdown.plugin"]
    blockfeat = "markitdown_plugin"
"""

from __future__ import annotations

from typing import Any, BinaryIO

from markitdown import DocumentConverter, DocumentConverterResult, MarkItDown, StreamInfo

from blockfeat import Extractor

__plugin_interface_version__ = 1
_SUFFIXES, _TYPES = (".html", ".htm", ".xhtml"), ("text/html", "application/xhtml+xml")


def register_converters(markitdown: MarkItDown, **_options: Any) -> None:
    """Take pages of HTML in the place of the built-in converter."""
    markitdown.register_converter(MainText(Extractor.load()), priority=-1.0)


class MainText(DocumentConverter):
    """Converts pages with a main text."""

    def __init__(self, extractor: Extractor) -> None:
        self.extractor = extractor

    def accepts(self, file_stream: BinaryIO, stream_info: StreamInfo, **_options: Any) -> bool:
        """Return whether it is HTML."""
        suffix, type = (stream_info.extension or "").lower(), (stream_info.mimetype or "").lower()
        return suffix in _SUFFIXES or type.startswith(_TYPES)

    def convert(self, file_stream: BinaryIO, stream_info: StreamInfo, **_options: Any) -> DocumentConverterResult:
        """Return Markdown with headline, links and tables, and the title."""
        doc = self.extractor.with_options(headline=True).extract(file_stream.read(), url=stream_info.url)
        return DocumentConverterResult(doc.to_markdown(links=True), title=doc.metadata.title or doc.title)
