"""Write docs/web2text.md: Table 1 of Vogels et al. (2018) with our figures, cost, aligners and retrieval.

Usage::

    python tools/web2text_table.py --output docs/web2text.md
    python tools/web2text_table.py --only table

Needs the extras ``web2text`` (PyTorch), ``peers`` and ``retrieval`` and the folder of the corpora; takes about fifteen
minutes on one core, most of them for training.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

import numpy as np
from lxml import etree

from blockfeat import Extractor
from blockfeat.blocks.cut import Cutter
from blockfeat.blocks.tagtable import load_table
from blockfeat.data import LabelledPage, read_corpus
from blockfeat.data.align import align
from blockfeat.evaluation.markdown_table import markdown_table
from blockfeat.evaluation.metrics import word_scores
from blockfeat.evaluation.peers import PeerExtract, installed_peers
from blockfeat.lang.identify import Identifier
from blockfeat.models.web2text.features import page_features
from blockfeat.models.web2text.labeller import LeafLabeller
from blockfeat.models.web2text.leaves import LeafMeasurer, leaf_table
from blockfeat.models.web2text.model import Web2TextModel
from blockfeat.page.page import Page
from blockfeat.training.leaf_labels import CONTENT_SHARE, aligned_share
from blockfeat.training.web2text_networks import train_web2text
from experiments.block_labels import (
    BTE,
    BlockScores,
    PageSplit,
    label_pages,
    mixed_split,
    original_split,
    pooled_scores,
)
from experiments.bte import BodyTextExtractor
from experiments.retrieval import known_item_scores
from train_web2text import held_out, prepare, read_development

# Accuracy, precision, recall and F1 in the paper: on the original test part, and on its own.
PAPER = {
    "CRF": ((0.82, 0.87, 0.81, 0.84), (0.82, 0.88, 0.81, 0.84)),
    BTE: ((0.79, 0.79, 0.89, 0.83), (0.75, 0.76, 0.84, 0.80)),
    "boilerpy3-default": ((0.80, 0.89, 0.75, 0.81), (0.79, 0.89, 0.74, 0.81)),
    "boilerpy3-article": ((0.72, 0.91, 0.59, 0.71), (0.67, 0.89, 0.50, 0.64)),
    "boilerpy3-largest": ((0.60, 0.93, 0.36, 0.52), (0.59, 0.93, 0.33, 0.48)),
    "Unfluff": ((0.71, 0.90, 0.57, 0.70), (0.68, 0.90, 0.51, 0.65)),
    "web2text": ((0.84, 0.88, 0.85, 0.86), (0.86, 0.87, 0.90, 0.88)),
}
INTERPOLATIONS = (0.0, 0.1, 0.3, 1.0)
RETRIEVAL_PEERS = ("boilerpy3-default", "trafilatura", "readability-lxml", "resiliparse")
_logger = logging.getLogger("web2text_table")


@dataclass(frozen=True)
class Options:
    """What the sections need."""

    corpora: Path
    measurer: LeafMeasurer
    seeds: Sequence[int]
    model: Path

    def pages(self, name: str) -> list[LabelledPage]:
        """Return the pages of a corpus that have a gold text."""
        return [page for page in read_corpus(self.corpora / f"{name}.jsonl.xz") if page.text]


def table(options: Options) -> Iterator[str]:
    """Score the systems as Table 1 does."""
    extractors: dict[str, PeerExtract] = {peer.name: peer.load() for peer in installed_peers()}
    extractors |= {f"blockfeat {name}": _of_model(Extractor.load(name)) for name in ("thresholds", "default")}
    parts = []
    for name in ("cleaneval-dev", "cleaneval-test"):
        parts.append(list(label_pages(options.pages(name), options.measurer, extractors)))
        _logger.info("labelled %d pages of %s", len(parts[-1]), name)
    splits = (original_split(*parts), mixed_split([page for part in parts for page in part]))
    yield "## Table 1\n"
    yield (
        "Block-wise accuracy, precision, recall and F1, all text leaves of all test pages together; behind each, in "
        "brackets, what the paper has. "
        + " ".join(_about(split) for split in splits)
        + f" Web2Text: mean over {len(options.seeds)} seeds, λ = 1.\n"
    )
    rows = [_row(name, splits, [pooled_scores(split.test, name) for split in splits]) for name in (BTE, *extractors)]
    models = {split.name: [_trained(split, seed) for seed in options.seeds] for split in splits}
    rows.append(_row("web2text", splits, [_mean_scores(models[split.name], split) for split in splits]))
    for name in PAPER:
        if name not in (*extractors, BTE, "web2text"):
            rows.append([name, *(f"(.{value * 100:.0f})" for values in PAPER[name] for value in values)])
    measures = ("accuracy", "precision", "recall", "F1")
    columns = ("system", *(f"{split.name}: {measure}" for split in splits for measure in measures))
    yield markdown_table(columns, rows)
    yield (
        "CRF (Victor) and Unfluff do not install here. The models of blockfeat learnt from development corpora, "
        f"`cleaneval-dev` among them, of which {sum(page.corpus == 'cleaneval-dev' for page in splits[1].test)} pages "
        "are in the test of the mixed split. Systems other than Web2Text and BTE return text, which is aligned with "
        "the leaves as the gold is; pages without a body element are given one.\n"
    )
    yield "F1 of Web2Text by the weight λ of the pairs (0: the unary network alone), and by seed at λ = 1:\n"
    columns = ("split", *(f"λ = {weight}" for weight in INTERPOLATIONS), "seeds")
    yield markdown_table(columns, [_by_interpolation(models[split.name], split) for split in splits])
    test = sorted(f"{page.corpus.removeprefix('cleaneval-')} {page.id}" for page in splits[1].test)
    yield f"Test pages of the mixed split: {', '.join(test)}.\n"
    yield f"Validation pages of the original split: {', '.join(splits[0].ids()['validation'])} of `cleaneval-dev`.\n"


def _of_model(extractor: Extractor) -> PeerExtract:
    return lambda html, lang=None, url=None: extractor.extract(html).text


def _about(split: PageSplit) -> str:
    return (
        f"The {split.name} split has {len(split.training)} pages to train on, {len(split.validation)} for validation "
        f"and {len(split.test)} for the test (paper: {'55, 5, 676' if split.name == 'original' else '531, 58, 148'})."
    )


def _trained(split: PageSplit, seed: int) -> LeafLabeller:
    learnt, checked = ([page.to_training() for page in part] for part in (split.training, split.validation))
    model = train_web2text(learnt, checked, seed=seed).labeller
    _logger.info("%s split, seed %d: F1 %.4f", split.name, seed, pooled_scores(split.test, model).f1)
    return model


def _row(name: str, splits: Sequence[PageSplit], scores: Sequence[BlockScores]) -> list[str]:
    cells = [name]
    for place, found in enumerate(scores):
        paper = [f" (.{value * 100:.0f})" for value in PAPER[name][place]] if name in PAPER else [""] * 4
        values = (found.accuracy, found.precision, found.recall, found.f1)
        cells += [f"{value:.3f}{wanted}" for value, wanted in zip(values, paper, strict=True)]
    return cells


def _mean_scores(models: Sequence[LeafLabeller], split: PageSplit) -> BlockScores:
    scores = [pooled_scores(split.test, model) for model in models]
    means = [fmean(getattr(found, key) for found in scores) for key in ("accuracy", "precision", "recall", "f1")]
    return BlockScores(*means, blocks=scores[0].blocks)


def _by_interpolation(models: Sequence[LeafLabeller], split: PageSplit) -> list[str]:
    def f1(model: LeafLabeller, weight: float) -> float:
        return pooled_scores(split.test, replace(model, interpolation=weight)).f1

    means = [f"{fmean(f1(model, weight) for model in models):.3f}" for weight in INTERPOLATIONS]
    return [split.name, *means, ", ".join(f"{f1(model, 1.0):.3f}" for model in models)]


def aligners(options: Options) -> Iterator[str]:
    """Compare the aligners."""
    yield "## Which aligner\n"
    yield (
        "Word F1 of the text of the leaves (and of the blocks of the table `html5`) that each aligner labels as "
        "content, two thirds of them in the gold, against the gold: what perfect labels would reach. Up to 60 pages "
        "of each development corpus, evenly spaced; time is a page with its leaves.\n"
    )
    cutters = (Cutter.of(leaf_table()), Cutter.of(load_table("html5")))
    rows = []
    for name in ("cleaneval-dev", "daniel", "dragnet", "fundus", "l3s-gn1", "wcxb-dev"):
        pages = options.pages(name)
        chosen = pages[:: max(1, len(pages) // 60)][:60]
        scores = np.mean([_aligned(page, cutters) for page in chosen], axis=0)
        rows.append([name, *(f"{value:.4f}" for value in scores[:4]), *(f"{value * 1000:.1f}" for value in scores[4:])])
    columns = ("corpus", "leaves: words", "characters", "html5: words", "characters", "ms: words", "characters")
    yield markdown_table(columns, rows)
    yield (
        "The aligner over words (`blockfeat.data.align`) is the better one: it finds text that stands in another order "
        "than in the gold. It labels all training pages; the paper's own, over characters, is "
        "`blockfeat.training.leaf_labels`.\n"
    )


def _aligned(page: LabelledPage, cutters: Sequence[Cutter]) -> list[float]:
    parsed, gold = Page.parse(page.html), page.text or ""
    scores, times = [], []
    for cutter in cutters:
        blocks = cutter.cut(parsed)
        for shares_of in (lambda: align(blocks, gold).share, lambda: aligned_share(blocks, gold)):  # noqa: B023
            start = time.process_time()
            content = shares_of() >= CONTENT_SHARE - 1e-9
            times.append(time.process_time() - start)
            scores.append(word_scores("\n".join(blocks.texts(np.flatnonzero(content).tolist())), gold).f1)
    return [*scores, *times[:2]]


def load(path: Path) -> Web2TextModel:
    """Read a model file."""
    with np.load(path, allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in archive.files}
    return Web2TextModel.from_arrays(json.loads(arrays["document"].tobytes()), arrays, where=str(path))


def cost(options: Options) -> Iterator[str]:
    """Measure what a page costs."""
    model, seconds = load(options.model), np.zeros(6)
    names = ("lxml's bare parse", "parse", "cut into leaves, language", "features", "networks, Viterbi")
    pages = [page for name in ("cleaneval-dev", "fundus", "wcxb-dev") for page in options.pages(name)[:57]]
    for page in pages:
        data = page.html.encode("utf-8", "replace")
        best = np.min([_times(model, data) for _ in range(5)], axis=0)
        seconds += [*best, 1]
    milliseconds = seconds[:5] / seconds[5] * 1000
    yield "## What a page costs\n"
    yield f"Process time, best of five, mean over {len(pages)} pages of CleanEval, Fundus and WCXB.\n"
    rows = [
        (name, f"{value:.2f}", f"{value / milliseconds[0]:.2f}")
        for name, value in zip(names, milliseconds, strict=True)
    ]
    yield markdown_table(("step", "ms a page", "bare parses"), rows)
    share = milliseconds[2:4].sum() / milliseconds[0]
    yield f"Cutting and features together take {share:.2f} times the bare parse (goal: at most three).\n"


def _times(model: Web2TextModel, data: bytes) -> list[float]:
    clock = [time.process_time()]

    def lap() -> None:
        clock.append(time.process_time())

    etree.fromstring(data, etree.HTMLParser(encoding="utf-8"))
    lap()
    page = Page.parse(data)
    lap()
    leaves = model.measurer.measure(page)
    lap()
    features = page_features(leaves)
    lap()
    model.labeller.verdicts(features)
    lap()
    return np.diff(clock).tolist()


def beyond(options: Options) -> Iterator[str]:
    """Score a model trained on all development corpora."""
    yield "## Beyond CleanEval\n"
    yield (
        "Word F1 on hosts that were not trained on (a fifth of all; up to 60 pages of each corpus): Web2Text trained "
        "on the other hosts of all development corpora, its leaves carried over to the blocks of the table `html5`, "
        "and the default model as it is bundled (which may have seen these pages).\n"
    )
    pages = list(prepare(read_development(options.corpora), options.measurer))
    rows = [(name, str(n), f"{ours:.4f}", f"{theirs:.4f}") for name, n, ours, theirs in held_out(pages, seed=1)]
    yield markdown_table(("corpus", "pages", "web2text", "default"), rows)


def retrieval(options: Options) -> Iterator[str]:
    """Look for pages by their headlines."""
    ours, default, cutter = Extractor.of(load(options.model)), Extractor.load("default"), Cutter.of(load_table("html5"))
    systems: dict[str, Callable[[LabelledPage], str]] = {
        "raw page": lambda page: Page.parse(page.html, keep_raw_text=True).all_text(),
        "all blocks": lambda page: "\n".join(cutter.cut(Page.parse(page.html)).texts()),
        "gold": lambda page: page.text or "",
        "blockfeat web2text": lambda page: ours.extract(page.html).text,
        "blockfeat default": lambda page: default.extract(page.html).text,
        BTE: _of_peer(BodyTextExtractor.make()),
        **{peer.name: _of_peer(peer.load()) for peer in installed_peers() if peer.name in RETRIEVAL_PEERS},
    }
    pages = [page for name in ("fundus", "wcxb-dev") for page in options.pages(name) if page.title]
    pages = pages[:: max(1, len(pages) // 800)]
    queries = [page.title or "" for page in pages]
    rows = []
    for name, text_of in systems.items():
        scores = known_item_scores([_text(text_of, page) for page in pages], queries)
        rows.append((name, f"{scores.mean_reciprocal_rank:.4f}", f"{scores.first:.4f}"))
        _logger.info("retrieval, %s: %.4f", name, scores.mean_reciprocal_rank)
    yield "## Retrieval\n"
    yield (
        f"BM25 over the texts of {len(pages)} pages of Fundus and WCXB (all with a gold headline): the headline is the "
        "query, its page the one sought. Raw pages hold the headline in their title, and in other pages' teasers.\n"
    )
    yield markdown_table(("indexed text", "mean reciprocal rank", "found first"), rows)


def _of_peer(function: PeerExtract) -> Callable[[LabelledPage], str]:
    return lambda page: function(page.html, page.lang, page.url)


def _text(text_of: Callable[[LabelledPage], str], page: LabelledPage) -> str:
    try:
        return text_of(page)
    except Exception:  # what an extractor raises counts as no text
        return ""


SECTIONS = {"table": table, "aligners": aligners, "cost": cost, "beyond": beyond, "retrieval": retrieval}
HEAD = """# Web2Text

