"""The folder that code blocks run in: files of the names that documents use, made from the bundled demo pages."""

import gzip
import json
import lzma
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from pages import PARAGRAPHS, article_page
from warc_file import warc_record

_WIKIDATA = {"entities": {"Q312": {"id": "Q312", "labels": {"en": {"language": "en", "value": "Apple"}}}}}


def demo_records() -> list[dict[str, Any]]:
    """Return the bundled demo pages, as they stand in a corpus."""
    lines = files("blockfeat.data.demo").joinpath("demo.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def write_scratch(folder: Path, site: str) -> None:
    """Write the files; ``site`` is the address of a server on this machine that stands in for example.org."""
    records = demo_records()
    for name, record in zip(("page.html", "new.html"), records, strict=False):
        (folder / name).write_text(record["html"], encoding="utf-8")
    for name in ("crawl", "pages", "corpora"):
        (folder / name).mkdir()
    _write_corpora(folder, records)
    _write_archives(folder, records[::4])
    for name in ("folder", "saved-site", "saved-pages", "pages-of-one-site"):
        (folder / name).mkdir()
        for record in records[:3]:  # of one site
            (folder / name / f"{record['id']}.html").write_text(record["html"], encoding="utf-8")
        for number in range(3):
            (folder / name / f"{number}.html").write_text(article_page(4 + number), encoding="utf-8")
    (folder / "metadata.html").write_text(_metadata_page(), encoding="utf-8")
    (folder / "addresses.txt").write_text(f"# two pages\n{site}/article\n{site}/other\n", encoding="utf-8")
    (folder / "own.toml").write_text("[filters]\nimages = false\n", encoding="utf-8")
    (folder / "hosts.txt").write_text("0.0.0.0 ads.example.com\n", encoding="utf-8")
    (folder / "Q312.json").write_text(json.dumps(_WIKIDATA), encoding="utf-8")


def _write_corpora(folder: Path, records: Sequence[Mapping[str, Any]]) -> None:
    """Write labelled pages under the names that documents give them: some, in German and French for training."""
    trained = [record for record in records if record["lang"] in ("de", "fr")][::2]
    data = _lines(trained).encode()
    for name in ("pages.jsonl.xz", "corpora/news.jsonl.xz"):
        (folder / name).write_bytes(lzma.compress(data, preset=0))
    for name in ("pages.jsonl.gz", "crawl.jsonl.gz", "corpora/blogs-1.jsonl.gz", "corpora/blogs-2.jsonl.gz"):
        (folder / name).write_bytes(gzip.compress(data))
    # The corpora above have no name of their own: it is that of the file.
    wrong, own = [{"corpus": "pages", "id": trained[0]["id"], "reason": "cut short"}], [*map(_own_page, range(4, 10))]
    of_each = {"pages": trained, "crawl": trained, "anna": records[:3], "ben": records[:3], "wrong": wrong, "own": own}
    for name, some in of_each.items():
        (folder / f"{name}.jsonl").write_text(_lines(some), encoding="utf-8")
    lines = [json.dumps({key: one[key] for key in ("id", "html", "url")}) for one in records[:10]]
    clutter = json.dumps({"id": "menu", "html": "<nav><a href=/>Home</a> <a href=/news>News</a></nav>"})
    mixed = [*lines[:3], lines[3][:40], *lines[4:], lines[3], clutter]
    (folder / "mixed.jsonl").write_text("\n".join(mixed) + "\n", encoding="utf-8")
    (folder / "other.jsonl.xz").write_bytes(lzma.compress(_lines(records[::7]).encode(), preset=0))


def _own_page(paragraphs: int) -> dict[str, str]:
    """Return a labelled page of a site whose pages have a promotion at the end, which a rule drops."""
    html = article_page(paragraphs).replace("</main>", "<p class=promo>Subscribe to our letter of ten.</p></main>")
    text, url = "\n".join(PARAGRAPHS[number % 4] for number in range(paragraphs)), f"https://example.org/{paragraphs}"
    return {"id": url, "url": url, "html": html, "text": text}


def _write_archives(folder: Path, records: Sequence[Mapping[str, Any]]) -> None:
    parts = [warc_record(0, record["html"].encode(), url=record["url"]) for record in records]
    for name in ("crawl.warc.gz", "out.warc.gz", "CC-MAIN-1.warc.gz", "crawl/1.warc.gz"):
        (folder / name).write_bytes(b"".join(gzip.compress(part) for part in parts))
    import pyarrow
    import pyarrow.parquet

    table = pyarrow.table({"content": [one["html"] for one in records], "link": [one["url"] for one in records]})
    for name in ("pages.parquet", "pages/1.parquet"):
        pyarrow.parquet.write_table(table, folder / name)


def _lines(records: Sequence[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def _metadata_page() -> str:
    """Return an article with an author, an agency and a moment of publication, as docs/metadata.md has them."""
    said: dict[str, Any] = {"@context": "https://schema.org", "@type": "NewsArticle"}
    said["headline"] = "Lighthouse to be repaired"
    said["author"] = [{"@type": "Person", "name": "Ann Lee"}, {"@type": "Organization", "name": "Reuters"}]
    said["datePublished"] = "2024-05-02T08:15:00+02:00"
    return article_page().replace("</head>", f'<script type="application/ld+json">{json.dumps(said)}</script></head>')


_NAMES = """
import ipaddress
from pathlib import Path

import blockfeat
from blockfeat.data.corpus import demo_pages
from blockfeat.io.http import transport

# This machine stands in for example.org, which is public.
is_public = transport._is_public
transport._is_public = lambda address: address == ipaddress.ip_address("127.0.0.1") or is_public(address)

pages = [page.html for page in demo_pages()[:3]]
html, documents, pages_of_one_site = pages[0], pages, pages
extractor = blockfeat.Extractor.load()
"""
_NAMES_OF = {
    "metadata.md": 'html = Path("metadata.html").read_text(encoding="utf-8")',
    "training.md": 'pages = [page for page in demo_pages() if page.lang == "de"]',
    "record.md": "one = other = blockfeat.extract(html).to_dict()",
    "batches.md": """
import pandas

frame = pandas.DataFrame({"html": pages, "link": [page.url for page in demo_pages()[:3]]})
""",
}
_NAMES_ON_SPARK = """
from pyspark.sql import SparkSession

import blockfeat.integrations.spark

spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
rows = [(page.html, page.url, "2026-01-01") for page in demo_pages()[:6]]
pages = spark.createDataFrame(rows, ["html", "url", "crawl_date"])
blockfeat.integrations.spark.extract(pages).write.parquet("texts")
"""


def names_of(document: str, install: str) -> str:
    """Return Python that makes the names which the blocks of a document may use without having made them."""
    return _NAMES + (_NAMES_ON_SPARK if "spark" in install else _NAMES_OF.get(document, ""))
