"""Quality side by side: systems over corpora in one run, each page in a worker process with a deadline."""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from blockfeat import __version__
from blockfeat._pool import in_order
from blockfeat.data.corpus import LabelledPage
from blockfeat.data.split import spaced
from blockfeat.errors import InputError
from blockfeat.extraction.extractor import Extractor
from blockfeat.lang import tokenize
from blockfeat.training.evaluation.bench_result import BenchPage, BenchResult, SystemScores
from blockfeat.training.evaluation.evaluate import score_page
from blockfeat.training.evaluation.metrics import shingle_scores, text_only_score
from blockfeat.training.evaluation.peers import Peer, missing_peers

Extract = Callable[[LabelledPage], str]


_WARM_UP = LabelledPage("warm-up", "<html><body><p>A text that loads whatever is loaded lazily.</p></body></html>", "")


@dataclass(frozen=True)
class BenchSystem:
    """Something that is scored.

    Attributes
    ----------
    name, version : str
        What the tables call it.
    kind : str
        ``"blockfeat"`` or ``"peer"``.
    load : callable
        Called once in each worker process; returns the function from a page to its text.
    """

    name: str
    version: str
    kind: str
    load: Callable[[], Extract]


def bench_systems(models: Iterable[Extractor], peers: Iterable[Peer]) -> list[BenchSystem]:
    """Return models and peers as systems, models first."""
    found = [
        BenchSystem(f"blockfeat {model.model.name}", __version__, "blockfeat", partial(_load_model, model))
        for model in models
    ]
    return found + [BenchSystem(peer.name, peer.version, "peer", partial(_load_peer, peer)) for peer in peers]


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
        """Extract and score a page; a system that raises has given an empty text."""
        if self.extract is None:
            self.before = resident_bytes()
            self.extract = self.system.load()
            self._text(_WARM_UP)
        reset = _reset_peak()
        start = time.process_time()
        text, error = self._text(page)
        seconds = time.process_time() - start
        memory = max(0, _peak_bytes() - self.before) if reset else None
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
    return BenchPage(score, text_only_score(predicted, gold), shingle_scores(predicted, gold).f1, seconds, memory)


def run_bench(
    models: Sequence[Extractor],
    peers: Sequence[Peer],
    pages: Iterable[LabelledPage],
    *,
    jobs: int = 1,
    deadline: float | None = 30.0,
    on_page: Callable[[str, int, int], None] | None = None,
    systems: Sequence[BenchSystem] = (),
) -> BenchResult:
    """Run systems over labelled pages, one system after the other, pages in parallel.

    Parameters
    ----------
    models : sequence of Extractor
        blockfeat's models; the first is the one that peers are compared with.
    peers : sequence of Peer
        What `blockfeat.training.evaluation.peers.peers_named` returns.
    pages : iterable of LabelledPage
        Of one or more corpora. Models do not get their language; jusText does, for its stop list.
    jobs : int
        Number of processes.
    deadline : float, optional
        Seconds that one page may take before its process is ended and the page counts as empty.
    on_page : callable, optional
        Called with the system, the number of its pages done, and the number of all pages.
    systems : sequence of BenchSystem
        Others to run after the models and peers.

    Returns
    -------
    BenchResult
        Scores, times and memory; a page that a system failed on counts as empty text and is counted.

    Raises
    ------
    InputError
        There are no pages, no systems, or two of one name.
    """
    found = list(pages)
    chosen = [*bench_systems(models, peers), *systems]
    names = [system.name for system in chosen]
    if not found or not chosen:
        raise InputError(f"a benchmark needs {'systems' if found else 'pages'}, and there are none")
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise InputError(f"a benchmark needs systems with names of their own; given more than once: {', '.join(twice)}")
    scored = []
    for system in chosen:
        worker = _Worker(system)
        done: list[BenchPage] = []
        for _, result in in_order(worker, found, jobs=jobs, failure=worker.failed, deadline=deadline):
            done.append(result)
            if on_page is not None:
                on_page(system.name, len(done), len(found))
        scored.append(SystemScores(system.name, system.version, system.kind, tuple(done)))
    return BenchResult(tuple(scored), missing_peers())


def sampled(pages: Sequence[LabelledPage], count: int | None) -> list[LabelledPage]:
    """Return ``count`` pages of each corpus, evenly spaced; all for None."""
    by_corpus: dict[str, list[LabelledPage]] = {}
    for page in pages:
        by_corpus.setdefault(page.corpus, []).append(page)
    return [page for found in by_corpus.values() for page in spaced(found, count)]


def resident_bytes() -> int:
    """Return the resident memory of this process; its highest value so far without /proc, 0 where nothing tells it."""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        try:
            import resource
        except ModuleNotFoundError:  # Windows
            return 0
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _reset_peak() -> bool:
    """Let the peak of resident memory start anew; False where the system cannot do that."""
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return False
    return True


def _peak_bytes() -> int:
    """Highest resident memory since the last reset."""
    for line in Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0
