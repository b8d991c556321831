"""Explanations of an extraction for human readers: a self-contained HTML page, and rows for a table."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape
from importlib.resources import files
from itertools import groupby
from string import Template
from typing import TYPE_CHECKING, Any

from blockfeat.blocks.block import Block
from blockfeat.content.links import clean_characters, fold_white_space, xml_characters
from blockfeat.io.outputs.formats import one_line

if TYPE_CHECKING:
    from blockfeat.extraction.extraction import Extraction

# The page cannot load or run anything, whatever the texts contain.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

_OF_FOUR_BYTES = re.compile("([\U00010000-\U0010ffff])")
_MOST_CONTRIBUTIONS = 12
_BYTES_OF_CARD = 11_000
_OF_A_ROW = ("index", "kept", "role", "score", "words", "kind", "text", "features", "failed", "reason", "xpath")
_SHORTEST_FOLDED, _FIRST_TEXTS, _FIRST_CHARACTERS = 2, 12, 120
_BESIDE = ("headline", "byline", "date")
_QUALITY = ((0.9, "high"), (0.75, "fair"), (0.0, "doubtful"))
_SHOWN_ROLES = ("headline", "lead", "comment", "caption")


def explanation_table(extraction: Extraction) -> list[dict[str, Any]]:
    """Return one row for each block, in page order, for a table on a terminal.

    Returns
    -------
    list of dict
        Keys ``index``, ``kept``, ``role``, ``score``, ``words``, ``kind``, ``text`` (one line, not shortened),
        ``features`` (value by name), ``failed`` (names), ``reason`` and ``xpath``.
    """
    rows = ({name: block[name] for name in _OF_A_ROW} for block in extraction.evidence())
    cleaned = ((row, fold_white_space(clean_characters(row["text"])).strip()) for row in rows)
    return [row | {"text": text, "reason": clean_characters(row["reason"])} for row, text in cleaned]


def explanation_page(extraction: Extraction) -> str:
    """Return a self-contained HTML page that shows for every block whether it is kept, and the reason.

    Blocks are in page order, kept ones green, headline and byline blue, dropped ones red, each with its score, its
    feature values (failed ones marked) and its XPath; runs of dropped blocks are folded. The page needs no script and
    loads nothing; all text of the extraction is escaped.
    """
    extraction.check_memory(_BYTES_OF_CARD, "the explanations of all blocks")
    read = files("blockfeat.io.outputs").joinpath
    before, behind = read("explanation.html").read_text(encoding="utf-8").split("$cards")
    head = Template(before).substitute(
        _facts(extraction, extraction.blocks),
        policy=_POLICY,
        title=_shown(extraction.title) or _shown(extraction.url) or _shown(extraction.id) or "page",
        style=read("explanation.css").read_text(encoding="utf-8"),
        heading=_shown(extraction.title) or "Page without a title",
        address=_shown(extraction.url) or _shown(extraction.id),
    )
    # Joined once, from parts: every further copy of all texts counts in the memory of large pages. So do signs beyond
    # Latin-1, which double it: they stand as references.
    return "".join((head, *_cards(extraction.blocks, extraction.roles), behind))


def _shown(text: str | None) -> str:
    """Return text from the page as one line of escaped HTML."""
    return "".join(_escaped(one_line(text or "")))


def _escaped(text: str) -> Iterator[str]:
    """Yield text as HTML; one character of four bytes would make a string of a large page four times as large."""
    for number, part in enumerate(_OF_FOUR_BYTES.split(text)):
        yield f"&#{ord(part)};" if number % 2 else escape(part)


def _facts(extraction: Extraction, blocks: Sequence[Block]) -> dict[str, str]:
    """Return what the head of the page says beside its title and address."""
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
    listed = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in facts.items() if value)
    told = [f"Error: {extraction.error}"] * bool(extraction.error) + [f"Warning: {one}" for one in extraction.warnings]
    shown = "".join(f'<p class="notice">{_shown(notice)}</p>' for notice in told)
    return {"facts": listed, "notices": shown, "share": f"{share:.0%}", "width": f"{share * 100:.2f}"}


def _quality(confidence: float | None) -> str:
    """Return the expected word F1 with a verdict, such as ``high (F1 of about 0.93)``; empty where it is unknown."""
    if confidence is None:
        return ""
    word = next(word for least, word in _QUALITY if confidence >= least)
    return f"{word} (F1 of about {confidence:.2f})"


def _cards(blocks: Sequence[Block], roles: Sequence[str]) -> Iterator[str]:
    """Yield the HTML cards of all blocks in parts; runs of dropped ones are folded under a summary of their classes."""
    for is_dropped, run in groupby(zip(blocks, roles, strict=True), lambda pair: _look(pair[0]) == "dropped"):
        pairs = list(run)
        is_folded = is_dropped and len(pairs) >= _SHORTEST_FOLDED
        yield _summary([block for block, _ in pairs]) if is_folded else ""
        for block, role in pairs:
            yield from _card(block, role)
        yield "</details>\n" if is_folded else ""


def _summary(blocks: Sequence[Block]) -> str:
    """Return the HTML that begins a run of dropped blocks, folded until it is clicked."""
    parts = ", ".join(f"{part} {count}" for part, count in Counter(block.part for block in blocks).most_common())
    texts = fold_white_space(" · ".join(block.text for block in blocks[:_FIRST_TEXTS])).strip()[:_FIRST_CHARACTERS]
    return f"""<details class="run dropped"><summary><span class="verdict">&#10007; {len(blocks)} blocks dropped</span>\
