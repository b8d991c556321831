"""Process time a page beside word F1: bare lxml, blockfeat's models and the peers, side by side on the same pages.

All get the same page: lxml and blockfeat its UTF-8 bytes, the peers its text; making the one or the other is not
counted. Python keeps the UTF-8 of a string once it was asked for, so each call gets a new string. The time in which
blockfeat finds the encoding of the bytes is counted, and so is that in which a result is released. Where the pages have
gold texts, each system's text of each page is scored too, in a call that is not timed.
"""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from blockfeat import __version__
from blockfeat.data.corpus import LabelledPage
from blockfeat.errors import InputError
from blockfeat.extraction.extractor import Extractor
from blockfeat.lang import tokenize
from blockfeat.training.evaluation.metrics import markdown_table, percent, word_scores
from blockfeat.training.evaluation.peers import OF_NODE, Peer
from blockfeat.training.evaluation.report import new_figure

if TYPE_CHECKING:
    import pandas


BARE_PARSE = "lxml parse"
"""Name of the system that only parses."""

REFERENCES = (BARE_PARSE, "resiliparse", "trafilatura")
"""Systems that the others are compared with."""

_CHUNK = 20


@dataclass(frozen=True, slots=True)
class PageInput:
    """A page as UTF-8 bytes and as text, the input of one system or the other."""

    data: bytes
    html: str
    lang: str | None = None
    url: str | None = None

    @classmethod
    def of(cls, page: LabelledPage) -> PageInput:
        """Make the input of a labelled page."""
        return cls.of_text(page.html, page.lang, page.url)

    @classmethod
    def of_text(cls, html: str, lang: str | None = None, url: str | None = None) -> PageInput:
        """Make the input of a text; lone surrogates become question marks."""
        data = html.encode("utf-8", errors="replace")
        return cls(data, data.decode("utf-8"), lang, url)

    def anew(self) -> PageInput:
        """Return the same page with a text that no system has seen."""
        return replace(self, html=self.data.decode("utf-8"))


@dataclass(frozen=True)
class System:
    """Something that is timed.

    Attributes
    ----------
    name, version : str
        What the tables call it.
    kind : str
        ``"parse"``, ``"blockfeat"`` or ``"peer"``.
    run : callable
        Takes a page; what it returns is dropped.
    text : callable, optional
        Takes a page and returns its text, which is scored; None for what gives none.
    """

    name: str
    version: str
    kind: str
    run: Callable[[PageInput], object]
    text: Callable[[PageInput], str] | None = None


