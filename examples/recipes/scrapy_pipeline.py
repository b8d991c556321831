"""An item pipeline of Scrapy: the field ``html`` of an item, or the response, becomes its main text and metadata.

In the settings of a project::

    ITEM_PIPELINES = {"scrapy_pipeline.MainText": 300}

A spider yields ``{"html": response.body, "url": response.url}``. Items without a main text are dropped.
"""

from __future__ import annotations

from typing import Any

from scrapy.exceptions import DropItem

from blockfeat import BlockfeatError, Extractor


class MainText:
    """Puts Markdown, title, date and likely quality in the place of the page."""

    def __init__(self) -> None:
        self.extractor = Extractor.load()

    def process_item(self, item: dict[str, Any]) -> dict[str, Any]:
        """Return an item with the main text of its page; raise DropItem for one without."""
        try:
            doc = self.extractor.extract(item["html"], url=item.get("url"))
        except BlockfeatError as error:
            raise DropItem(str(error)) from error
        if doc.status != "ok":
            raise DropItem(f"no main text: {doc.kind}")
        values = {name: value for name, value in item.items() if name != "html"}
        published, title = doc.metadata.to_dict()["published"], doc.metadata.title or doc.title
        return values | {
            "text": doc.to_markdown(), "title": title, "published": published, "confidence": doc.confidence
        }  # fmt: skip
