"""The row of VIPS beside the other systems, on the same pages, by word F1."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from statistics import fmean

from blockfeat import Extractor
from blockfeat.data.corpus import LabelledPage
from blockfeat.models.store import bundled_models
from blockfeat.training.evaluation.metrics import markdown_table, paired_difference, word_scores
from blockfeat.training.evaluation.peers import installed_peers
from experiments.corpora import CLEANEVAL, HEADLINE_IN_GOLD
from experiments.vips.choice import HEURISTICS, Candidates, oracle
from experiments.vips.layout import RenderedPage
from experiments.vips.rendered_features import RenderedBlocks
from experiments.vips.structure import segment
from experiments.vips.study import Line, Study

__all__ = ["GRANULARITY", "ORACLE", "granularity_section", "systems_section"]

GRANULARITY = 8
"""The granularity of the paper's tables."""
ORACLE = "VIPS (oracle's best block)"
_GRANULARITIES = (5, 6, 7, 8, 9, 10)
_FILE = "systems.jsonl"
_WITH_HEADLINE = "default, with the headline where the gold has it"
_SEEN = "default, hidden blocks dropped"
_SMALL = 20  # pages of a corpus below which it has no column
_logger = logging.getLogger(__name__)
Extract = Callable[[LabelledPage], str]


def _extractors() -> dict[str, Extract]:
    """Return all systems that need no rendering, by name."""
    found: dict[str, Extract] = {}
    for name in bundled_models():
        found[name] = _of_extractor(Extractor.load(name))
    plain = Extractor.load("default")
    headline = plain.with_options(headline=True)
    found[_WITH_HEADLINE] = lambda page: (
        (headline if page.corpus in HEADLINE_IN_GOLD else plain).extract(page.html, url=page.url).text
    )
    for peer in installed_peers():
        extract = peer.load()
        found[peer.name] = lambda page, extract=extract: extract(page.html, page.lang, page.url)  # type: ignore[misc]
    return found


def _of_extractor(extractor: Extractor) -> Extract:
    return lambda page: extractor.extract(page.html, url=page.url).text


def seen_text(extractor: Extractor, page: LabelledPage, rendering: RenderedPage) -> str:
    """Return what an extractor keeps and a rendering shows; all that it keeps where nothing of it is shown."""
    extraction = extractor.extract(page.html, url=page.url)
    seen = RenderedBlocks.of([block.text for block in extraction.blocks], rendering).seen()
    texts = [block.text for block, is_seen in zip(extraction.blocks, seen, strict=True) if block.kept and is_seen]
    return "\n\n".join(texts) or extraction.text


def _vips_scores(page: LabelledPage, rendering: RenderedPage, granularity: int) -> dict[str, float]:
    """Return the number of blocks, and the scores of the oracle and of the heuristics, by name."""
    gold = page.text or ""
    candidates = Candidates.of(rendering, segment(rendering, granularity=granularity))
    best = oracle(candidates, gold).scores
    found = {"blocks": len(candidates.blocks), "precision": best.precision, "recall": best.recall, ORACLE: best.f1}
    for name, choose in HEURISTICS.items():
        place = choose(candidates)
        found[name] = word_scores(candidates.words[place], gold).f1 if place is not None else 0.0
    return found


def _measured(study: Study) -> list[Line]:
    """Return the scores of the rendered pages; those that are not kept yet are computed."""
    wanted = {(page.corpus, page.id) for page, _ in study.tabled}
    done = {(line["corpus"], line["id"]) for line in study.scores(_FILE)}
    missing = [(page, rendering) for page, rendering in study.tabled if (page.corpus, page.id) not in done]
    if missing:
        study.keep_scores(_FILE, _lines(missing))
    return [line for line in study.scores(_FILE) if (line["corpus"], line["id"]) in wanted]


def _lines(pages: Sequence[tuple[LabelledPage, RenderedPage]]) -> Iterator[Line]:
    extractors = _extractors()
    plain = Extractor.load("default")
    for number, (page, rendering) in enumerate(pages, start=1):
        vips = {str(step): _vips_scores(page, rendering, step) for step in _GRANULARITIES}
        scores = {_SEEN: word_scores(seen_text(plain, page, rendering), page.text or "").f1}
        scores |= {name: vips[str(GRANULARITY)][name] for name in (ORACLE, *HEURISTICS)}
        for name, extract in extractors.items():
            try:
                text = extract(page)
            except Exception as error:  # a system that fails on a page has no text for it
                _logger.info("%s on %s: %s", name, page.id, error)
                text = ""
            scores[name] = word_scores(text, page.text or "").f1
        yield {"corpus": page.corpus, "id": page.id, "scores": scores, "vips": vips}
        if number % 20 == 0:
            _logger.info("%d of %d pages scored", number, len(pages))


def systems_section(study: Study) -> str:
    """Return the table of the systems: mean F1 by corpus and over all pages, and the difference to the oracle."""
    lines = _measured(study)
    groups: dict[str, list[Line]] = defaultdict(list)
    for line in lines:
        groups["cleaneval" if line["corpus"] in CLEANEVAL else line["corpus"]].append(line)
    columns = {name: found for name, found in groups.items() if len(found) >= _SMALL}
    ranked = sorted(lines[0]["scores"], key=lambda name: -_mean(lines, name))
    rows = [
        [
            f"VIPS, {name}" if name in HEURISTICS else name,
            *(f"{_mean(found, name):.3f}" for found in columns.values()),
            f"{_mean(lines, name):.3f}",
            "" if name == ORACLE else _difference(lines, name),
        ]
        for name in ranked
    ]
    heads = ("system", *(f"{name} ({len(found)})" for name, found in columns.items()), f"all ({len(lines)})")
    return markdown_table((*heads, "less VIPS's oracle, 95 % interval"), rows)


def _mean(lines: Sequence[Line], name: str) -> float:
    return fmean(line["scores"][name] for line in lines)


def _difference(lines: Sequence[Line], name: str) -> str:
    values = ([line["scores"][one] for line in lines] for one in (name, ORACLE))
    found = paired_difference(*values)
    return f"{found.mean:+.3f} ({found.low:+.3f} to {found.high:+.3f})"


def granularity_section(study: Study) -> str:
    """Return the scores of VIPS by granularity, with the mean number of blocks that there are to choose from."""
    lines = _measured(study)
    rows = []
    for granularity in _GRANULARITIES:
        found = [line["vips"][str(granularity)] for line in lines]
        scores = (fmean(one[name] for one in found) for name in ("precision", "recall", ORACLE, *HEURISTICS))
        blocks = fmean(one["blocks"] for one in found)
        rows.append([str(granularity), f"{blocks:.0f}", *(f"{score:.3f}" for score in scores)])
    columns = ("granularity", "blocks", "oracle: precision", "recall", "F1", *(f"F1, {name}" for name in HEURISTICS))
    return markdown_table(columns, rows)