Vogels, Ganea & Eickhoff (2018), "Web2Text: Deep Structured Boilerplate Removal", as a model of blockfeat. Written by
`python tools/web2text_table.py`.

What the paper leaves open, and how it is settled here:

- The appendix gives the number b69 twice, to the last of the parent's tags and to "has grandparent". It lists twenty
  tags, so these are b49 to b68 and "has grandparent" is b69, which makes the 128 features that the text speaks of. It
  lists the tag `ul` twice: b55 and b63 are the same column, kept so that the network has the paper's size.
- Filters (50, 50, 50, 10) and kernels (1, 1, 3, 3, 3), lost in our copy of the text, are those that give its numbers
  of weights (17,960 and 12,870). Learning rate, weight decay and λ are lost too: 0.001, 0.0001, 1 here.
- The logarithm of characters is clipped at 5.5 for leaves, as the appendix says, and at 10 for nodes, most of which
  are longer. A value that a page does not have (words of a leaf without words) is the mean.
- Stop words are those of the page's language, in units of what its running prose has.
- Punctuation, digits and question marks are those of other scripts too.
- A leaf without words is content where the nearest leaves with words on both sides are.
- The paper does not say which pages its own split has; ours follows the order of a hash. CleanEval's test part has 675
  pages here and the other part 57, five fewer together than in the paper, so that 526 are left to train on.
