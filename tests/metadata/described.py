"""Metadata of pages that tests write."""

import json
from functools import cache

from blockfeat.extraction.extractor import Extractor
from blockfeat.metadata import Metadata

TEXT = "".join(
    f"<p>The harbour of Lindau was quiet on morning number {number}, as boats came in, and the fishermen sold their "
    "catch to the few people who had come down to the water.</p>"
    for number in range(6)
)


@cache
def extractor() -> Extractor:
    return Extractor.load()


def described(head: str = "", top: str = "<h1>Quiet days at the harbour</h1>", **options: str) -> Metadata:
    """Return the metadata of an article with this head and these elements above its text."""
    html = f"<html><head>{head}</head><body><article>{top}{TEXT}{options.pop('bottom', '')}</article></body></html>"
    return extractor().extract(html, **options).metadata


def json_ld(*values: object) -> str:
    return "".join(f'<script type="application/ld+json">{json.dumps(value)}</script>' for value in values)


def article(**members: object) -> dict[str, object]:
    return {"@context": "https://schema.org", "@type": "NewsArticle", **members}