@dataclass(frozen=True, slots=True)
class PageTimes:
    """Best process time of each system on one page, in seconds, and word F1; NaN where there is none.

    A system that fails on a page has no time there, and an F1 of 0.
    """

    corpus: str
    id: str
    size: int
    seconds: tuple[float, ...]
    f1: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class SpeedResult:
    """Process times of systems on pages.

    Attributes
    ----------
    systems : tuple of System
        In the order of the times.
    pages : tuple of PageTimes
        In the order in which the pages came.
    passes : int
        Number of passes; the best one counts.
    every : float array, passes × pages × systems, optional
        The times of each pass, for the spread of the ratios.
    """

    systems: tuple[System, ...]
    pages: tuple[PageTimes, ...]
    passes: int
    every: NDArray[np.float64] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the systems."""
        return tuple(system.name for system in self.systems)

    @property
    def corpora(self) -> tuple[str, ...]:
        """Names of the corpora, in the order in which they came."""
        return tuple(dict.fromkeys(page.corpus for page in self.pages))

    def mean(self, name: str, corpus: str | None = None) -> float:
        """Return the mean seconds a page of a system, over one corpus or all pages that it was measured on."""
        return _mean([first for first, _ in self._pairs(name, name, corpus)])

    def ratio(self, name: str, reference: str, corpus: str | None = None) -> float:
        """Return mean time over mean time of a reference, over the pages that both were measured on."""
        pairs = self._pairs(name, reference, corpus)
        below = _mean([second for _, second in pairs])
        return _mean([first for first, _ in pairs]) / below if below else math.nan

    def f1(self, name: str, corpus: str | None = None) -> float:
        """Return the mean word F1 of a system over the pages with gold texts; NaN for one that gives no text."""
        place = self._place(name)
        found = [page.f1[place] for page in self.pages if corpus is None or page.corpus == corpus]
        return _mean([value for value in found if not math.isnan(value)])

    def is_unbeaten(self, name: str) -> bool:
        """Return whether no other system is at least as fast and as accurate, and better in one of both.

        The unbeaten ones are the Pareto front: each the fastest at its accuracy, the last the most accurate at any
        speed. A system whose texts are not scored is none of them.
        """
        return not math.isnan(self.f1(name)) and not any(self._beats(other, name) for other in self.names)

    def _beats(self, other: str, name: str) -> bool:
        ratio, gain = self.ratio(other, name), self.f1(other) - self.f1(name)
        return ratio <= 1 and gain >= 0 and (ratio < 1 or gain > 0)

    def quartiles(self, name: str, reference: str) -> tuple[float, float] | None:
        """Return the first and third quartile of the ratio over the passes; None where they are not known."""
        if self.every is None:
            return None
        first, second = self.every[:, :, self._place(name)], self.every[:, :, self._place(reference)]
        is_common = ~np.isnan(first + second)
        below = np.where(is_common, second, 0).sum(axis=1)
        if not below.all():
            return None
        low, high = np.quantile(np.where(is_common, first, 0).sum(axis=1) / below, (0.25, 0.75)).tolist()
        return low, high

    def _pairs(self, name: str, other: str, corpus: str | None) -> list[tuple[float, float]]:
        first, second = self._place(name), self._place(other)
        found = [
            (page.seconds[first], page.seconds[second])
            for page in self.pages
            if corpus is None or page.corpus == corpus
        ]
        return [pair for pair in found if not math.isnan(pair[0]) and not math.isnan(pair[1])]

    def _place(self, name: str) -> int:
        if name not in self.names:
            raise InputError(f"no system {name!r} was measured: there are {', '.join(self.names)}")
        return self.names.index(name)

    def to_frame(self) -> pandas.DataFrame:
        """Return one row for each system and page: system, version, corpus, id, size (bytes), seconds, f1."""
        import pandas

        columns = ["system", "version", "corpus", "id", "size", "seconds", "f1"]
        rows = [
            (system.name, system.version, page.corpus, page.id, page.size, seconds, f1)
            for page in self.pages
            for system, seconds, f1 in zip(self.systems, page.seconds, page.f1, strict=True)
        ]
        return pandas.DataFrame(rows, columns=columns)

    def to_markdown(self) -> str:
        """Return a table: mean milliseconds a page by corpus and over all, the ratios to the references, and word F1.

        Behind a ratio of best times stand the quartiles of the ratios of single passes, behind an F1 whether no other
        system beats it (`is_unbeaten`).
        """
        references = [name for name in REFERENCES if name in self.names]
        is_scored = not all(math.isnan(self.f1(name)) for name in self.names)
        columns = ["system", "version", *(f"{corpus}, ms" for corpus in self.corpora), "all, ms", "pages"]
        columns += [f"× {reference}" for reference in references]
        columns += ["F1", "unbeaten"] if is_scored else []
        rows = []
        for system in sorted(self.systems, key=lambda system: _last_if_nan(self.mean(system.name))):
            means = [self.mean(system.name, corpus) for corpus in (*self.corpora, None)]
            pages = len(self._pairs(system.name, system.name, None))
            rows.append(
                [
                    system.name,
                    system.version,
                    *(_number(1000 * mean) for mean in means),
                    str(pages),
                    *(self._ratio_cell(system.name, reference) for reference in references),
                    *(self._score_cells(system.name) if is_scored else ()),
                ]
            )
        return markdown_table(columns, rows)

    def _ratio_cell(self, name: str, reference: str) -> str:
        ratio = _number(self.ratio(name, reference))
        spread = None if name == reference else self.quartiles(name, reference)
        return ratio if spread is None or not ratio else f"{ratio} ({_number(spread[0])} to {_number(spread[1])})"

    def _score_cells(self, name: str) -> tuple[str, str]:
        return percent(self.f1(name)), "yes" if self.is_unbeaten(name) else ""

    def write(self, folder: Path) -> None:
        """Write ``speed.csv`` and ``speed.png`` into a folder that exists."""
        self.to_frame().to_csv(folder / "speed.csv", index=False)
        self.plot(folder / "speed.png")

    def plot(self, path: str | Path) -> None:
        """Draw a bar for each system, mean milliseconds a page on a logarithmic axis, to a PNG, SVG or PDF file."""
        shown = [system for system in self.systems if not math.isnan(self.mean(system.name))]
        shown.sort(key=lambda system: -self.mean(system.name))
        figure = new_figure(8, 1.2 + 0.35 * len(shown))
        axes = figure.add_subplot()
        colours = {"parse": "tab:gray", "blockfeat": "tab:red", "peer": "tab:blue"}
        means = [1000 * self.mean(system.name) for system in shown]
        bars = axes.barh(
            [system.name for system in shown], means, color=[colours.get(system.kind, "tab:blue") for system in shown]
        )
        axes.bar_label(bars, labels=[_number(mean) for mean in means], padding=3)
        axes.set_xscale("log")
        axes.margins(x=0.12)
        axes.set_xlabel(f"process time a page, ms (mean over {len(self.pages)} pages, best of {self.passes})")
        figure.savefig(path)


def systems_of(models: Iterable[Extractor] = (), peers: Iterable[Peer] = ()) -> list[System]:
    """Return systems to time: the bare parse, models and peers.

    Parameters
    ----------
    models : iterable of Extractor
        One for each model.
    peers : iterable of Peer
        They are loaded here; those that run in a process of their own are left out.
    """
    found = [System(BARE_PARSE, ".".join(map(str, etree.LXML_VERSION[:3])), "parse", _parse)]
    found += [_system_of(model) for model in models]
    here = [peer for peer in peers if peer.name not in OF_NODE]
    found += [System(peer.name, peer.version, "peer", run, run) for peer in here for run in [_peer_runs(peer)]]
    names = [system.name for system in found]
    if len(set(names)) < len(names):
        raise InputError(f"systems need names of their own, not {', '.join(names)}")
    return found


def _parse(page: PageInput) -> object:
    """Parse with nothing done before or after: the floor of every extractor over lxml."""
    return etree.fromstring(page.data, etree.HTMLParser(encoding="utf-8"))


def _system_of(extractor: Extractor) -> System:
    return System(
        f"blockfeat {extractor.model.name}",
        __version__,
        "blockfeat",
        lambda page: extractor.extract(page.data),
        lambda page: extractor.extract(page.data).text,
    )


def _peer_runs(peer: Peer) -> Callable[[PageInput], str]:
    extract = peer.load()
    return lambda page: extract(page.html, page.lang, page.url)


def measure_speed(
    systems: Sequence[System],
    pages: Iterable[LabelledPage],
    *,
    passes: int = 5,
    on_page: Callable[[int, int], None] | None = None,
) -> SpeedResult:
    """Time systems on pages, best of several passes, and score their texts.

    Each pass goes over the pages in chunks of 20, and each chunk through all systems in turn, so that other work
    on the machine hits all alike; within a chunk a system works without a break, as it does in use. The ratios of the
    single passes say how much the ratio of the best times is worth.

    Parameters
    ----------
    systems : sequence of System
        What `systems_of` returns.
    pages : iterable of LabelledPage
        Their order is kept.
    passes : int
        At least 1.
    on_page : callable, optional
        Called with the number of pages done and of all, over all passes.

    Raises
    ------
    InputError
        There are no pages, or no passes.
    """
    found = list(pages)
    if not found or passes < 1:
        raise InputError(f"speed needs at least one page and one pass, not {len(found)} and {passes}")
    every = np.full((passes, len(found), len(systems)), np.nan)
    inputs = [PageInput.of(page) for page in found]
    _warm_up(systems, inputs[0])
    scores = [
        tuple(_f1(system, given, page.text) for system in systems) for given, page in zip(inputs, found, strict=True)
    ]
    gc.collect()
    gc.freeze()  # later collections skip the objects that exist now
    try:
        for turn in range(passes):
            for start in range(0, len(found), _CHUNK):
                chunk = range(start, min(start + _CHUNK, len(found)))
                for step in range(len(systems)):
                    place = (step + turn + start // _CHUNK) % len(systems)
                    given = [inputs[page].anew() for page in chunk]
                    gc.collect()
                    every[turn, chunk.start : chunk.stop, place] = [_seconds(systems[place], page) for page in given]
                if on_page is not None:
                    on_page(turn * len(found) + chunk.stop, passes * len(found))
    finally:
        gc.unfreeze()
    best = np.fmin.reduce(every, axis=0).tolist()
    times = [
        PageTimes(page.corpus, page.id, len(given.data), tuple(row), f1)
        for page, given, row, f1 in zip(found, inputs, best, scores, strict=True)
    ]
    return SpeedResult(tuple(systems), tuple(times), passes, every)


def _warm_up(systems: Sequence[System], page: PageInput) -> None:
    for system in systems:
        _seconds(system, page.anew())


def _seconds(system: System, page: PageInput) -> float:
    """Return the process time of one call, including the release of its result; NaN if it raises."""
    start = time.process_time()
    try:
        system.run(page)
    except Exception:  # a peer that fails on a page has no time there
        return math.nan
    return time.process_time() - start


def _f1(system: System, page: PageInput, gold: str | None) -> float:
    """Return the word F1 of a system's text; NaN where there is no text or no gold, 0 if it raises."""
    if system.text is None or gold is None:
        return math.nan
    try:
        text = system.text(page.anew())
    except Exception:  # as where it is timed
        return 0.0
    return word_scores(tokenize(text), tokenize(gold)).f1


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan


def _last_if_nan(value: float) -> float:
    return math.inf if math.isnan(value) else value


def _number(value: float) -> str:
    """Three significant digits without an exponent; empty for NaN."""
    if math.isnan(value):
        return ""
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
