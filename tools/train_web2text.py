"""Train the bundled model ``web2text`` from the development corpora, or show how it does on pages held out.

Usage::

    python tools/train_web2text.py --output blockfeat/models/bundled/web2text.npz
    python tools/train_web2text.py --held-out

Needs the extra ``web2text`` (PyTorch). The same seed and pages give the same file on the same machine. The test part
of CleanEval is never trained on. ``--held-out`` trains on four fifths of the hosts and prints word F1 on the others.
"""

from __future__ import annotations

import argparse
import logging
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from blockfeat import Extractor, __version__
from blockfeat.blocks.table import Blocks
from blockfeat.data import LabelledPage, read_corpus
from blockfeat.data.align import align
from blockfeat.data.labels import Marks, label_blocks
from blockfeat.data.split import split_by_host
from blockfeat.evaluation.markdown_table import markdown_table
from blockfeat.evaluation.metrics import word_scores
from blockfeat.lang import tokenize
from blockfeat.lang.identify import Identifier
from blockfeat.models.store import model_to_bytes
from blockfeat.models.web2text.features import page_features
from blockfeat.models.web2text.labeller import LeafLabeller
from blockfeat.models.web2text.leaves import LeafMeasurer
from blockfeat.models.web2text.model import Web2TextModel
from blockfeat.page.page import Page
from blockfeat.page.tags import name_keys
from blockfeat.training.web2text_networks import LabelledLeaves, Recipe, train_web2text

_NAMES = "cleaneval-dev cleanportaleval daniel dragnet fundus goose3 htmltotext l3s-gn1 newspaper4k wcxb-dev"
CORPORA = tuple(_NAMES.split())
INTERPOLATIONS = (0.0, 0.1, 0.3, 1.0)
BUNDLED = Recipe(steps=12_000, check_every=250, patience=16)
_LEAST_FOUND = 0.5
_OTHER_TYPES = 0.3
_TESTED = 60
_FEWEST_ECHO = 4
_BYLINE = re.compile(r'(?:class|id|itemprop|rel)="[^"]{0,200}?(?:byline|author|dateline|timestamp|datepubl)', re.I)
_CAPTION = re.compile(r'<fig|<caption|class="[^"]{0,200}?caption', re.I)
_logger = logging.getLogger("train_web2text")


@dataclass(frozen=True)
class Prepared:
    """A page with its leaves labelled for training; the labels are None where its gold is of no use."""

    page: LabelledPage
    leaves: LabelledLeaves | None


def read_development(folder: Path) -> list[LabelledPage]:
    """Return the pages with gold text of all development corpora that are there."""
    paths = (folder / f"{name}.jsonl.xz" for name in CORPORA)
    return [page for path in paths if path.exists() for page in read_corpus(path) if page.text]


def prepare(pages: Iterable[LabelledPage], measurer: LeafMeasurer) -> Iterator[Prepared]:
    """Cut, measure and label pages: body text is content; headlines and bylines are not, captions say nothing."""
    for page in pages:
        measured = measurer.measure(Page.parse(page.html, url=page.url))
        blocks = measured.blocks
        if not len(blocks) or not page.text:
            yield Prepared(page, None)
            continue
        alignment = align(blocks, page.text)
        if alignment.found < _LEAST_FOUND:
            yield Prepared(page, None)
            continue
        labelled = label_blocks(alignment.share, alignment.words, marks_of(blocks, page))
        size = np.sqrt(np.maximum(alignment.words, 1))
        weights = labelled.weights * size / size.mean()
        if page.page_type not in (None, "article"):
            weights *= _OTHER_TYPES
        yield Prepared(page, LabelledLeaves(page_features(measured), labelled.labels > 0.5, weights))


def marks_of(blocks: Blocks, page: LabelledPage) -> Marks:
    """Return which leaves are headlines, bylines, captions, and repetitions of what the gold has."""
    elements = blocks.containers.element.tolist()
    starts = [blocks.tags.start_tag(element)[:1_000] for element in elements]
    headings = blocks.tags.key[blocks.containers.element] == name_keys(["h1"])[0]
    byline = np.array([bool(_BYLINE.search(tag)) for tag in starts])
    caption = np.array([bool(_CAPTION.match(tag) or _CAPTION.search(tag)) for tag in starts])
    texts = [blocks.raw_text(place).rstrip() for place in range(len(blocks))]
    terminal = np.array([text.endswith((".", "!", "?", "。")) for text in texts])
    title, gold = set(tokenize(page.title or "")), f" {' '.join(tokenize(page.text or ''))} "
    words = [tokenize(text) for text in texts]
    titled = np.array([_is_title(found, title) for found in words])
    echo = np.array([len(found) >= _FEWEST_ECHO and f" {' '.join(found)} " in gold for found in words])
    return Marks(
        headline=_inside(blocks, headings) | titled,
        byline=_inside(blocks, byline) & ~terminal,
        caption=_inside(blocks, caption),
        echo=echo,
    )


