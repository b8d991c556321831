"""The demonstration behind ``make demo``: train on the bundled pages, extract one, show the effect."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from textwrap import shorten

from blockfeat.data.corpus import demo_pages
from blockfeat.evaluation.training_report import write_training_report
from blockfeat.extraction.extractor import Extractor
from blockfeat.models.store import save_model
from blockfeat.output import explanation_page, to_markdown
from blockfeat.training.train import TrainingOptions, train
from blockfeat.training.trainer import TrainedModel

__all__ = ["run_demo"]

_LAYOUT = 78


def run_demo(folder: Path, *, jobs: int = 1) -> Iterator[str]:
    """Train, extract and compare on the bundled demo pages; yield what there is to say, line by line.

    Writes the model, the training curves and an explained page into ``folder``.
    """
    pages = demo_pages()
    languages = sorted({page.lang or "?" for page in pages})
    yield f"{len(pages)} bundled pages in {len(languages)} languages ({', '.join(languages)})"
    model = train(pages, seed=1, options=TrainingOptions(jobs=jobs, name="demo"))
    folder.mkdir(parents=True, exist_ok=True)
    save_model(model, folder / "demo-model.json")
    yield from _scores(model)
    yield f"written: {folder / 'demo-model.json'}"
    if model.report is not None:
        for path in write_training_report(folder, history=model.report.history, curves=model.report.curves):
            yield f"written: {path}"
    page = next(page for page in pages if page.lang == "en" and page.absent)
    extractor = Extractor.of(model)
    extraction = extractor.extract(page.html, url=page.url, id=page.id)
    explained = folder / "explained.html"
    explained.write_text(explanation_page(extraction), encoding="utf-8")
    yield f"written: {explained} (open it in a browser)"
    kept = sum(block.kept for block in extraction.blocks)
    yield ""
    yield f"{page.url}: {kept} of {len(extraction.blocks)} blocks kept, language {extraction.lang}"
    yield "-" * _LAYOUT
    yield to_markdown(extraction)
    yield "-" * _LAYOUT
    yield "dropped, for instance:"
    dropped = [block for block in extraction.blocks if not block.kept and block.words > 4][:6]
    for block in dropped:
        yield f"  {shorten(block.text, 48, placeholder=' …')!r}: {shorten(block.reason, 110, placeholder=' …')}"


def _scores(model: TrainedModel) -> Iterator[str]:
    """Compare all blocks, the best single feature and all eight, on training and test pages."""
    report = model.report
    if report is None:
        return
    best = max(report.curves, key=lambda curve: float(curve.fitness.max()))
    yield ""
    yield f"cosine × length ratio on {report.training_pages} training pages:"
    yield f"  all blocks kept (PR)           {report.keep_all:.3f}"
    yield f"  eight features, swarm (FE)     {report.fitness:.3f}  ({len(report.history)} generations)"
    if report.test is not None and report.test.text is not None:
        test = report.test.text
        yield f"on {test.pages} test pages of other hosts:"
        yield f"  all text nodes (TB)            {test.all_text:.3f}"
        yield f"  all blocks kept (PR)           {test.all_blocks:.3f}"
        yield f"  best single feature            {float(best.fitness.max()):.3f}  ({best.title})"
        yield f"  eight features, swarm (FE)     {test.extraction:.3f}"
        yield "  (the pages are few and hard on purpose: ads, comments and cookie prose in whole sentences)"
    yield ""
