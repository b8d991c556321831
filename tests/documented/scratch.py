"""The folder that code blocks run in: files of the names that documents use, made from the bundled demo pages."""

from __future__ import annotations

import gzip
import json
import lzma
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from pages import article_page

__all__ = ["demo_records", "metadata_page", "names_of", "write_scratch"]

_WIKIDATA = {"entities": {"Q312": {"id": "Q312", "labels": {"en": {"language": "en", "value": "Apple"}}}}}


def demo_records() -> list[dict[str, Any]]:
    """Return the bundled demo pages, as they stand in a corpus."""
    lines = files("blockfeat.data.demo").joinpath("demo.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def write_scratch(folder: Path, site: str) -> None:
    """Write the files; ``site`` is the address of a server on this machine that stands in for example.org."""
    records = demo_records()
    some = records[::4]
    for name, record in zip(("page.html", "new.html"), records, strict=False):
        (folder / name).write_text(record["html"], encoding="utf-8")
    _write_corpora(folder, records)
    _write_archives(folder, some)
    for name in ("folder", "saved-site", "saved-pages", "pages-of-one-site"):
        (folder / name).mkdir()
        for record in records[:3]:  # of one site
            (folder / name / f"{record['id']}.html").write_text(record["html"], encoding="utf-8")
        for number in range(3):
            (folder / name / f"{number}.html").write_text(article_page(4 + number), encoding="utf-8")
    (folder / "texts").mkdir()
    (folder / "addresses.txt").write_text(f"# two pages\n{site}/article\n{site}/other\n", encoding="utf-8")
    (folder / "own.toml").write_text("[filters]\nimages = false\n", encoding="utf-8")
    (folder / "hosts.txt").write_text("0.0.0.0 ads.example.com\n", encoding="utf-8")
    (folder / "Q312.json").write_text(json.dumps(_WIKIDATA), encoding="utf-8")


def _write_corpora(folder: Path, records: Sequence[Mapping[str, Any]]) -> None:
    """Write labelled pages under the names that documents give them: some, in German and French for training."""
    trained = [record for record in records if record["lang"] in ("de", "fr")][::2]
    data = _lines(trained).encode()
    (folder / "corpora").mkdir()
    for name in ("pages.jsonl.xz", "corpora/news.jsonl.xz"):
        (folder / name).write_bytes(lzma.compress(data, preset=0))
    for name in ("pages.jsonl.gz", "crawl.jsonl.gz", "corpora/blogs-1.jsonl.gz", "corpora/blogs-2.jsonl.gz"):
        (folder / name).write_bytes(gzip.compress(data))
    for name in ("pages.jsonl", "crawl.jsonl"):
        (folder / name).write_bytes(data)
    for name in ("anna.jsonl", "ben.jsonl"):
        (folder / name).write_text(_lines(records[:3]), encoding="utf-8")
    # The corpora above have no name of their own: it is that of the file.
    listed = [{"corpus": "pages", "id": record["id"], "reason": "cut short"} for record in trained[:1]]
    (folder / "wrong.jsonl").write_text(_lines(listed), encoding="utf-8")
    (folder / "other.jsonl.xz").write_bytes(lzma.compress(_lines(records[::7]).encode(), preset=0))


def _write_archives(folder: Path, records: Sequence[Mapping[str, Any]]) -> None:
    parts = [_warc_record(record["url"], record["html"].encode()) for record in records]
    for name in ("crawl.warc.gz", "out.warc.gz"):
        (folder / name).write_bytes(b"".join(gzip.compress(part) for part in parts))
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        return
    table = pyarrow.table({"content": [one["html"] for one in records], "link": [one["url"] for one in records]})
    pyarrow.parquet.write_table(table, folder / "pages.parquet")


def _warc_record(url: str, page: bytes) -> bytes:
    body = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + page
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n"
        "WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-000000000000>\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body + b"\r\n\r\n"


def _lines(records: Sequence[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def metadata_page() -> str:
    """Return an article with an author, an agency and a moment of publication, as docs/metadata.md has them."""
    said = {
        "@context": "https://schema.org",
        "@type": "NewsArticle",
        "headline": "Lighthouse to be repaired",
        "author": [{"@type": "Person", "name": "Ann Lee"}, {"@type": "Organization", "name": "Reuters"}],
        "datePublished": "2024-05-02T08:15:00+02:00",
    }
    return article_page().replace("</head>", f'<script type="application/ld+json">{json.dumps(said)}</script></head>')


def names_of(document: str) -> dict[str, Any]:
    """Return what the Python blocks of a document may use without having made it."""
    import blockfeat

    records = demo_records()
    names: dict[str, Any] = {"html": records[0]["html"], "pages": [record["html"] for record in records[:3]]}
    names |= {"extractor": blockfeat.Extractor.load(), "documents": names["pages"], "pages_of_one_site": names["pages"]}
    if document == "metadata.md":
        names["html"] = metadata_page()
    elif document == "training.md":
        from blockfeat.data.corpus import demo_pages

        names["pages"] = [page for page in demo_pages() if page.lang == "de"]
    elif document == "record.md":
        names["one"] = names["other"] = blockfeat.extract(records[0]["html"]).to_dict()
    elif document == "batches.md":
        import pandas

        names["frame"] = pandas.DataFrame({"html": names["pages"], "link": [record["url"] for record in records[:3]]})
    return names
