"""Benchmark of models and peers on the same pages, each page in a worker process with a deadline."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from blockfeat import __version__
from blockfeat._files import write_text
from blockfeat._pool import in_order
from blockfeat.data.corpus import LabelledPage
from blockfeat.errors import InputError
from blockfeat.extraction.extractor import Extractor
from blockfeat.lang import tokenize
from blockfeat.training.evaluation import metrics
from blockfeat.training.evaluation.evaluate import Evaluation, PageScore, score_page
from blockfeat.training.evaluation.peers import OF_NODE, TO_INSTALL, Peer, missing_peers

if TYPE_CHECKING:
    import pandas

Extract = Callable[[LabelledPage], str]

_WARM_UP = LabelledPage("warm-up", "<html><body><p>A text that loads whatever is loaded lazily.</p></body></html>", "")
_MEGABYTE = 1024 * 1024
_COLUMNS = {
    **{"pages": "pages", "f1": "F1", "precision": "P", "recall": "R", "cosine": "cosine × δ"},
    **{"text_only": "text only", "shingles": "4-gram F1", "snippet_f1": "snippet F1"},
    **{"milliseconds": "ms a page", "memory": "peak, MB", "failed": "failed"},
}
_DIFFERENCE = ("difference", "difference_low", "difference_high", "p")


@dataclass(frozen=True, slots=True)
class BenchPage:
    """The result of one system on one page.

    Attributes
    ----------
    score : PageScore
        Word and snippet scores; its ``error`` is the reason if the extraction failed.
    text_only : float or None
        CleanEval's score without markup; None without a gold text.
    shingles : float or None
        F1 over word 4-grams; None without a gold text.
    seconds : float
        CPU time of the process; NaN if the process was terminated.
    memory : int or None
        Peak resident memory in bytes above that before the system was loaded; None if unknown.
    """

    score: PageScore
    text_only: float | None
    shingles: float | None
    seconds: float
    memory: int | None


@dataclass(frozen=True, slots=True)
class SystemScores:
    """All pages of one system, in the order in which they came."""

    name: str
    version: str
    pages: tuple[BenchPage, ...]

    def of(self, corpus: str | None) -> tuple[BenchPage, ...]:
        """Return the pages of one corpus, or all of them."""
        return tuple(page for page in self.pages if corpus is None or page.score.corpus == corpus)

    def summary(self, corpus: str | None = None) -> dict[str, Any]:
        """Return means over one corpus or all pages; NaN where nothing was measured.

        Keys: pages, f1, precision, recall, cosine, text_only, shingles, snippet_f1 (pooled), milliseconds,
        memory (MB, of the worst page), failed.
        """
        pages = self.of(corpus)
        evaluation = Evaluation(tuple(page.score for page in pages))
        snippets = evaluation.snippets()
        peaks = [page.memory / _MEGABYTE for page in pages if page.memory is not None]
        return {
            "pages": len(pages),
            **{metric: evaluation.mean(metric) for metric in ("f1", "precision", "recall", "cosine")},
            **{metric: _mean(getattr(page, metric) for page in pages) for metric in ("text_only", "shingles")},
            "snippet_f1": snippets.f1 if snippets is not None else math.nan,
            "milliseconds": 1000 * _mean(page.seconds for page in pages),
            "memory": max(peaks, default=math.nan),
            "failed": sum(page.score.error is not None for page in pages),
        }


@dataclass(frozen=True)
class BenchResult:
    """Scores of all systems on the same pages.

    Attributes
    ----------
    systems : tuple of SystemScores
        blockfeat's models first.
    missing : tuple of str
        Packages of peers that are not installed.
    """

    systems: tuple[SystemScores, ...]
    missing: tuple[str, ...] = ()

    @property
    def corpora(self) -> tuple[str, ...]:
        """Names of the corpora, in the order in which they came."""
        return tuple(dict.fromkeys(page.score.corpus for page in self.systems[0].pages))

    def difference(self, name: str, corpus: str | None = None, *, samples: int = 1000) -> metrics.Difference | None:
        """Return mean word F1 of the first system minus that of another on the same pages, by paired bootstrap.

        None where no page has a gold text. Errors: `InputError` if there is no such system.
        """
        other = next((system for system in self.systems if system.name == name), None)
        if other is None:
            raise InputError(f"no system {name!r} was run: there are {', '.join(s.name for s in self.systems)}")
        pairs = [
            (ours.score.f1, theirs.score.f1)
            for ours, theirs in zip(self.systems[0].of(corpus), other.of(corpus), strict=True)
            if ours.score.f1 is not None and theirs.score.f1 is not None
        ]
        return metrics.paired_difference(*map(list, zip(*pairs, strict=True)), samples=samples) if pairs else None

    def rows(self, corpus: str | None) -> list[dict[str, Any]]:
        """Return a row for each system over one corpus, or over ``"all"``: its summary, and the difference in F1."""
        rows = []
        for system in self.systems:
            found = self.difference(system.name, corpus) if system is not self.systems[0] else None
            rows.append(
                {"corpus": corpus or "all", "system": system.name, "version": system.version}
                | system.summary(corpus)
                | dict(zip(_DIFFERENCE, found or [math.nan] * len(_DIFFERENCE), strict=True))
            )
        return rows

    def to_frame(self) -> pandas.DataFrame:
        """Return one row for each system and corpus, and each system over ``"all"``, with the differences in F1."""
        import pandas

        return pandas.DataFrame([row for corpus in (*self.corpora, None) for row in self.rows(corpus)])

    def pages_frame(self) -> pandas.DataFrame:
        """Return one row for each system and page, with all scores, seconds, memory and error."""
        import pandas

        names = ("corpus", "id", "lang", "page_type", "f1", "precision", "recall", "cosine", "error")
        rows = [
            {"system": system.name}
            | {name: getattr(page.score, name) for name in names}
            | {name: getattr(page, name) for name in ("text_only", "shingles", "seconds", "memory")}
            for system in self.systems
            for page in system.pages
        ]
        return pandas.DataFrame(rows)

    def to_markdown(self) -> str:
        """Return word F1 of all systems by corpus, then for each corpus and for all pages a table of all scores."""
        parts = ["## Word F1 by corpus", self._overview()] if len(self.corpora) > 1 else []
        for corpus in self.corpora:
            parts += [f"## {corpus}", self._table(corpus)]
        if len(self.corpora) > 1:
            parts += ["## All pages", self._table(None)]
        first = self.systems[0].name
        notes = [f"Scores × 100. Differences: F1 of {first} minus that of the row, with 95 % interval and p"]
        notes[0] += " (paired bootstrap). Process time a page; peak of memory above the empty process, worst page."
        if self.missing:
            notes.append(f"Not installed and left out: {', '.join(self.missing)} ({TO_INSTALL}).")
        return "\n".join([part.rstrip("\n") + "\n" for part in parts] + notes) + "\n"

    def _overview(self) -> str:
        """Return word F1 by corpus and its mean over corpora; corpora without gold texts are left out."""
        corpora = [corpus for corpus in self.corpora if not math.isnan(self.systems[0].summary(corpus)["f1"])]
        rows = []
        for system in self.systems:
            means = [system.summary(corpus)["f1"] for corpus in corpora]
            rows.append([system.name, *map(metrics.percent, means), metrics.percent(_mean(means))])
        return metrics.markdown_table(["system", *corpora, "mean of corpora"], rows)

    def _table(self, corpus: str | None) -> str:
        rows = self.rows(corpus)
        shown = [key for key in _COLUMNS if any(not math.isnan(row[key]) for row in rows)]
        columns = ["system", "version", *(_COLUMNS[key] for key in shown)]
        cells = [[row["system"], row["version"], *(_cell(key, row[key]) for key in shown)] for row in rows]
        if "f1" in shown:
            columns.append("difference in F1")
            cells = [[*line, _difference(row)] for line, row in zip(cells, rows, strict=True)]
        return metrics.markdown_table(columns, cells)

    def write(self, folder: str | Path) -> tuple[Path, ...]:
        """Write bench.md, bench.csv and bench-pages.csv into a folder; return their paths.

        Raises
        ------
        OutputError
            The folder cannot be written.
        """
        target = Path(folder)
        paths = tuple(target / name for name in ("bench.md", "bench.csv", "bench-pages.csv"))
        tables = (table.to_csv(index=False) for table in (self.to_frame(), self.pages_frame()))
        for path, text in zip(paths, (self.to_markdown(), *tables), strict=True):
            write_text(path, text)
        return paths


def _difference(row: dict[str, Any]) -> str:
    mean, low, high, p = (row[name] for name in _DIFFERENCE)
    return "" if math.isnan(mean) else f"{100 * mean:+.1f} [{100 * low:+.1f}, {100 * high:+.1f}], p {p:.3f}"


def _mean(values: Iterable[float | None]) -> float:
    found: Sequence[float] = [value for value in values if value is not None and not math.isnan(value)]
    return math.fsum(found) / len(found) if found else math.nan


def _cell(key: str, value: float) -> str:
    if key in ("pages", "failed"):
        return str(int(value))
    if key in ("milliseconds", "memory"):
        return "" if math.isnan(value) else f"{value:.3g}" if value < 100 else f"{value:.0f}"
    return metrics.percent(value)


@dataclass(frozen=True)
class BenchSystem:
    """A system to benchmark: a model or a peer.

    Attributes
    ----------
    name, version : str
        Name and version in the tables.
    load : callable
        Called once in each worker process; returns the function from a page to its text.
    """

    name: str
    version: str
    load: Callable[[], Extract]


def bench_systems(models: Iterable[Extractor], peers: Iterable[Peer]) -> list[BenchSystem]:
    """Return models and peers as systems, models first."""
    found = [BenchSystem(f"blockfeat {model.model.name}", __version__, partial(_load_model, model)) for model in models]
    return found + [BenchSystem(peer.name, peer.version, partial(_load_peer, peer)) for peer in peers]


def _load_model(extractor: Extractor) -> Extract:
    return lambda page: extractor.extract(page.html, url=page.url).text


def _load_peer(peer: Peer) -> Extract:
    extract = peer.load()
    return lambda page: extract(page.html, page.lang, page.url)


class _Worker:
    """Extracts and scores pages with one system; loads it with the first page."""

    def __init__(self, system: BenchSystem) -> None:
        self.system = system
        self.extract: Extract | None = None
        self.before = 0

    def __call__(self, page: LabelledPage) -> BenchPage:
        """Extract and score a page; if the system raises, the text is empty."""
        if self.extract is None:
            self.before = _resident_bytes("VmRSS")
            self.extract = self.system.load()
            self._text(_WARM_UP)
        reset = _reset_peak()
        start = time.process_time()
        text, error = self._text(page)
        seconds = time.process_time() - start
        memory = max(0, _resident_bytes("VmHWM") - self.before) if reset else None
        if self.system.name in OF_NODE:
            seconds, memory = math.nan, None
        return bench_page(text, page, error=error, seconds=seconds, memory=memory)

    def _text(self, page: LabelledPage) -> tuple[str, str | None]:
        assert self.extract is not None
        try:
            return self.extract(page) or "", None
        except Exception as error:  # any failure of any system is a result
            return "", f"{type(error).__name__}: {error}"[:200]

    def failed(self, page: LabelledPage, reason: str) -> BenchPage:
        """Score a page whose worker died or passed the deadline: empty text, no time."""
        return bench_page("", page, error=reason, seconds=math.nan, memory=None)


def bench_page(text: str, page: LabelledPage, *, error: str | None, seconds: float, memory: int | None) -> BenchPage:
    """Score one text on one page by all metrics."""
    score = score_page(text, page, error=error)
    if page.text is None:
        return BenchPage(score, None, None, seconds, memory)
    predicted, gold = tokenize(text), tokenize(page.text)
    shingles = metrics.shingle_scores(predicted, gold).f1
    return BenchPage(score, metrics.text_only_score(predicted, gold), shingles, seconds, memory)


def run_bench(
    systems: Sequence[BenchSystem],
    pages: Iterable[LabelledPage],
    *,
    jobs: int = 1,
    deadline: float | None = 30.0,
    on_page: Callable[[str, int, int], None] | None = None,
) -> BenchResult:
    """Run systems over labelled pages, one system after the other, pages in parallel.

    Parameters
    ----------
    systems : sequence of BenchSystem
        Such as `bench_systems` returns; the others are compared with the first.
    pages : iterable of LabelledPage
        Pages of one or more corpora. Models are not given their language; jusText is, for its stop list.
    jobs : int
        Number of processes.
    deadline : float, optional
        Seconds that one page may take before its process is ended and the page counts as empty.
    on_page : callable, optional
        Called with the system, the number of its pages done, and the number of all pages.

    Returns
    -------
    BenchResult
        Scores, times and memory; a page on which a system failed counts as empty text, and in ``failed``.

    Raises
    ------
    InputError
        There are no pages, no systems, or two of one name.
    """
    found = list(pages)
    names = [system.name for system in systems]
    if not found or not systems:
        raise InputError(f"a benchmark needs {'systems' if found else 'pages'}, and there are none")
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise InputError(f"a benchmark needs systems with names of their own; given more than once: {', '.join(twice)}")
    scored = []
    for system in systems:
        worker = _Worker(system)
        done: list[BenchPage] = []
        for _, result in in_order(worker, found, jobs=jobs, failure=worker.failed, deadline=deadline):
            done.append(result)
            if on_page is not None:
                on_page(system.name, len(done), len(found))
        scored.append(SystemScores(system.name, system.version, tuple(done)))
    return BenchResult(tuple(scored), missing_peers())


def _reset_peak() -> bool:
    """Reset the peak of resident memory; return False where the system cannot do that."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
        return True
    return False


def _resident_bytes(name: str) -> int:
    """Return the resident memory of this process: ``VmRSS`` the current, ``VmHWM`` its peak since the last reset."""
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1]) * 1024
    return 0
