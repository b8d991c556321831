"""The evidence of an extraction for people: an HTML page with its style, and rows for a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from blockfeat.blocks.block import Block
from blockfeat.content.links import clean_characters, fold_white_space, xml_characters

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from blockfeat.extraction.extraction import Extraction

STYLE = """
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #ffffff; --ink: #1b2430; --faint: #5d6876; --line: #dde2e8;
  --kept: #1a7f4b; --kept-tint: #eaf7f0; --dropped: #a8483f; --dropped-tint: #f4efee; --chip: #eceff3;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #12161b; --card: #1a2027; --ink: #e4e9ef; --faint: #98a4b2; --line: #2d3640;
    --kept: #4cc38a; --kept-tint: #14291f; --dropped: #e5847a; --dropped-tint: #231c1d; --chip: #262e37;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--page); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
header, main, footer { max-width: 60rem; margin: 0 auto; padding: 0 1rem; }
header { padding-top: 1.75rem; }
h1 { margin: 0 0 .25rem; font-size: 1.5rem; line-height: 1.25; overflow-wrap: anywhere; }
.address { margin: 0 0 1rem; color: var(--faint); font-size: .9rem; overflow-wrap: anywhere; }
dl.facts { display: flex; flex-wrap: wrap; gap: .5rem; margin: 0 0 1rem; }
dl.facts div {
  background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .35rem .75rem;
}
dl.facts dt { color: var(--faint); font-size: .75rem; }
dl.facts dd { margin: 0; font-weight: 600; overflow-wrap: anywhere; }
.share { display: flex; height: .5rem; border-radius: .25rem; overflow: hidden; background: var(--dropped); }
.share span { background: var(--kept); }
.legend { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: .6rem 0 1rem; padding: 0;
  list-style: none; color: var(--faint); font-size: .85rem; }
.swatch { display: inline-block; width: .8rem; height: .8rem; margin-right: .4rem; border-radius: .2rem;
  vertical-align: -.05rem; }
.swatch.kept { background: var(--kept); }
.swatch.dropped { background: var(--dropped); }
.notice { border: 1px solid var(--dropped); border-radius: .5rem; padding: .5rem .75rem; margin: 0 0 1rem;
  background: var(--dropped-tint); overflow-wrap: anywhere; }
.filter { position: sticky; top: 0; z-index: 1; background: var(--page); padding: .5rem 0;
  margin-bottom: .25rem; }
.filter label { display: inline-block; padding: .25rem .75rem; margin-right: .25rem;
  border: 1px solid var(--line); border-radius: 1rem; background: var(--card);
  font-size: .85rem; cursor: pointer; }
.choice { position: absolute; opacity: 0; }
#show-all:checked ~ .filter [for=show-all], #show-kept:checked ~ .filter [for=show-kept],
#show-dropped:checked ~ .filter [for=show-dropped] {
  background: var(--ink); color: var(--page); border-color: var(--ink);
}
#show-all:focus-visible ~ .filter [for=show-all], #show-kept:focus-visible ~ .filter [for=show-kept],
#show-dropped:focus-visible ~ .filter [for=show-dropped] {
  outline: 2px solid var(--kept); outline-offset: 2px;
}
#show-kept:checked ~ .block.dropped, #show-dropped:checked ~ .block.kept { display: none; }
.block {
  border: 1px solid var(--line); border-left: .3rem solid var(--dropped); border-radius: .5rem;
  background: var(--dropped-tint); padding: .6rem .9rem; margin: 0 0 .6rem; content-visibility: auto;
  contain-intrinsic-size: auto 6rem;
}
.block.kept { border-left-color: var(--kept); background: var(--kept-tint); }
.line { display: flex; flex-wrap: wrap; align-items: baseline; gap: .15rem .6rem; font-size: .8rem;
  color: var(--faint); }
.verdict { font-weight: 700; }
.kept .verdict { color: var(--kept); }
.dropped .verdict { color: var(--dropped); }
.chip { background: var(--chip); border-radius: .3rem; padding: 0 .4rem; }
.score { margin-left: auto; font-variant-numeric: tabular-nums; }
.words { margin: .3rem 0; overflow-wrap: anywhere; }
.dropped .words { color: var(--faint); }
.words.heading { font-weight: 700; font-size: 1.1rem; }
.words.preformatted { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: .85rem;
  white-space: pre-wrap; }
