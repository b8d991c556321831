"""Results of a benchmark: scores of systems by corpus, comparisons with the peers, tables, a plot."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from blockfeat._files import writing
from blockfeat.errors import InputError
from blockfeat.training.evaluation.evaluate import Evaluation, PageScore
from blockfeat.training.evaluation.metrics import Difference, markdown_table, paired_difference, percent
from blockfeat.training.evaluation.report import new_figure

if TYPE_CHECKING:
    import pandas


_MEGABYTE = 1024 * 1024
_COLUMNS = {
    "pages": "pages",
    "f1": "F1",
    "precision": "P",
    "recall": "R",
    "cosine": "cosine × δ",
    "text_only": "text only",
    "shingles": "4-gram F1",
    "snippet_f1": "snippet F1",
    "milliseconds": "ms a page",
    "memory": "peak, MB",
    "failed": "failed",
}


_DIFFERENCE = ("difference", "difference_low", "difference_high", "p")


@dataclass(frozen=True, slots=True)
class BenchPage:
    """The result of one system on one page.

    Attributes
    ----------
    score : PageScore
        Word and snippet scores; its ``error`` is why there is no text.
    text_only : float or None
        CleanEval's score without markup; None without a gold text.
    shingles : float or None
        F1 of runs of four words; None without a gold text.
    seconds : float
        Process time; NaN where the process was ended.
    memory : int or None
        Peak of resident bytes above what the process had before it loaded the system; None where not known.
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
    kind: str
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
            "text_only": _mean(page.text_only for page in pages),
            "shingles": _mean(page.shingles for page in pages),
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

    @property
    def first(self) -> SystemScores:
        """The system that the others are compared with: the first."""
        return self.systems[0]

    def difference(self, name: str, corpus: str | None = None, *, samples: int = 1000) -> Difference | None:
        """Return word F1 of the first system minus that of another on the same pages, by paired bootstrap.

        None where no page has a gold text. Errors: `InputError` if there is no such system.
        """
        other = next((system for system in self.systems if system.name == name), None)
        if other is None:
            raise InputError(f"no system {name!r} was run: there are {', '.join(s.name for s in self.systems)}")
        pairs = [
            (ours.score.f1, theirs.score.f1)
            for ours, theirs in zip(self.first.of(corpus), other.of(corpus), strict=True)
            if ours.score.f1 is not None and theirs.score.f1 is not None
        ]
        if not pairs:
            return None
        return paired_difference([ours for ours, _ in pairs], [theirs for _, theirs in pairs], samples=samples)

    def to_frame(self) -> pandas.DataFrame:
        """Return one row for each system and corpus, and each system over ``"all"``, with the differences in F1."""
        import pandas

        rows = []
        for corpus in (*self.corpora, None):
            for system in self.systems:
                found = self.difference(system.name, corpus) if system is not self.first else None
                rows.append(
                    {"corpus": corpus or "all", "system": system.name, "version": system.version}
                    | system.summary(corpus)
                    | dict(zip(_DIFFERENCE, found or [math.nan] * len(_DIFFERENCE), strict=True))
                )
        return pandas.DataFrame(rows)

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
        notes = [f"Scores × 100. Differences: F1 of {self.first.name} minus that of the row, with 95 % interval and p"]
        notes[0] += " (paired bootstrap). Process time a page; peak of memory above the empty process, worst page."
        if self.missing:
            notes.append(f"Not installed and left out: {', '.join(self.missing)}.")
        return "\n".join([part.rstrip("\n") + "\n" for part in parts] + notes) + "\n"

    def _overview(self) -> str:
        """Word F1 by corpus and its mean over corpora; corpora without gold texts are left out."""
        corpora = [corpus for corpus in self.corpora if not math.isnan(self.first.summary(corpus)["f1"])]
        rows = []
        for system in self.systems:
            means = [system.summary(corpus)["f1"] for corpus in corpora]
            rows.append([system.name, *map(percent, means), percent(_mean(means))])
        return markdown_table(["system", *corpora, "mean of corpora"], rows)

    def _table(self, corpus: str | None) -> str:
        summaries = [system.summary(corpus) for system in self.systems]
        shown = [key for key in _COLUMNS if any(not math.isnan(summary[key]) for summary in summaries)]
        columns = ["system", "version", *(_COLUMNS[key] for key in shown)]
        with_text = "f1" in shown
        rows = []
        for system, summary in zip(self.systems, summaries, strict=True):
            cells = [system.name, system.version, *(_cell(key, summary[key]) for key in shown)]
            rows.append(cells + ([_difference(self, system, corpus)] if with_text else []))
        return markdown_table([*columns, *(["difference in F1"] if with_text else [])], rows)

    def plot(self, path: str | Path) -> None:
        """Draw word F1 (mean over all pages; snippet F1 where no page has a gold text) against pages a second.

        Pages a second are those of one process, on a logarithmic axis. To a PNG, SVG or PDF file.
        """
        figure = new_figure(8, 5)
        axes = figure.add_subplot()
        summaries = [system.summary() for system in self.systems]
        key = "snippet_f1" if all(math.isnan(summary["f1"]) for summary in summaries) else "f1"
        counted = [
            page.score.snippets is not None if key == "snippet_f1" else page.score.has_text for page in self.first.pages
        ]
        for system, summary in zip(self.systems, summaries, strict=True):
            if summary["milliseconds"] > 0 and not math.isnan(summary[key]):
                place = (1000 / summary["milliseconds"], 100 * summary[key])
                axes.plot(*place, "o", color="tab:red" if system.kind == "blockfeat" else "tab:blue")
                axes.annotate(system.name, place, xytext=(5, 5), textcoords="offset points", fontsize="small")
        axes.set_xscale("log")
        axes.margins(x=0.15, y=0.1)
        axes.grid(alpha=0.3)
        axes.set_xlabel("pages a second (process time)")
        axes.set_ylabel(f"{'word' if key == 'f1' else 'snippet'} F1 × 100, over {sum(counted)} pages")
        figure.savefig(path)

    def write(self, folder: str | Path) -> tuple[Path, ...]:
        """Write bench.md, bench.csv, bench-pages.csv and bench.png into a folder; return their paths.

        Raises
        ------
        OutputError
            The folder cannot be written.
        """
        target = Path(folder)
        paths = tuple(target / name for name in ("bench.md", "bench.csv", "bench-pages.csv", "bench.png"))
        with writing(target):
            target.mkdir(parents=True, exist_ok=True)
            paths[0].write_text(self.to_markdown(), encoding="utf-8")
            self.to_frame().to_csv(paths[1], index=False)
            self.pages_frame().to_csv(paths[2], index=False)
            self.plot(paths[3])
        return paths


def _difference(result: BenchResult, system: SystemScores, corpus: str | None) -> str:
    found = result.difference(system.name, corpus) if system is not result.first else None
    if found is None:
        return ""
    return f"{100 * found.mean:+.1f} [{100 * found.low:+.1f}, {100 * found.high:+.1f}], p {found.p:.3f}"


def _mean(values: Iterable[float | None]) -> float:
    found: Sequence[float] = [value for value in values if value is not None and not math.isnan(value)]
    return math.fsum(found) / len(found) if found else math.nan


def _cell(key: str, value: float) -> str:
    if key in ("pages", "failed"):
        return str(int(value))
    if key in ("milliseconds", "memory"):
        return "" if math.isnan(value) else f"{value:.3g}" if value < 100 else f"{value:.0f}"
    return percent(value)
