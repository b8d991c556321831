"""Texts of models and peers apart from their choice of blocks: paragraphs, words, edges, structure in Markdown."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from importlib import import_module
from importlib.util import find_spec
from operator import add
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks.text_scores import STRUCTURES, Edges, edges_of, structure_scores
from blockfeat import __version__
from blockfeat._pool import in_order
from blockfeat.data.corpus import LabelledPage
from blockfeat.errors import InputError
from blockfeat.extraction.extractor import Extractor
from blockfeat.lang import tokenize
from blockfeat.training.evaluation.metrics import markdown_table, percent, word_scores
from blockfeat.training.evaluation.peers import Peer

Written = tuple[str, str | None]
"""A page's text, and the same in Markdown where the system writes that."""

_DEADLINE = 30.0


@dataclass(frozen=True, slots=True)
class TextScores:
    """What one system's text of one page is worth; ``structure`` is empty where the gold has none."""

    f1: float
    edges: Edges
    structure: Mapping[str, float] = field(default_factory=dict)
    error: str | None = None


@dataclass(frozen=True)
class _Task:
    page: LabelledPage
    structure: Mapping[str, Any] | None


@dataclass(frozen=True)
class _System:
    """A system by name; ``make`` is called once in each process."""

    name: str
    writes_markdown: bool
    make: Callable[[], Callable[[LabelledPage], Written]]


class _Worker:
    """Writes pages with one system and scores them."""

    def __init__(self, system: _System) -> None:
        self.system = system
        self.write: Callable[[LabelledPage], Written] | None = None

    def __call__(self, task: _Task) -> TextScores:
        """Score one page; a system that raises has given an empty text."""
        if self.write is None:
            self.write = self.system.make()
        try:
            text, markdown = self.write(task.page)
        except Exception as error:  # any failure of any system is a result
            return self.failed(task, f"{type(error).__name__}: {error}"[:200])
        gold = task.page.text or ""
        has_structure = task.structure is not None and markdown is not None
        return TextScores(
            word_scores(tokenize(text), tokenize(gold)).f1,
            edges_of(text, gold),
            structure_scores(markdown or "", task.structure or {}) if has_structure else {},
        )

    def failed(self, task: _Task, reason: str) -> TextScores:
        """Score a page on which the system failed: an empty text."""
        has_structure = task.structure is not None and self.system.writes_markdown
        empty = structure_scores("", task.structure or {}) if has_structure else {}
        return TextScores(0.0, edges_of("", task.page.text or ""), empty, reason)


@dataclass(frozen=True)
class TextBench:
    """Scores by system, of the same pages in the same order.

    Attributes
    ----------
    pages : tuple of LabelledPage
        The pages.
    systems : mapping of str to tuple of TextScores
        Models first.
    """

    pages: tuple[LabelledPage, ...]
    systems: Mapping[str, tuple[TextScores, ...]]

    def to_markdown(self) -> str:
        """Return a table of texts, and one of structure where the gold has any."""
        columns = ["system", "pages", "word F1", "paragraphs, F1", "glued / broken, per 10,000 words"]
        columns += ["lines repeated", "first line lost", "last line lost", "failed"]
        parts = [markdown_table(columns, (self._row(name) for name in self.systems))]
        structured = [name for name, scores in self.systems.items() if any(score.structure for score in scores)]
        if structured:
            parts.append(markdown_table(["system", "pages", *STRUCTURES], map(self._structure, structured)))
        return "\n".join(parts)

    def _row(self, name: str) -> list[str]:
        scores = self.systems[name]
        edges = reduce(add, (score.edges for score in scores), Edges())
        per_word = 10_000 / max(edges.words, 1)
        return [
            *(name, str(len(scores)), percent(fmean(score.f1 for score in scores)), percent(edges.boundary_f1)),
            f"{edges.glued * per_word:.2f} / {edges.broken * per_word:.2f}",
            *map(str, (edges.repeated, edges.first_lost, edges.last_lost)),
            str(sum(score.error is not None for score in scores)),
        ]

    def _structure(self, name: str) -> list[str]:
        found = [score.structure for score in self.systems[name] if score.structure]
        columns = ([each[column] for each in found if column in each] for column in STRUCTURES)
        return [name, str(len(found)), *(percent(fmean(column)) if column else "–" for column in columns)]

    def write(self, folder: str | Path) -> tuple[Path, ...]:
        """Write text.md and text-pages.csv into a folder that is there; return their paths."""
        table, rows = Path(folder) / "text.md", Path(folder) / "text-pages.csv"
        table.write_text(self.to_markdown(), encoding="utf-8")
        names = tuple(Edges.__dataclass_fields__)
        with rows.open("w", newline="", encoding="utf-8") as stream:
            writer = csv.writer(stream)
            writer.writerow(["system", "corpus", "id", "f1", *names, *STRUCTURES, "error"])
            for system, scores in self.systems.items():
                for page, score in zip(self.pages, scores, strict=True):
                    counts = [getattr(score.edges, name) for name in names]
                    shares = [score.structure.get(name, "") for name in STRUCTURES]
                    writer.writerow(
                        [system, page.corpus, page.id, f"{score.f1:.4f}", *counts, *shares, score.error or ""]
                    )
        return table, rows


