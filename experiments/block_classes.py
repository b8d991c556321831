"""What dropped blocks are: trains the bundled classifier, and measures it on hosts left out.

Command: python -m experiments.block_classes --corpora ../shared/corpora [--write]

``block_classes.jsonl`` has 404 blocks that the model ``default`` drops, one or two of a page and site, drawn at random
and by words, each judged by hand: the class first that fits best, then others that a reader would not object to. The
classifier starts from weights that say what names mean (a box called ``share`` is a share bar), and is fitted to the
judgements by gradient descent, with these weights as prior. Ten folds by host.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat.data import load_corpora
from blockfeat.extraction import block_classes
from blockfeat.extraction.block_classes import CLASSES, BlockClassifier, BlockSigns, BoxNames
from blockfeat.extraction.extractor import Extractor
from blockfeat.page.page import Page
from blockfeat.training.evaluation.metrics import markdown_table
from experiments.corpora import host_of
from experiments.needs import check_needs

Floats = NDArray[np.float64]

_HERE = Path(__file__).parent
_FOLDS, _STEPS, _RATE, _STRENGTH = 10, 400, 0.5, 1.0
_NEAR = {
    "breadcrumb": 7.0, "contents": 5.0, "consent": 6.0, "author": 5.0, "share": 5.0, "advertisement": 4.0,
    "caption": 5.0, "byline": 5.0, "date": 3.0, "comment": 3.0,
}  # fmt: skip
_OTHER_NEAR, _FAR_SHARE, _SAYS, _SAYS_ALL = 1.5, 0.35, 1.0, {"consent": 7.0, "advertisement": 4.0, "byline": 4.0}
_FIRST = {
    ("date", "date"): 1.0, ("date", "byline"): 0.5, ("before", "menu"): 1.0, ("behind", "footer"): 0.5,
    ("price", "listing"): 1.0, ("short link before", "menu"): 1.0, ("long link", "related"): 1.0,
    ("caption", "caption"): 3.0, ("separators", "footer"): 1.0, ("prose behind", "related"): 0.3,
    ("last hundredth", "footer"): 1.0, ("15-40 words", "menu"): -2.0, ("41 words", "menu"): -4.0,
    ("41 words", "consent"): 1.0, ("41 words", "footer"): -1.0, ("15-40 words", "footer"): -0.5,
}  # fmt: skip


@dataclass(frozen=True)
class Judged:
    """A judged block on its page."""

    host: str
    words: int
    classes: tuple[str, ...]
    role: str
    signs: BlockSigns


def _rows() -> list[dict[str, Any]]:
    text = (_HERE / "block_classes.jsonl").read_text(encoding="utf-8")
    return list(map(json.loads, text.splitlines()))


def judged_blocks(corpora: Path) -> list[Judged]:
    """Read the judged blocks, with their signs."""
    wanted, rows = defaultdict(list), _rows()
    for row in rows:
        wanted[row["corpus"], row["id"]].append(row)
    extractor, found = Extractor.load("default"), []
    for corpus in sorted({row["corpus"] for row in rows}):
        for labelled in load_corpora([corpora / f"{corpus}.jsonl.xz"]):
            for row in wanted.pop((corpus, labelled.id), ()):
                page = Page.parse(labelled.html, url=labelled.url)
                measured = extractor.measurer.measure(page)
                extraction = extractor.assemble(page, measured, extractor.model.predict(measured))
                place, blocks = row["index"], extraction.blocks
                if place >= len(blocks) or blocks[place].words != row["words"] or blocks[place].kept:
                    continue  # another model cuts or drops it otherwise
                kept = np.array([block.kept for block in blocks])
                signs = BlockSigns.of(measured.blocks, kept, BoxNames(measured.blocks), [place])
                host = host_of(labelled) or f"{corpus} {labelled.id}"
                found.append(Judged(host, row["words"], tuple(row["classes"]), extraction.roles[place], signs))
    return found


def prior(signs: Sequence[str]) -> Floats:
    """Return the weights that names and places have before anything was judged: k × 18."""
    weights = np.zeros((len(signs), len(CLASSES)))
    for row, sign in enumerate(signs):
        where, _, name = sign.partition(" ")
        if where in ("near", "far", "says") and name in CLASSES:
            near = _NEAR.get(name, _OTHER_NEAR)
            value = {"near": near, "far": near * _FAR_SHARE, "says": _SAYS_ALL.get(name, _SAYS)}[where]
            weights[row, CLASSES.index(name)] = value
    for (sign, name), value in _FIRST.items():
        weights[signs.index(sign), CLASSES.index(name)] += value
    return weights


def fitted(judged: Sequence[Judged]) -> BlockClassifier:
    """Fit the classifier to judged blocks (Adagrad; the problem is convex)."""
    signs = judged[0].signs.names
    matrix = np.array([one.signs.matrix[0] for one in judged], dtype=float)
    wanted = np.zeros((len(judged), len(CLASSES)))
    for row, one in enumerate(judged):
        for rank, name in enumerate(one.classes):
            wanted[row, CLASSES.index(name)] = 0.5 if rank else 1.0
    wanted /= wanted.sum(axis=1, keepdims=True)
    start = prior(signs)
    weights, bias = start.copy(), np.zeros(len(CLASSES))
    squares, bias_squares = np.full_like(weights, 1e-6), np.full_like(bias, 1e-6)
    for _ in range(_STEPS):
        scores = matrix @ weights + bias
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        error = powers / powers.sum(axis=1, keepdims=True) - wanted
        gradient = matrix.T @ error + _STRENGTH * (weights - start)
        bias_gradient = error.sum(axis=0) + 0.1 * _STRENGTH * bias
        squares += gradient**2
        bias_squares += bias_gradient**2
        weights -= _RATE * gradient / np.sqrt(squares)
        bias -= _RATE * bias_gradient / np.sqrt(bias_squares)
    return BlockClassifier(signs, weights, bias)


def document_of(classifier: BlockClassifier) -> dict[str, object]:
    """Return a classifier as plain values that JSON can hold."""
    rows = np.round(classifier.weights, 2).tolist()
    weights = dict(zip(classifier.signs, rows, strict=True))
    return {"bias": np.round(classifier.bias, 2).tolist(), "weights": weights}


def told(classifier: BlockClassifier, one: Judged) -> str:
    """Return the class that a block is told to be."""
    return classifier.classes(one.signs)[0] if one.role == "clutter" else one.role


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the figures and the confusion table; write the classifier on request."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpora", type=Path, default=Path("../shared/corpora"))
    parser.add_argument("--write", action="store_true", help="replace the bundled classifier")
    options = parser.parse_args(arguments)
    check_needs(folder=options.corpora, corpora=sorted({row["corpus"] for row in _rows()}))
    judged = judged_blocks(options.corpora)
    hosts = sorted({one.host for one in judged})
    np.random.default_rng(0).shuffle(hosts)
    fold = {host: number % _FOLDS for number, host in enumerate(hosts)}
    answers: list[tuple[Judged, str]] = []
    for number in range(_FOLDS):
        classifier = fitted([one for one in judged if fold[one.host] != number])
        answers += [(one, told(classifier, one)) for one in judged if fold[one.host] == number]
    named = [(one, name) for one, name in answers if one.classes[0] != "other" and one.role != "headline"]
    right = [name in one.classes for one, name in named]
    best = [name == one.classes[0] for one, name in named]
    words = [one.words for one, _ in named]
    heads = ("blocks", "whose class is named", "hosts", "a class that fits", "the first one", "of words")
    shares = np.mean(right), np.mean(best), np.average(right, weights=words)
    counts = len(named), len({one.host for one, _ in named})
    print(markdown_table(heads, [["all", *map(str, counts), *(f"{share:.3f}" for share in shares)]]))
    show_table(named)
    if options.write:
        path = Path(block_classes.__file__).with_name("block_classes.json")
        path.write_text(json.dumps(document_of(fitted(judged))).replace('], "', '],\n"') + "\n", encoding="utf-8")


def show_table(answers: Sequence[tuple[Judged, str]]) -> None:
    """Print for each class how many blocks it has, how many were told right, and what the others were taken for."""
    by_class: dict[str, list[tuple[Judged, str]]] = defaultdict(list)
    for one, name in answers:
        by_class[one.classes[0]].append((one, name))
    rows = []
    for name, own in sorted(by_class.items(), key=lambda item: -len(item[1])):
        wrong = Counter(told_as for one, told_as in own if told_as not in one.classes)
        taken = ", ".join(f"{other} {count}" for other, count in wrong.most_common(4))
        rows.append([name, str(len(own)), f"{1 - wrong.total() / len(own):.3f}", taken])
    print(markdown_table(("class", "blocks", "right", "taken for"), rows), end="")


if __name__ == "__main__":
    main()