def _is_title(words: list[str], title: set[str]) -> bool:
    shared = len(title.intersection(words))
    return bool(title) and shared >= 0.75 * len(words) and shared >= 0.5 * len(title)


def _inside(blocks: Blocks, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which blocks stand inside of some containers."""
    change = np.zeros(len(blocks) + 1, dtype=np.int64)
    np.add.at(change, blocks.containers.first_block[chosen], 1)
    np.add.at(change, blocks.containers.end_block[chosen], -1)
    return np.cumsum(change)[:-1] > 0


def train(pages: Sequence[Prepared], *, seed: int, corpora: Sequence[str]) -> Web2TextModel:
    """Train on prepared pages, a tenth of the hosts for validation; λ is the best above 0 on those."""
    by_page = {id(prepared.page): prepared.leaves for prepared in pages if prepared.leaves is not None}
    usable = [prepared.page for prepared in pages if prepared.leaves is not None]
    rest, validation = split_by_host(usable, share=0.9, seed=seed)
    checked = [_weighing_one(by_page[id(page)]) for page in validation]
    trained = train_web2text([by_page[id(page)] for page in rest], checked, BUNDLED, seed=seed)
    labeller = trained.labeller
    scored = {weight: _weighted_f1(replace(labeller, interpolation=weight), checked) for weight in INTERPOLATIONS}
    _logger.info("F1 of validation leaves by interpolation: %s", scored)
    record = {
        **trained.record,
        "corpora": list(corpora),
        "convention": "body text; headline, byline and date out",
        "validation_f1": scored,
        "blockfeat": __version__,
        "command": "python tools/train_web2text.py",
    }
    # λ = 0 is only recorded, for comparison: it would be a model without pairs.
    best = max((weight for weight in scored if weight > 0), key=lambda weight: scored[weight])
    return Web2TextModel(replace(labeller, interpolation=best), record=record)


def _weighing_one(page: LabelledLeaves) -> LabelledLeaves:
    """Return a page with weights that sum to 1, so that long pages do not decide alone when training stops."""
    return replace(page, weights=page.weights / max(float(page.weights.sum()), 1e-9))


def _weighted_f1(labeller: LeafLabeller, pages: Sequence[LabelledLeaves]) -> float:
    both = either = 0.0
    for page in pages:
        kept = labeller.predict(page.features).kept
        both += float(page.weights[kept & page.labels].sum())
        either += float(page.weights[kept].sum() + page.weights[page.labels].sum())
    return 2 * both / either if either else 0.0


def held_out(pages: Sequence[Prepared], *, seed: int) -> Iterator[tuple[str, int, float, float]]:
    """Yield corpus, pages, and word F1 of Web2Text and of the default model on hosts that were not trained on."""
    by_page = {id(prepared.page): prepared for prepared in pages}
    rest, tested = split_by_host([prepared.page for prepared in pages], share=0.8, seed=seed + 1)
    model = train([by_page[id(page)] for page in rest], seed=seed, corpora=CORPORA)
    default, extractor = Extractor.load("default"), Extractor.of(model)
    groups: dict[str, list[LabelledPage]] = defaultdict(list)
    for page in tested:
        groups[page.corpus].append(page)
    for name, found in groups.items():
        chosen = found[:: max(1, len(found) // _TESTED)][:_TESTED]
        scores = [
            (
                word_scores(extractor.extract(page.html).text, page.text or "").f1,
                word_scores(default.extract(page.html).text, page.text or "").f1,
            )
            for page in chosen
        ]
        ours, theirs = np.mean(scores, axis=0).tolist()
        yield name, len(chosen), ours, theirs


def save(model: Web2TextModel, path: Path) -> None:
    """Write a model file; the same model gives the same bytes."""
    with path.open("wb") as file:
        file.write(model_to_bytes(model))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--corpora", type=Path, default=Path("../shared/corpora"), help="folder of the corpora")
    parser.add_argument("--output", type=Path, help="where the model goes")
    parser.add_argument("--held-out", action="store_true", help="score a model that was trained without some hosts")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    measurer = LeafMeasurer.of(Identifier.build())
    pages = list(prepare(read_development(options.corpora), measurer))
    _logger.info("%d pages, %d of use", len(pages), sum(prepared.leaves is not None for prepared in pages))
    if options.held_out:
        rows = [
            (name, str(n), f"{ours:.4f}", f"{theirs:.4f}")
            for name, n, ours, theirs in held_out(pages, seed=options.seed)
        ]
        print(markdown_table(("corpus", "pages", "web2text", "default"), rows), end="")
    if options.output:
        model = train(pages, seed=options.seed, corpora=CORPORA)
        save(model, options.output)
        _logger.info("wrote %s", options.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
