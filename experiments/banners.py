"""How many paragraphs of consent banners are kept, and of articles lost: pages made of both.

Usage: ``python -m experiments.banners [--model default]``. For each language of the banners of ``page_templates.toml``:
the first paragraphs of an article of fundus or daniel, with the banner before or behind it, in the containers of
vendors and in one that nothing names; with and without the rule of `blockfeat.extraction.rules.banners`.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from unittest.mock import patch

from blockfeat.extraction.extractor import Extractor
from blockfeat.training.evaluation.metrics import markdown_table
from experiments.corpora import Corpora
from experiments.needs import check_needs

__all__ = ["BannerPage", "made_pages", "main"]

CONTAINERS = (
    *('id="onetrust-consent-sdk"', 'id="didomi-host"', 'id="usercentrics-root"', 'id="CybotCookiebotDialog"'),
    *('id="qc-cmp2-container"', 'id="sp_message_container_12"', 'id="cmplz-cookiebanner-container"', 'id="klaro"'),
    *('id="truste-consent-track"', 'id="iubenda-cs-banner"', 'id="axeptio_overlay"', 'id="tarteaucitronRoot"'),
    *(
        'id="BorlabsCookieBox"',
        'class="fc-consent-root"',
        'id="cmpbox"',
        'id="cookiefirst-root"',
        'class="osano-cm-window"',
    ),
    *(
        'id="hs-eu-cookie-confirmation"',
        'class="cc-window"',
        'id="shopify-pc__banner"',
        'id="moove_gdpr_cookie_info_bar"',
    ),
    *('class="cky-consent-container"', 'id="cookie-notice"', 'role="dialog"', 'class="layer"'),
)
"""Attributes of what holds a banner; the last is no vendor's."""
_CORPORA = ("fundus", "daniel")
_LENGTHS = (2, 5, 16)
_FEWEST_CHARACTERS = 60


@dataclass(frozen=True)
class BannerPage:
    """A page, and the paragraphs of its banner and of its article."""

    html: str
    banner: tuple[str, ...]
    article: tuple[str, ...]


def made_pages(title: str, banner: tuple[str, ...], paragraphs: tuple[str, ...]) -> Iterator[BannerPage]:
    """Yield pages of an article at three lengths with a banner in each container, before and behind it."""
    for length in _LENGTHS:
        article = paragraphs[:length]
        main = f"<main><article><h1>{escape(title)}</h1>{_paragraphs(article)}</article></main>"
        for container in CONTAINERS:
            box = f"<div {container}><div>{_paragraphs(banner)}</div></div>"
            for body in (box + main, main + box):
                yield BannerPage(f"<title>{escape(title)}</title><body>{body}</body>", banner, article)


def _paragraphs(texts: tuple[str, ...]) -> str:
    return "".join(f"<p>{escape(text)}</p>" for text in texts)


def _counts(extractor: Extractor, pages: list[BannerPage]) -> tuple[int, int]:
    """Return how many paragraphs of banners are kept, and of articles lost."""
    kept = lost = 0
    for page in pages:
        lines = {" ".join(line.split()) for line in extractor.extract(page.html).text.splitlines()}
        kept += sum(" ".join(text.split()) in lines for text in page.banner)
        lost += sum(" ".join(text.split()) not in lines for text in page.article)
    return kept, lost


def main(arguments: list[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    Corpora.add_options(parser)
    parser.add_argument("--model", default="default")
    options = parser.parse_args(arguments)
    check_needs(folder=options.corpora, corpora=_CORPORA)
    templates = tomllib.loads(Path(__file__).with_name("page_templates.toml").read_text(encoding="utf-8"))["consent"]
    labelled = [page for name in _CORPORA for page in Corpora.of_options(options).pages(name)]
    extractor = Extractor.load(options.model)
    rows: list[tuple[str, list[int]]] = []
    for lang, template in templates.items():
        texts = ((page, _long(page.text or "")) for page in labelled if page.lang == lang)
        article = next((found for found in texts if len(found[1]) >= _LENGTHS[1]), None)
        if article is None:
            continue
        pages = list(made_pages(article[0].title or article[1][0][:40], tuple(template["text"]), article[1]))
        with patch("blockfeat.extraction.rules.asks_at_an_edge", return_value=False):
            before = _counts(extractor, pages)
        after = _counts(extractor, pages)
        of = sum(len(page.banner) for page in pages), sum(len(page.article) for page in pages)
        rows.append((lang, [len(pages), of[0], before[0], after[0], of[1], before[1], after[1]]))
    rows.append(("all", [sum(column) for column in zip(*(counts for _, counts in rows), strict=True)]))
    columns = ["language", "pages", "of banners", "kept without", "kept", "of articles", "lost without", "lost"]
    sys.stdout.write(markdown_table(columns, [[lang, *map(str, counts)] for lang, counts in rows]))
    return 0


def _long(text: str) -> tuple[str, ...]:
    lines = dict.fromkeys(line.strip() for line in text.splitlines() if len(line.strip()) >= _FEWEST_CHARACTERS)
    return tuple(lines)


if __name__ == "__main__":
    raise SystemExit(main())
