"""The command ``blockfeat demo``: the default model, eight freshly trained thresholds and peers on a bundled page."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
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
    from blockfeat.pso.swarm import Generation
    from blockfeat.training.config import TrainedModel
    from blockfeat.training.evaluation.peers import PeerExtract


_WIDTH = 98
_RULE = "-" * _WIDTH
_SHOWN_PAGE = "en-commonsquare-2"
# Seed of the split by host with which the shown page is a test page.
_SEED = 2
_REASONS = 3
_PEERS = ("trafilatura", "resiliparse")  # those that are installed are shown


class _System(NamedTuple):
    """A system to compare: its function from a page to the text, and which blocks of the shown page it keeps."""

    name: str
    text: Callable[[LabelledPage], str]
    kept: list[bool]


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for all that it makes.")] = Path("demo-output"),
    jobs: JobsOption = 2,
    quiet: QuietOption = False,
) -> None:
    """Extract a bundled page; compare with eight thresholds trained meanwhile, with trafilatura and resiliparse."""
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
    systems = list(_compared(extraction, default, thresholds, page))
    _show(_scores(systems, page, test, len(training)))
    _show(_decisions(extraction.blocks, systems))
    _show(_reasons(extraction.blocks))
    _show(_written(output, model, page, extraction))


def _show(lines: Iterator[str]) -> None:
    for line in lines:
        console.show(line)


def _main_text(extraction: Extraction) -> Iterator[str]:
    """Yield the text of the page, wrapped."""
    kept = sum(block.kept for block in extraction.blocks)
    yield f"The main text of {extraction.url}, without its headline,"
    yield f"found by the default model: {kept} of {len(extraction.blocks)} blocks"
    yield _RULE
    for line in extraction.text.splitlines():
        yield "\n".join(wrap(line, _WIDTH)) or ""
    yield _RULE
    yield ""


def _trained(pages: Sequence[LabelledPage], jobs: int, *, quiet: bool) -> TrainedModel:
    """Train the eight thresholds of the paper for word F1."""
    from blockfeat.training.train import TrainingOptions, train

    options = TrainingOptions(jobs=jobs, name="demo", fitness="f1", split=1)
    with console.progress("training eight thresholds", quiet=quiet) as tick:

        def on_generation(now: Generation) -> None:
            tick(now.number, options.generations, f"generations, word F1 {now.best_so_far:.3f}")

        return train(pages, seed=1, options=options, on_generation=on_generation)


def _compared(
    extraction: Extraction, default: Extractor, thresholds: Extractor, page: LabelledPage
) -> Iterator[_System]:
    """Yield the default model, the thresholds, the peers that are installed, and the whole page."""
    from blockfeat.training.evaluation.peers import installed_peers

    blocks = extraction.blocks
    yield _System("default", lambda page: default.extract(page.html).text, [block.kept for block in blocks])
    kept = [block.kept for block in thresholds.extract(page.html).blocks]
    yield _System("thresholds", lambda page: thresholds.extract(page.html).text, kept)
    for peer in (peer for peer in installed_peers() if peer.name in _PEERS):
        text = partial(_peer_text, peer.load())
        letters = _letters(text(page))
        kept = [bool(_letters(block.text)) and _letters(block.text) in letters for block in blocks]
        yield _System(peer.name, text, kept)
    yield _System("all blocks", partial(_text_of_all, default), [True] * len(blocks))


def _peer_text(extract: PeerExtract, page: LabelledPage) -> str:
    return extract(page.html, page.lang, page.url)


def _text_of_all(default: Extractor, page: LabelledPage) -> str:
    return "\n\n".join(block.text for block in default.extract(page.html).blocks)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def _scores(
    systems: Sequence[_System], page: LabelledPage, test: Sequence[LabelledPage], training: int
) -> Iterator[str]:
    """Yield word F1 on the shown page and the mean over the test pages."""
    from blockfeat.training.evaluation.metrics import word_scores

    intro = (
        "Word F1 against the labelled text. The eight thresholds (of Ziegler & Skubacz 2007) have just been trained "
        f"on {training} other bundled pages; the default model has seen none of the bundled pages."
    )
    yield from wrap(intro, _WIDTH)
    yield ""
    yield f"  {'':<18}{'this page':>10}{f'mean of {len(test)} pages':>20}"
    for system in systems:
        f1 = {other.id: word_scores(system.text(other), other.text or "").f1 for other in test}
        yield f"  {system.name:<18}{f1[page.id]:>10.3f}{sum(f1.values()) / len(f1):>20.3f}"
    yield ""
    yield f"README has the means of all {training + len(test)} pages, and thresholds that were trained on none of them."
    yield ""


def _decisions(blocks: Sequence[Block], systems: Sequence[_System]) -> Iterator[str]:
    """Yield a line for each run of neighbouring blocks on which every system decides the same."""
    yield "The page from top to bottom, neighbouring blocks with the same result in one line:"
    yield ""
    compared = systems[:-1]  # without the last system, "all blocks"
    line = "  {:>6}  {:>5}  " + "".join(f"{{:<{len(system.name) + 2}}}" for system in compared)
    yield line.format("blocks", "words", *(system.name for system in compared)) + "the longest of them"
    for kept, places in groupby(range(len(blocks)), lambda at: [system.kept[at] for system in compared]):
        run = [blocks[place] for place in places]
        start = line.format(len(run), sum(block.words for block in run), *("kept" if one else "-" for one in kept))
        yield start + shorten(max(run, key=lambda block: block.words).text, _WIDTH - len(start), placeholder=" …")
    yield ""


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
    from blockfeat._files import write_text
    from blockfeat.io.outputs import explanation_page
    from blockfeat.models.store import save_model
    from blockfeat.training.evaluation.report import write_training_report

    source, explained, trained = folder / "page.html", folder / "explained.html", folder / "demo-model.json"
    write_text(source, page.html)
    write_text(explained, explanation_page(extraction))
    save_model(model, trained)
    written = [source, explained, trained]
    if model.report is not None:
        written += write_training_report(folder, history=model.report.history, curves=model.report.curves)
    yield from wrap(f"Written to {folder}: {', '.join(path.name for path in written)}.", _WIDTH)
    yield ""
    yield "Try next:"
    yield f"  {_command('explain', source)}"
    yield f"  {_command('train', '--lang', 'de,fr', '--corpus', 'demo', '--output', folder / 'de-fr.json')}"


def _command(*words: str | Path) -> str:
    """Return a command line of this program, with the path by which it was called if it is not on the shell's path."""
    called = sys.argv[0]
    found = shutil.which("blockfeat")
    is_on_path = found is not None and Path(found).resolve() == Path(called).resolve()
    program = called if Path(called).name == "blockfeat" and not is_on_path else "blockfeat"
    return shlex.join([program, *map(str, words)])
