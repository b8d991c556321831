"""The benchmark behind ``blockfeat bench``: quality beside the peers, speed, growth, memory, a profile by stage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from blockfeat.commands.console import Ticker
from blockfeat.data.corpus import LabelledPage
from blockfeat.evaluation.bench import run_bench
from blockfeat.evaluation.footprint import memory_growth
from blockfeat.evaluation.growth import measure_growth
from blockfeat.evaluation.peers import PEER_NAMES, Peer, installed_peers, peers_named
from blockfeat.evaluation.speed import measure_speed, systems_of
from blockfeat.evaluation.stage_profile import profile_stages
from blockfeat.extraction.extractor import Extractor

__all__ = ["bench_quality", "bench_speed", "sampled"]


def bench_quality(
    models: Sequence[Extractor], peers: str, pages: Sequence[LabelledPage], *, jobs: int, folder: Path, tick: Ticker
) -> Iterator[str]:
    """Score models and peers on the same pages; write table, CSV and picture into a folder; yield what to show."""
    there, missing = _peers(peers)
    result = run_bench(models, there, pages, jobs=jobs, on_page=lambda system, done, all: tick(done, all, system))
    yield result.to_markdown()
    yield from _missing(missing)
    yield from (f"written: {path}" for path in result.write(folder))


def bench_speed(
    models: Sequence[Extractor],
    peers: str,
    pages: Sequence[LabelledPage],
    *,
    passes: int,
    growth: bool,
    memory: bool,
    folder: Path,
    tick: Ticker,
) -> Iterator[str]:
    """Time models and peers on the same pages; write tables and pictures into a folder; yield what to show."""
    there, missing = _peers(peers)
    folder.mkdir(parents=True, exist_ok=True)
    systems = systems_of(models, there)
    result = measure_speed(systems, pages, passes=passes, on_page=lambda done, all: tick(done, all, "timing"))
    result.to_frame().to_csv(folder / "speed.csv", index=False)
    result.plot(folder / "speed.png")
    yield result.to_markdown()
    yield from _missing(missing)
    yield profile_stages(models[0], [page.html.encode("utf-8", "replace") for page in pages]).to_markdown()
    if growth:
        grown = measure_growth(systems_of(models), on_page=lambda system, shape, size: tick(0, None, f"{shape} {size}"))
        grown.to_frame().to_csv(folder / "growth.csv", index=False)
        grown.plot(folder / "growth.png")
        yield grown.to_markdown()
    if memory:
        found = memory_growth(models[0], [page.html for page in pages], 10_000)
        yield f"resident memory over 10,000 pages: {found.growth / 2**20:+.1f} MB after warm-up"
    yield f"written: {folder}"


def sampled(pages: Sequence[LabelledPage], count: int | None) -> list[LabelledPage]:
    """Return ``count`` pages of each corpus, evenly spaced; all for None."""
    by_corpus: dict[str, list[LabelledPage]] = {}
    for page in pages:
        by_corpus.setdefault(page.corpus, []).append(page)
    if count is None:
        return list(pages)
    chosen: list[LabelledPage] = []
    for found in by_corpus.values():
        step = max(1.0, len(found) / count)
        chosen += [found[int(place * step)] for place in range(min(count, len(found)))]
    return chosen


def _peers(names: str) -> tuple[tuple[Peer, ...], list[str]]:
    """Read the option (``all``, ``none`` or names with commas); return the peers and those that are missing."""
    found = peers_named(name.strip() for name in names.split(","))
    missing = sorted(set(PEER_NAMES) - {peer.name for peer in installed_peers()}) if names == "all" else []
    return found, missing


def _missing(names: Sequence[str]) -> Iterator[str]:
    if names:
        yield f"not installed: {', '.join(names)} (pip install 'blockfeat[peers]')"
