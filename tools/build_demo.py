"""Build the bundled demo corpus from the content and the layouts in tools/demo.

Usage: ``python tools/build_demo.py`` writes ``blockfeat/data/demo/demo.jsonl``; with ``--check`` it only says
whether the file is what it would write (exit status 1 when it is not). The result depends on nothing but the
files in tools/demo and the seed below.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from demo.article import gold_text, second_labeller_text
from demo.layouts import LAYOUTS
from demo.markup import plain
from demo.page import Page, make_page
from demo.reading import read_languages
from demo.snippets import absent_snippets, present_snippets

__all__ = ["TARGET", "build", "main", "records"]

SEED = 2007
TWICE_LABELLED = ("en", "de", "fr")
TARGET = Path(__file__).resolve().parent.parent / "blockfeat" / "data" / "demo" / "demo.jsonl"


def records() -> Iterator[dict[str, Any]]:
    """Yield the records of the corpus in the order of the content files."""
    for language in read_languages():
        numbers: Counter[str] = Counter()
        for article in language.articles:
            numbers[article.site] += 1
            page = make_page(language, article, number=numbers[article.site], seed=SEED)
            yield _record(page)


def _record(page: Page) -> dict[str, Any]:
    article, lang = page.article, page.language.code
    html = LAYOUTS[page.site.layout](page)
    host = page.site.host.removeprefix("www.").removesuffix(".example")
    return {
        "id": f"{lang}-{host}-{page.number}",
        "url": page.url,
        "lang": lang,
        "html": html,
        "text": gold_text(article),
        **_second_text(page),
        "title": plain(article.title),
        "author": article.author,
        "date": article.date,
        "publisher": page.site.name,
        "with": present_snippets(article, lang=lang),
        "without": absent_snippets(page, html),
        "page_type": "documentation" if page.site.layout == "howto" else "article",
    }


def _second_text(page: Page) -> dict[str, str]:
    """Return the field of the second labeller, who labelled the first page of each site in some languages."""
    if page.number > 1 or page.language.code not in TWICE_LABELLED:
        return {}
    return {"text2": second_labeller_text(page.article, page.language.date(page.article.date))}


def build() -> str:
    """Return the whole file as text, one JSON object a line."""
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records())


def main(arguments: list[str] | None = None) -> int:
    """Write or check the file; return the exit status."""
    parser = argparse.ArgumentParser(description="Build the bundled demo corpus.")
    parser.add_argument("--check", action="store_true", help="compare with the file instead of writing it")
    options = parser.parse_args(arguments)
    text = build()
    if options.check:
        same = TARGET.is_file() and TARGET.read_text(encoding="utf-8") == text
        print(f"{TARGET}: {'up to date' if same else 'differs from what the tool builds'}")
        return 0 if same else 1
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(text, encoding="utf-8", newline="\n")
    print(f"{TARGET}: {text.count(chr(10))} pages, {len(text.encode()) / 1e6:.2f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
