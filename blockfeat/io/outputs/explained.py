"""The evidence of an extraction for people: an HTML page with its style, and rows for a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from importlib.resources import files
from itertools import groupby
from typing import TYPE_CHECKING, Any

from blockfeat.blocks.block import Block
from blockfeat.content.links import clean_characters, fold_white_space, xml_characters

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from blockfeat.extraction.extraction import Extraction

# The page cannot load or run anything, whatever the texts contain.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

_MOST_CONTRIBUTIONS = 12
_SHORTEST_FOLDED, _FIRST_TEXTS, _FIRST_CHARACTERS = 2, 12, 120
_BESIDE = ("headline", "byline", "date")
_QUALITY = ((0.9, "high"), (0.75, "fair"), (0.0, "doubtful"))
_SHOWN_ROLES = ("headline", "lead", "comment", "caption")


def explanation_table(extraction: Extraction) -> list[dict[str, Any]]:
    """Return one row for each block, in page order, for a table on a terminal.

    Returns
    -------
    list of dict
        Keys ``index``, ``kept``, ``role``, ``score``, ``words``, ``kind``, ``text`` (one clean line, whole),
        ``features`` (value by name), ``failed`` (names), ``reason`` and ``xpath``.
    """
    return [
        {
            "index": block.index,
            "kept": block.kept,
            "role": role,
            "score": block.score,
            "words": block.words,
            "kind": block.kind,
            "text": fold_white_space(clean_characters(block.text)).strip(),
            "features": dict(block.features),
            "failed": list(block.failed),
            "reason": clean_characters(block.reason),
            "xpath": block.xpath,
        }
        for block, role in zip(extraction.blocks, extraction.roles, strict=True)
    ]


def explanation_page(extraction: Extraction) -> str:
    """Return a self-contained HTML page that shows for every block whether it is kept, and the reason.

    Blocks are in page order, kept ones green, headline and byline blue, dropped ones red, each with its score, its
    feature values (failed ones marked) and its XPath; runs of dropped blocks are folded. The page needs no script and
    loads nothing; all text of the extraction is escaped.
    """
    from lxml.html import builder, tostring

    blocks = extraction.blocks
    document = builder.HTML(
        _head(extraction),
        builder.BODY(
            _header(extraction, blocks),
            builder.E.main(*_cards(blocks, extraction.roles)),
            builder.E.footer("Made by blockfeat. A score above 0 favours content."),
        ),
        lang="en",
    )
    return "<!DOCTYPE html>\n" + str(tostring(document, encoding="unicode")) + "\n"


def _shown(text: str | None) -> str:
    """Return text from the page as one clean line."""
    return fold_white_space(xml_characters(text or "")).strip()


def _head(extraction: Extraction) -> HtmlElement:
    from lxml.html import builder

    meta = builder.META
    title = _shown(extraction.title) or _shown(extraction.url) or _shown(extraction.id) or "page"
    return builder.HEAD(
        meta(charset="utf-8"),
        meta({"http-equiv": "Content-Security-Policy", "content": _POLICY}),
        meta(name="viewport", content="width=device-width, initial-scale=1"),
        meta(name="referrer", content="no-referrer"),
        builder.TITLE(f"{title} · blockfeat explains"),
        builder.STYLE(_style_sheet()),
    )


def _style_sheet() -> str:
    return "\n" + files("blockfeat.io.outputs").joinpath("explained.css").read_text(encoding="utf-8")


def _header(extraction: Extraction, blocks: Sequence[Block]) -> HtmlElement:
    """Build the top of the page: title, address, facts, share of kept words, legend, notices."""
    from lxml.html import builder

    kept = sum(block.kept for block in blocks)
    words = sum(block.words for block in blocks)
    kept_words = sum(block.words for block in blocks if block.kept)
    share = kept_words / words if words else 0.0
    facts = {
        "Kind of page": _shown(extraction.kind),
        "Words kept": f"{kept_words:,} of {words:,} ({share:.0%})",
        "Blocks kept": f"{kept:,} of {len(blocks):,}",
        "Likely quality": _quality(extraction.confidence),
        "Language": _shown(extraction.lang) or "unknown",
        "Model": _shown(extraction.model) or "unknown",
        "Encoding": _shown(extraction.encoding),
        "Status": _shown(extraction.status),
    }
    elements = [
        builder.H1(_shown(extraction.title) or "Page without a title", dir="auto"),
        builder.P(_shown(extraction.url) or _shown(extraction.id), builder.CLASS("address")),
        builder.DL(
            builder.CLASS("facts"),
            *(builder.DIV(builder.DT(name), builder.DD(value)) for name, value in facts.items() if value),
        ),
        *(builder.P(_shown(notice), builder.CLASS("notice")) for notice in _notices(extraction)),
        builder.DIV(
            builder.CLASS("share"),
            builder.SPAN(style=f"width:{share * 100:.2f}%"),
            {"role": "img", "aria-label": f"{share:.0%} of the words are kept"},
        ),
        _legend(),
    ]
    return builder.E.header(*elements)


def _quality(confidence: float | None) -> str:
    """Return the word F1 to be expected, in words."""
    if confidence is None:
        return ""
    word = next(word for least, word in _QUALITY if confidence >= least)
    return f"{word} (F1 of about {confidence:.2f})"


def _notices(extraction: Extraction) -> list[str]:
    errors = [f"Error: {extraction.error}"] if extraction.error else []
    return errors + [f"Warning: {warning}" for warning in extraction.warnings]


def _legend() -> HtmlElement:
    from lxml.html import builder

    def swatch(name: str) -> HtmlElement:
        return builder.SPAN(builder.CLASS(f"swatch {name}"))

    return builder.UL(
        builder.CLASS("legend"),
        builder.LI(swatch("kept"), "kept: part of the content"),
        builder.LI(swatch("beside"), "headline, byline, date: beside the text"),
        builder.LI(swatch("dropped"), "dropped: navigation, advertising or other clutter"),
        builder.LI("✗ value beyond the model's threshold; +1.23 how far a feature moved the score"),
    )


def _cards(blocks: Sequence[Block], roles: Sequence[str]) -> Iterator[HtmlElement]:
    """Yield the cards of all blocks; long runs of what is dropped are folded, each under what its blocks are."""
    for is_dropped, run in groupby(zip(blocks, roles, strict=True), lambda pair: _look(pair[0]) == "dropped"):
        cards = list(run)
        if is_dropped and len(cards) >= _SHORTEST_FOLDED:
            yield _folded([block for block, _ in cards], [_block(block, role) for block, role in cards])
        else:
            yield from (_block(block, role) for block, role in cards)


def _folded(blocks: Sequence[Block], cards: Sequence[HtmlElement]) -> HtmlElement:
    """Build a run of dropped blocks that a click unfolds."""
    from lxml.html import builder

    parts = ", ".join(f"{part} {count}" for part, count in Counter(block.part for block in blocks).most_common())
    summary = builder.SUMMARY(
        builder.SPAN(f"✗ {len(blocks)} blocks dropped", builder.CLASS("verdict")),
        builder.SPAN(_shown(parts), builder.CLASS("chip")),
        builder.SPAN(_shown(" · ".join(block.text for block in blocks[:_FIRST_TEXTS]))[:_FIRST_CHARACTERS], dir="auto"),
    )
    return builder.E.details(builder.CLASS("run dropped"), summary, *cards)


def _look(block: Block) -> str:
    """Return how a block looks: kept, beside the text, or dropped."""
    return "kept" if block.kept else "beside" if block.part in _BESIDE else "dropped"


def _block(block: Block, role: str) -> HtmlElement:
    """Build the card of one block that plays a role."""
    from lxml.html import builder

    verdict = "kept" if block.kept else "dropped"
    kind = block.kind.replace("_", " ") + (f" {block.level}" if block.level else "")
    text = xml_characters(block.text) if block.kind == "preformatted" else _shown(block.text)
    card = builder.E.section(
        builder.CLASS(f"block {_look(block)}"),
        {"id": f"block-{block.index}"},
        builder.DIV(
            builder.CLASS("line"),
            builder.SPAN(f"{'✓' if block.kept else '✗'} {verdict}", builder.CLASS("verdict")),
            builder.SPAN(f"#{block.index}"),
            builder.SPAN(_shown(kind), builder.CLASS("chip")),
            *([builder.SPAN(role, builder.CLASS("chip"))] if role in _SHOWN_ROLES and role != kind else []),
            builder.SPAN(f"{block.words:,} {'word' if block.words == 1 else 'words'}"),
            builder.SPAN(f"score {block.score:+.3f}", builder.CLASS("score")),
        ),
        builder.DIV(text, builder.CLASS(f"words {_shown(block.kind)}"), dir="auto"),
    )
    if block.reason:
        card.append(builder.P(_shown(block.reason), builder.CLASS("reason")))
    card.append(_details(block))
    return card


def _details(block: Block) -> HtmlElement:
    """Build the fold-out part of a card: feature values and place."""
    from lxml.html import builder

    failed = set(block.failed)
    names = [*block.features, *(name for name in block.failed if name not in block.features)]
    moved = block.contributions
    if moved:
        names = sorted(names, key=lambda name: -abs(moved.get(name, 0.0)))[:_MOST_CONTRIBUTIONS]
    rows = []
    for name in names:
        value = f"{block.features[name]:.4g}" if name in block.features else "not known"
        mark = f"{moved.get(name, 0.0):+.2f}" if moved else "✗ failed" if name in failed else "✓"
        cells = [
            builder.TH(_shown(name).replace("_", " "), scope="row"),
            builder.TD(value, {"class": "value"}),
            builder.TD(mark),
        ]
        rows.append(builder.TR(*cells, **({"class": "failed"} if name in failed else {})))
    label = f"{len(names)} features" + (f", {len(failed)} failed" if failed else "")
    if moved:
        label = f"The {len(names)} features of {len(block.features)} that moved the score most"
    return builder.E.details(
        builder.SUMMARY(label if names else "Place in the page"),
        *([builder.TABLE(*rows)] if rows else []),
        builder.DIV("At ", builder.CODE(_shown(block.xpath))),
    )