def run_text_bench(
    models: Sequence[Extractor],
    peers: Iterable[Peer],
    pages: Iterable[LabelledPage],
    structure: Mapping[str, Mapping[str, Any]],
    *,
    jobs: int = 1,
    on_page: Callable[[str, int, int], None] | None = None,
) -> TextBench:
    """Score the texts of models and peers on pages with gold texts.

    Parameters
    ----------
    models, peers : iterables
        What is compared; of peers that write no Markdown the text alone.
    pages : iterable of LabelledPage
        Those without a gold text, or with an empty one, are left out.
    structure : mapping
        Structure of pages by their ids, of `benchmarks.text_scores.structure_gold`.
    jobs : int
        Number of processes.
    on_page : callable, optional
        Called with the system, the number of its pages done, and the number of all pages.

    Raises
    ------
    InputError
        No page has a gold text.
    """
    tasks = [_Task(page, structure.get(page.id)) for page in pages if page.text]
    if not tasks:
        raise InputError("no page has a gold text: texts cannot be compared")
    found = {}
    for system in (*map(_model, models), *map(_peer, peers)):
        worker, done = _Worker(system), list[TextScores]()
        for _, scores in in_order(worker, tasks, jobs=jobs, failure=worker.failed, deadline=_DEADLINE):
            done.append(scores)
            if on_page is not None:
                on_page(system.name, len(done), len(tasks))
        found[system.name] = tuple(done)
    return TextBench(tuple(task.page for task in tasks), found)


@dataclass(frozen=True)
class _Model:
    extractor: Extractor

    def __call__(self) -> Callable[[LabelledPage], Written]:
        return self.written

    def written(self, page: LabelledPage) -> Written:
        extraction = self.extractor.extract(page.html, url=page.url)
        return extraction.text, extraction.to_markdown()


@dataclass(frozen=True)
class _Peer:
    peer: Peer

    def __call__(self) -> Callable[[LabelledPage], Written]:
        extract = self.peer.load()
        make = _markdown_of(self.peer)
        markdown = make() if make is not None else None

        def written(page: LabelledPage) -> Written:
            return extract(page.html, page.lang, page.url), markdown(page.html) if markdown else None

        return written


def _model(extractor: Extractor) -> _System:
    return _System(f"blockfeat {extractor.model.name} {__version__}", True, _Model(extractor))


def _peer(peer: Peer) -> _System:
    return _System(f"{peer.name} {peer.version}", _markdown_of(peer) is not None, _Peer(peer))


def _trafilatura() -> Callable[[str], str]:
    extract = import_module("trafilatura").extract
    options = {"output_format": "markdown", "include_tables": True, "include_formatting": True}
    return lambda html: extract(html, include_comments=False, **options) or ""


def _resiliparse() -> Callable[[str], str]:
    """Its markup to Markdown by markdownify."""
    plain_text, to_markdown = import_module("resiliparse.extract.html2text").extract_plain_text, _markdownify()
    options = {"main_content": True, "alt_texts": False, "links": False, "form_fields": False, "comments": False}
    return lambda html: to_markdown(plain_text(html, preserve_formatting="minimal_html", noscript=False, **options))


def _readability() -> Callable[[str], str]:
    """Its markup to Markdown by markdownify."""
    document, to_markdown = import_module("readability").Document, _markdownify()
    return lambda html: to_markdown(document(html).summary())


def _markdownify() -> Callable[[str], str]:
    markdownify = import_module("markdownify").markdownify
    return lambda markup: str(markdownify(markup, heading_style="ATX"))


_MARKDOWN: dict[str, Callable[[], Callable[[str], str]]] = {
    "readability-lxml": _readability,
    "resiliparse": _resiliparse,
    "trafilatura": _trafilatura,
}


def _has_markdownify() -> bool:
    return find_spec("markdownify") is not None


def _markdown_of(peer: Peer) -> Callable[[], Callable[[str], str]] | None:
    """Return what makes a peer's Markdown; None for one that writes none, or needs markdownify, which is absent."""
    is_made = peer.name == "trafilatura" or _has_markdownify()
    return _MARKDOWN.get(peer.name) if is_made else None
