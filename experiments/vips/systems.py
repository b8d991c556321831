"""The row of VIPS beside the other systems, on the same pages, by word F1."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import fmean

from blockfeat import Extractor
from blockfeat.data.corpus import LabelledPage
from blockfeat.evaluation.bootstrap import paired_difference
from blockfeat.evaluation.markdown_table import markdown_table
from blockfeat.evaluation.metrics import word_scores
from blockfeat.evaluation.peers import installed_peers
from blockfeat.models.store import bundled_models
from experiments.corpora import CLEANEVAL, HEADLINE_IN_GOLD
from experiments.vips.choice import HEURISTICS, Candidates, oracle
from experiments.vips.layout import RenderedPage
from experiments.vips.structure import segment
from experiments.vips.study import Line, Study

__all__ = ["GRANULARITY", "ORACLE", "granularity_section", "systems_section"]

GRANULARITY = 8
"""The granularity of the paper's tables."""
ORACLE = "VIPS (oracle's best block)"
_GRANULARITIES = (5, 6, 7, 8, 9, 10)
_FILE = "systems.jsonl"
_WITH_HEADLINE = "default, with the headline where the gold has it"
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


def _vips_scores(page: LabelledPage, rendering: RenderedPage) -> tuple[dict[str, float], dict[str, int]]:
    """Return F1 of oracle and heuristics by name and granularity, and the number of blocks by granularity."""
    scores: dict[str, float] = {}
    sizes: dict[str, int] = {}
    gold = page.text or ""
    for granularity in _GRANULARITIES:
        candidates = Candidates.of(rendering, segment(rendering, granularity=granularity))
        best = oracle(candidates, gold)
        scores[f"{ORACLE} {granularity}"] = best.scores.f1
        scores[f"precision {granularity}"] = best.scores.precision
        scores[f"recall {granularity}"] = best.scores.recall
        sizes[str(granularity)] = len(candidates.blocks)
        for name, choose in HEURISTICS.items():
            place = choose(candidates)
            scores[f"{name} {granularity}"] = (
                word_scores(candidates.words[place], gold).f1 if place is not None else 0.0
            )
    return scores, sizes


def _measured(study: Study) -> list[Line]:
    """Return the scores of the rendered pages; those that are not kept yet are computed."""
    wanted = {(page.corpus, page.id) for page, _ in study.seen}
    done = {(line["corpus"], line["id"]) for line in study.scores(_FILE)}
    missing = [(page, rendering) for page, rendering in study.seen if (page.corpus, page.id) not in done]
    if missing:
        study.keep_scores(_FILE, _lines(missing))
    return [line for line in study.scores(_FILE) if (line["corpus"], line["id"]) in wanted]


def _lines(pages: Sequence[tuple[LabelledPage, RenderedPage]]) -> Iterator[Line]:
    extractors = _extractors()
    for number, (page, rendering) in enumerate(pages, start=1):
        scores, blocks = _vips_scores(page, rendering)
        for name, extract in extractors.items():
            try:
                text = extract(page)
            except Exception as error:  # a system that fails on a page has no text for it
                _logger.info("%s on %s: %s", name, page.id, error)
                text = ""
            scores[name] = word_scores(text, page.text or "").f1
        yield {"corpus": page.corpus, "id": page.id, "scores": scores, "blocks": blocks}
        if number % 20 == 0:
            _logger.info("%d of %d pages scored", number, len(pages))


def systems_section(study: Study) -> str:
    """Return the table of the systems: mean F1 by corpus and over all pages, and the difference to the oracle."""
    lines = _measured(study)
    groups: dict[str, list[Line]] = defaultdict(list)
    for line in lines:
        groups["cleaneval" if line["corpus"] in CLEANEVAL else line["corpus"]].append(line)
    columns = {name: found for name, found in groups.items() if len(found) >= _SMALL}
    reference = f"{ORACLE} {GRANULARITY}"
    names = [name for name in lines[0]["scores"] if not name[-2:].strip().isdigit()]
    names = [reference, *(f"{name} {GRANULARITY}" for name in HEURISTICS), *names]
    ranked = sorted(names, key=lambda name: -_mean(lines, name))
    rows = [
        [
            _title(name),
            *(f"{_mean(found, name):.3f}" for found in columns.values()),
            f"{_mean(lines, name):.3f}",
            "" if name == reference else _difference(lines, name, reference),
        ]
        for name in ranked
    ]
    heads = ("system", *(f"{name} ({len(found)})" for name, found in columns.items()), f"all ({len(lines)})")
    return markdown_table((*heads, "less VIPS's oracle, 95 % interval"), rows)


def _title(name: str) -> str:
    vips = {f"{ORACLE} {GRANULARITY}": ORACLE} | {f"{one} {GRANULARITY}": f"VIPS, {one}" for one in HEURISTICS}
    return vips.get(name, name)


def _mean(lines: Sequence[Line], name: str) -> float:
    return fmean(line["scores"][name] for line in lines)


def _difference(lines: Sequence[Line], name: str, reference: str) -> str:
    found = paired_difference([line["scores"][name] for line in lines], [line["scores"][reference] for line in lines])
    return f"{found.mean:+.3f} ({found.low:+.3f} to {found.high:+.3f})"


def granularity_section(study: Study) -> str:
    """Return the scores of VIPS by granularity, with the mean number of blocks that there are to choose from."""
    lines = _measured(study)
    rows = []
    for granularity in _GRANULARITIES:
        names: Mapping[str, str] = {name: f"{name} {granularity}" for name in (ORACLE, *HEURISTICS)}
        oracle_scores = [f"{_mean(lines, f'{name} {granularity}'):.3f}" for name in ("precision", "recall")]
        rows.append(
            [
                str(granularity),
                f"{fmean(line['blocks'][str(granularity)] for line in lines):.0f}",
                *oracle_scores,
                *(f"{_mean(lines, name):.3f}" for name in names.values()),
            ]
        )
    columns = ("granularity", "blocks", "oracle: precision", "recall", "F1", *(f"F1, {name}" for name in HEURISTICS))
    return markdown_table(columns, rows)
