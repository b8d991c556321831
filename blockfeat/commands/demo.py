"""The command ``blockfeat demo``: one page by the default model, eight thresholds just trained, a peer, and whole."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from textwrap import shorten, wrap
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from blockfeat._extras import require_extra
from blockfeat.commands import console
from blockfeat.commands.options import JobsOption, QuietOption

if TYPE_CHECKING:
    from blockfeat.blocks.block import Block
    from blockfeat.data.corpus import LabelledPage
    from blockfeat.extraction.extraction import Extraction
    from blockfeat.extraction.extractor import Extractor
    from blockfeat.training.evaluation.peers import Peer, PeerExtract
    from blockfeat.training.trainer import TrainedModel


_WIDTH = 98
_RULE = "-" * _WIDTH
_SHOWN_PAGE = "en-commonsquare-2"
# Of the split by host: with this one the shown page is a test page.
_SEED = 2
_REASONS = 3
_COLUMNS = "  {:>6}  {:>5}  {:<7}  {:<10}  {:<11}  {}"
_PEERS = ("trafilatura", "resiliparse")  # the first that is installed is shown


class _System(NamedTuple):
    """One of those that are compared: which blocks of the shown page it keeps, and its word F1."""

    name: str
    kept: list[bool]
    f1: float
    mean_f1: float


def demo(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for the model, the plots and the page.")
    ] = Path("demo-output"),
    jobs: JobsOption = 2,
    quiet: QuietOption = False,
) -> None:
    """Extract a bundled page, and compare with another extractor and eight thresholds that are trained meanwhile."""
    require_extra("train", what="demo")
    from blockfeat.data.corpus import demo_pages
    from blockfeat.data.split import split_by_host
    from blockfeat.extraction.extractor import Extractor

    training, test = split_by_host(demo_pages(), 0.7, _SEED)
    page = next(page for page in test if page.id == _SHOWN_PAGE)
    default = Extractor.load()
    extraction = default.extract(page.html, url=page.url)
    _show(_main_text(extraction))
    model = _trained(training, jobs, quiet=quiet)
    thresholds = Extractor.of(model)
    systems = _compared(extraction, default, thresholds, _peer(), page, test)
    _show(_scores(systems, len(training), len(test)))
    _show(_decisions(extraction.blocks, systems))
    _show(_reasons(extraction.blocks))
    _show(_written(output, model, page, extraction))


def _show(lines: Iterator[str]) -> None:
    for line in lines:
        console.show(line)


def _main_text(extraction: Extraction) -> Iterator[str]:
    """Yield the text of the page, wrapped."""
    from blockfeat.io.outputs import to_markdown

    kept = sum(block.kept for block in extraction.blocks)
    yield f"The main text of {extraction.url},"
    yield f"found by the default model: {kept} of {len(extraction.blocks)} blocks, in Markdown"
    yield _RULE
    for line in to_markdown(extraction).splitlines():
        yield "\n".join(wrap(line, _WIDTH)) or ""
    yield _RULE
    yield ""


def _trained(pages: Sequence[LabelledPage], jobs: int, *, quiet: bool) -> TrainedModel:
    """Train the eight thresholds of the paper for word F1."""
    from blockfeat.training.train import TrainingOptions, train

    options = TrainingOptions(jobs=jobs, name="demo", fitness="f1", split=1)
    with console.progress("training eight thresholds", quiet=quiet) as tick:
        return train(
            pages,
            seed=1,
            options=options,
            on_generation=lambda now: tick(
                now.number, options.generations, f"generations, word F1 {now.best_so_far:.3f}"
            ),
        )


def _peer() -> Peer:
    """Return the first of the peers that is installed."""
    from blockfeat.training.evaluation.peers import installed_peers, peers_named

    installed = {peer.name for peer in installed_peers()}
    return peers_named([next((name for name in _PEERS if name in installed), _PEERS[-1])])[0]


def _compared(
    extraction: Extraction,
    default: Extractor,
    thresholds: Extractor,
    peer: Peer,
    page: LabelledPage,
    test: Sequence[LabelledPage],
) -> list[_System]:
    """Return the default model, the thresholds, a peer and the whole page, scored on this and on all test pages."""
    blocks = extraction.blocks
    peer_extract = peer.load()
    peer_text = _letters(peer_extract(page.html, page.lang, page.url))
    kept = {
        "default model": [block.kept for block in blocks],
        "eight thresholds": [block.kept for block in thresholds.extract(page.html).blocks],
        peer.name: [bool(_letters(block.text)) and _letters(block.text) in peer_text for block in blocks],
        "all blocks": [True] * len(blocks),
    }
    scores = {other.id: _word_f1(other, default, thresholds, peer_extract) for other in test}
    return [
        _System(name, kept[name], scores[page.id][place], sum(found[place] for found in scores.values()) / len(scores))
        for place, name in enumerate(kept)
    ]


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def _word_f1(page: LabelledPage, default: Extractor, thresholds: Extractor, peer: PeerExtract) -> list[float]:
    """Return the word F1 of the default model, the thresholds, the peer and the whole page."""
    from blockfeat.training.evaluation.metrics import word_scores

    extraction = default.extract(page.html)
    everything = "\n\n".join(block.text for block in extraction.blocks)
    peer_text = peer(page.html, page.lang, page.url)
    texts = (extraction.text, thresholds.extract(page.html).text, peer_text, everything)
    return [word_scores(text, page.text or "").f1 for text in texts]


def _scores(systems: Sequence[_System], training: int, test: int) -> Iterator[str]:
    intro = (
        "Word F1 against the labelled text. The eight thresholds (of Ziegler & Skubacz 2007) have just been trained "
        f"on {training} other bundled pages; the default model has seen none of the bundled pages."
    )
    yield from wrap(intro, _WIDTH)
    yield ""
    yield f"  {'':<18}{'this page':>10}{f'mean of {test} pages':>20}"
    for system in systems:
        yield f"  {system.name:<18}{system.f1:>10.3f}{system.mean_f1:>20.3f}"
    yield ""


def _decisions(blocks: Sequence[Block], systems: Sequence[_System]) -> Iterator[str]:
    """Yield a line for each run of blocks on which each decides alike."""
    yield "The page from top to bottom, neighbouring blocks with the same result in one line:"
    yield ""
    yield _COLUMNS.format("blocks", "words", "default", "thresholds", systems[2].name, "the longest of them")
    columns = [system.kept for system in systems[:3]]
    for kept, places in groupby(range(len(blocks)), lambda at: [column[at] for column in columns]):
        run = [blocks[place] for place in places]
        words = sum(block.words for block in run)
        text = shorten(max(run, key=lambda block: block.words).text, 45, placeholder=" …")
        yield _COLUMNS.format(len(run), words, *map(_kept, kept), text)
    yield ""


def _kept(kept: bool) -> str:
    return "kept" if kept else "-"


def _reasons(blocks: Sequence[Block]) -> Iterator[str]:
    """Yield three dropped blocks of different classes, the longest of each, with their reasons."""
    yield "Why the default model dropped three of the blocks:"
    yield ""
    longest: dict[str, Block] = {}
    for block in sorted((block for block in blocks if not block.kept), key=lambda block: -block.words):
        longest.setdefault(block.part, block)
    for block in list(longest.values())[:_REASONS]:
        yield f"  “{shorten(block.text, _WIDTH - 4, placeholder=' …')}”"
        yield f"      {shorten(block.reason, _WIDTH - 6, placeholder=' …')}"
    yield ""


def _written(folder: Path, model: TrainedModel, page: LabelledPage, extraction: Extraction) -> Iterator[str]:
    """Write the page, the model, its curves and the explained page; name the commands to try next."""
    from blockfeat._files import write_text, writing
    from blockfeat.io.outputs import explanation_page
    from blockfeat.models.store import save_model
    from blockfeat.training.evaluation.report import write_training_report

    source, explained, trained = folder / "page.html", folder / "explained.html", folder / "demo-model.json"
    write_text(source, page.html)
    write_text(explained, explanation_page(extraction))
    save_model(model, trained)
    written = [source, explained, trained]
    if model.report is not None:
        with writing(folder):
            written += write_training_report(folder, history=model.report.history, curves=model.report.curves)
    yield from wrap(f"Written to {folder}: {', '.join(path.name for path in written)}.", _WIDTH)
    yield ""
    yield "Try next:"
    yield f"  {_command('explain', source)}"
    yield f"  {_command('train', '--lang', 'de,fr', '--corpus', 'demo', '--output', folder / 'de-fr.json')}"


def _command(*words: str | Path) -> str:
    """Return a command line with this program as it was called, for shells that do not have it on their path."""
    called = sys.argv[0]
    found = shutil.which("blockfeat")
    is_on_path = found is not None and Path(found).resolve() == Path(called).resolve()
    program = called if Path(called).name == "blockfeat" and not is_on_path else "blockfeat"
    return shlex.join([program, *map(str, words)])