<span class="chip">{_shown(parts)}</span><span dir="auto">{_shown(texts)}</span></summary>
"""


def _look(block: Block) -> str:
    """Return the CSS class of a block: kept, beside (headline, byline or date) or dropped."""
    return "kept" if block.kept else "beside" if block.part in _BESIDE else "dropped"


def _card(block: Block, role: str) -> Iterator[str]:
    """Yield the HTML card of one block with its role."""
    kind = block.kind.replace("_", " ") + (f" {block.level}" if block.level else "")
    chips = [kind, role] if role in _SHOWN_ROLES and role != kind else [kind]
    reason = f'<p class="reason">{_shown(block.reason)}</p>\n' if block.reason else ""
    yield f"""<section class="block {_look(block)}" id="block-{block.index}">
<div class="line"><span class="verdict">&#{"10003; kept" if block.kept else "10007; dropped"}</span>\
<span>#{block.index}</span>\
{"".join(f'<span class="chip">{_shown(chip)}</span>' for chip in chips)}\
<span>{block.words:,} {"word" if block.words == 1 else "words"}</span>\
<span class="score">score {block.score:+.3f}</span></div>
<div class="words {_shown(block.kind)}" dir="auto">"""
    yield from _escaped(xml_characters(block.text) if block.kind == "preformatted" else one_line(block.text))
    yield f"""</div>
{reason}{_details(block)}
</section>
"""


def _details(block: Block) -> str:
    """Return the fold-out part of a card: feature values and XPath."""
    failed = set(block.failed)
    features, moved = dict(block.features.items()), dict(block.contributions.items())
    names = [*features, *(name for name in block.failed if name not in features)]
    label = f"{len(names)} features" + (f", {len(failed)} failed" if failed else "")
    if moved:
        names = sorted(names, key=lambda name: -abs(moved.get(name, 0.0)))[:_MOST_CONTRIBUTIONS]
        label = f"The {len(names)} features of {len(features)} that moved the score most"
    rows = []
    for name in names:
        value = f"{features[name]:.4g}" if name in features else "not known"
        mark = f"{moved.get(name, 0.0):+.2f}" if moved else "&#10007; failed" if name in failed else "&#10003;"
        opening = '<tr class="failed">' if name in failed else "<tr>"
        header = f'<th scope="row">{_shown(name).replace("_", " ")}</th>'
        rows.append(f'{opening}{header}<td class="value">{value}</td><td>{mark}</td></tr>')
    table = f"<table>{''.join(rows)}</table>" if rows else ""
    place = f"<div>At <code>{_shown(block.xpath)}</code></div>"
    return f"<details><summary>{label if names else 'Place in the page'}</summary>{table}{place}</details>"