"""

ACCOUNT = """
## What was tried

Measured once, with seed 1 and λ = 1 unless it says otherwise. The tables below are measured anew by the command; these
figures are not.

- The original split meets the paper's F1 of .86; the mixed one misses its .88. Why is not settled. On other test pages
  the model came nearer: .884 on another random split, .877 on the pages that the authors' code names (147 of 148 are
  here), .881 on those with labels by the paper's own aligner. These three runs and one of the original split (.873,
  with other pages for validation) were made with an earlier way of taking the validation error, so that code, pages and
  labels differ from those of the table.
- Two other settings were tried on the mixed split and scored on its test pages too: weight decay 0.001 gave .867 and
  learning rate 0.0003 .868, against .852 as it stands. F1 of their validation pages was .91 and .92. Picking one of
  them now would be picking on the test pages, so the values of the authors' code stay.
- Against the model `default`: word F1 .915 to .923 on every second page of CleanEval's test part, which neither was
  trained on. On every second page of the corpus trafilatura F1 of snippets is .887 to .961, but `default` was trained
  on that corpus and Web2Text was not. It does not become the default.
- Rows go through the networks 32 at a time: with more, OpenBLAS starts threads, which on a busy machine took 15 ms a
  page in place of 0.7.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--corpora", type=Path, default=Path("../shared/corpora"), help="folder of the corpora")
    parser.add_argument("--model", type=Path, default=Path("blockfeat/models/bundled/web2text.npz"))
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--only", choices=SECTIONS, nargs="+", default=list(SECTIONS), help="sections to write")
    parser.add_argument("--output", type=Path, help="where the document goes; standard output by default")
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    logging.getLogger("blockfeat").setLevel(logging.WARNING)
    shared = Options(options.corpora, LeafMeasurer.of(Identifier.build()), options.seeds, options.model)
    text = HEAD + ACCOUNT + "".join(f"\n{part}" for name in options.only for part in SECTIONS[name](shared))
    if options.output:
        options.output.write_text(text, encoding="utf-8")
    else:
        print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
