"""How the pages of the corpora render offline: what is missing, and how much of the gold text can be seen."""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean, median

from blockfeat.data.corpus import LabelledPage
from blockfeat.training.evaluation.metrics import markdown_table, word_scores
from experiments.vips.layout import RenderedPage
from experiments.vips.study import Study

__all__ = ["rendering_section", "visible_recall"]

_HALF = 0.5


def visible_recall(page: LabelledPage, rendering: RenderedPage) -> float:
    """Return the share of the gold's words that can be seen in a rendering, 0 to 1."""
    seen = rendering.text(0) if rendering.nodes else ""
    return word_scores(seen, page.text or "").recall


def rendering_section(study: Study) -> str:
    """Return a table of the corpora, and why pages could not be rendered."""
    groups: dict[str, list[tuple[LabelledPage, RenderedPage]]] = defaultdict(list)
    for page in study.pages:
        groups[page.corpus].append((page, study.rendered[page.corpus, page.id]))
    rows = [_row(name, found) for name, found in groups.items()]
    rows.append(_row("all", [pair for found in groups.values() for pair in found]))
    columns = (
        "corpus", "pages", "not rendered", "link style sheets", "have own", "neither", "median height",
        "gold words seen", "pages with less than half of them",
    )  # fmt: skip
    errors = [rendering.error for found in groups.values() for _, rendering in found if rendering.error]
    reasons = ", ".join(sorted({str(error) for error in errors}))
    return markdown_table(columns, rows) + (f"\nNot rendered: {reasons}.\n" if errors else "")


def _row(name: str, pairs: list[tuple[LabelledPage, RenderedPage]]) -> list[str]:
    seen = [(page, rendering) for page, rendering in pairs if rendering.error is None]
    recalls = [visible_recall(page, rendering) for page, rendering in seen]
    return [
        name,
        str(len(pairs)),
        str(len(pairs) - len(seen)),
        str(sum(rendering.linked_styles > 0 for _, rendering in seen)),
        str(sum(rendering.own_styles > 0 for _, rendering in seen)),
        str(sum(not rendering.linked_styles and not rendering.own_styles for _, rendering in seen)),
        f"{median(rendering.height for _, rendering in seen):,.0f}" if seen else "",
        f"{fmean(recalls):.3f}" if recalls else "",
        str(sum(recall < _HALF for recall in recalls)),
    ]