.words.list_item::before { content: "\\2022\\00a0"; }
.words.quote { border-left: 2px solid var(--line); padding-left: .75rem; font-style: italic; }
.reason { margin: 0; font-size: .85rem; }
details { font-size: .85rem; margin-top: .3rem; }
summary { cursor: pointer; color: var(--faint); }
table { border-collapse: collapse; width: 100%; margin: .4rem 0; }
th, td { text-align: left; font-weight: 400; padding: .15rem .5rem .15rem 0;
  border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
td.value { text-align: right; font-variant-numeric: tabular-nums; }
tr.failed th, tr.failed td { color: var(--dropped); font-weight: 600; }
code { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: .8rem; overflow-wrap: anywhere; }
footer { color: var(--faint); font-size: .8rem; padding-top: 1rem; padding-bottom: 2rem; }
@media print { .filter, .choice { display: none; } .block { break-inside: avoid; } }
"""


# The page cannot load or run anything, whatever the texts contain.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

_MOST_CONTRIBUTIONS = 12
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

    Blocks are in page order, kept ones green, dropped ones red and grey, each with its score, its feature
    values (failed ones marked) and its XPath. The page needs no script and loads nothing; all text of the
    extraction is escaped.
    """
    from lxml.html import builder, tostring

    blocks = extraction.blocks
    document = builder.HTML(
        _head(extraction),
        builder.BODY(
            _header(extraction, blocks),
            builder.E.main(*_choices(blocks), *map(_block, blocks, extraction.roles)),
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
        builder.STYLE(STYLE),
    )


def _header(extraction: Extraction, blocks: Sequence[Block]) -> HtmlElement:
    """Build the top of the page: title, address, facts, share of kept words, legend, notices."""
    from lxml.html import builder

    kept = sum(block.kept for block in blocks)
    words = sum(block.words for block in blocks)
    kept_words = sum(block.words for block in blocks if block.kept)
    share = kept_words / words if words else 0.0
    facts = {
        "Blocks kept": f"{kept:,} of {len(blocks):,}",
        "Words kept": f"{kept_words:,} of {words:,} ({share:.0%})",
        "Language": _shown(extraction.lang) or "unknown",
        "Model": _shown(extraction.model) or "unknown",
        "Encoding": _shown(extraction.encoding),
        "Status": _shown(extraction.status),
        "Kind of page": _shown(extraction.kind),
        "Confidence": "" if extraction.confidence is None else f"F1 of about {extraction.confidence:.2f}",
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
        builder.LI(swatch("dropped"), "dropped: navigation, advertising or other clutter"),
        builder.LI("✗ value beyond the model's threshold; +1.23 how far a feature moved the score"),
    )


def _choices(blocks: Sequence[Block]) -> list[HtmlElement]:
    """Build the switch between all, kept and dropped blocks, which works by style alone."""
    from lxml.html import builder

    kept = sum(block.kept for block in blocks)
    names = {"all": len(blocks), "kept": kept, "dropped": len(blocks) - kept}
    inputs = [
        builder.INPUT(
            {"class": "choice", "type": "radio", "name": "show", "id": f"show-{name}"},
            **({"checked": "checked"} if name == "all" else {}),
        )
        for name in names
    ]
    labels = [
        builder.LABEL(f"{name.capitalize()} ({count:,})", {"for": f"show-{name}"}) for name, count in names.items()
    ]
    return [*inputs, builder.DIV(builder.CLASS("filter"), *labels)]


def _block(block: Block, role: str) -> HtmlElement:
    """Build the card of one block that plays a role."""
    from lxml.html import builder

    verdict = "kept" if block.kept else "dropped"
    kind = block.kind.replace("_", " ") + (f" {block.level}" if block.level else "")
    text = xml_characters(block.text) if block.kind == "preformatted" else _shown(block.text)
    card = builder.E.section(
        builder.CLASS(f"block {verdict}"),
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
