"""Train the default model on what ``tools/train_default.py prepare`` wrote, or without some corpora, to test on them.

Usage::

    python tools/fit_default.py fit --prepared /tmp/acc --output blockfeat/models/bundled/default.npz
    python tools/fit_default.py leave-out --prepared /tmp/acc --corpora daniel --seed 1

    python tools/fit_default.py split --prepared /tmp/acc

``split`` leaves out every fourth host of all corpora instead. Pages that are left out are not seen in training. Each
page weighs 1 (pages that are no articles less), each block the root of its words, times the weight of its label. The
cut is chosen on a quarter of the hosts, which a first model is not trained on.
"""

from __future__ import annotations

import argparse
import json
import pickle
import sys
import zlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat._numeric import fit_logistic
from blockfeat.blocks import load_table
from blockfeat.evaluation.metrics import snippet_scores, word_scores
from blockfeat.models import save_model
from blockfeat.models.model import Model
from blockfeat.models.sequence.model import ContentTest, SequenceModel
from blockfeat.training.sequence_network import SequenceOptions, SequencePage, fit_sequence

__all__ = [
    "PARTS",
    "Pages",
    "command_parser",
    "left_out_pages",
    "main",
    "page_score",
    "part_of",
    "train",
    "write_results",
]

_OTHER_TYPES = 0.5
_EMPTIED = 0.3
_LEAST_WEIGHT = 60.0
_CUTS = (0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6)
_MOST_REFUSED = 0.005
_AS_GOOD = 0.0005
_NO_HOSTS_CUT = 0.5
PARTS = 4
"""ContentOptions of the hosts."""


@dataclass(frozen=True, eq=False)
class Pages:
    """The prepared pages, as arrays over all blocks."""

    matrix: NDArray[np.float32]
    labels: NDArray[np.float32]
    weights: NDArray[np.float32]
    words: NDArray[np.int32]
    offsets: NDArray[np.int64]
    records: list[dict[str, Any]]
    names: list[str]

    @classmethod
    def load(cls, folder: Path) -> Pages:
        """Read what was prepared."""
        arrays = {name: np.load(folder / f"{name}.npy") for name in ("labels", "weights", "words", "offsets")}
        return cls(
            matrix=np.load(folder / "matrix.npy", mmap_mode="r"),
            records=pickle.loads((folder / "pages.pkl").read_bytes()),
            names=json.loads((folder / "names.json").read_text(encoding="utf-8")),
            **arrays,
        )

    def rows(self, page: int) -> slice:
        """Return the blocks of a page."""
        return slice(int(self.offsets[page]), int(self.offsets[page + 1]))

    def sequence(self, page: int) -> SequencePage:
        """Return a page to train on."""
        rows, record = self.rows(page), self.records[page]
        weight = self.weights[rows] * np.sqrt(np.maximum(self.words[rows], 1))
        share = 1.0 if record["page_type"] in (None, "article") else _OTHER_TYPES
        share *= _EMPTIED if record.get("emptied") else 1.0
        weight *= share / max(float(weight.sum()), _LEAST_WEIGHT)
        return SequencePage(np.asarray(self.matrix[rows]), self.labels[rows], weight.astype(np.float32))


def part_of(host: str, salt: str = "") -> int:
    """Return the part of a host, 0 to 3."""
    return zlib.crc32((salt + host).encode()) % PARTS


def left_out_pages(pages: Pages, corpora: Sequence[str], *, by_host: bool) -> set[int]:
    """Return the pages of some corpora, or those of every fourth host (pages that tell no host stay in)."""
    if by_host:
        hosts = [(place, record["host"]) for place, record in enumerate(pages.records) if record["host"]]
        return {place for place, host in hosts if part_of(host) == 0}
    return {place for place, record in enumerate(pages.records) if record["corpus"] in set(corpora)}


def train(pages: Pages, left_out: set[int], options: SequenceOptions) -> SequenceModel:
    """Train on all pages that may be trained on but some; a quarter of their hosts chooses the cut first."""
    cut = chosen_cut(pages, left_out, options)
    model = replace(fitted(pages, left_out, options), cut=cut)
    chosen = trained_on(pages, left_out)
    return with_content_test(model, pages, chosen)


def chosen_cut(pages: Pages, left_out: set[int], options: SequenceOptions) -> float:
    """Return the highest cut that is as good as the best on a quarter of the hosts that are not left out.

    Each corpus weighs the root of its pages. As good is what loses at most 0.0005: of two cuts that find as much, the
    higher lets fewer teasers through. 0.5 where no page tells its host.
    """
    inner = {
        place
        for place, record in enumerate(pages.records)
        if place not in left_out and record["host"] and part_of(record["host"], "inner ") == 0
    }
    if not inner:
        return _NO_HOSTS_CUT
    model = fitted(pages, left_out | inner, options)
    scores: dict[float, dict[str, list[float]]] = {cut: defaultdict(list) for cut in _CUTS}
    for place in sorted(inner):
        record = pages.records[place]
        if record["use"] and not record.get("emptied"):
            logits = model.logits(np.asarray(pages.matrix[pages.rows(place)]))
            for cut, score in scores_by_cut(record, logits, pages.words[pages.rows(place)]).items():
                scores[cut][record["corpus"]].append(score)
    roots = {corpus: len(own) ** 0.5 for corpus, own in scores[_CUTS[0]].items()}
    means = {
        cut: sum(fmean(own) * roots[corpus] for corpus, own in found.items()) / sum(roots.values())
        for cut, found in scores.items()
    }
    return max(cut for cut in _CUTS if means[cut] >= max(means.values()) - _AS_GOOD)


def scores_by_cut(record: dict[str, Any], logits: NDArray[np.float32], words: NDArray[np.int32]) -> dict[float, float]:
    """Return the score of a page for each cut, which is lower on pages in doubt (`SequenceModel.page_cut`)."""
    leasts = {cut: SequenceModel.page_cut(logits, words, cut) for cut in _CUTS}
    return {cut: page_score(record, logits >= np.log(least / (1 - least))) for cut, least in leasts.items()}


def trained_on(pages: Pages, left_out: set[int]) -> list[int]:
    """Return the pages that may be trained on but some."""
    return [place for place, record in enumerate(pages.records) if record["use"] and place not in left_out]


def fitted(pages: Pages, left_out: set[int], options: SequenceOptions) -> SequenceModel:
    """Fit the network to all pages that may be trained on but some."""
    chosen = trained_on(pages, left_out)
    weights = fit_sequence([pages.sequence(place) for place in chosen], options)
    record = {
        "corpora": sorted({pages.records[place]["corpus"] for place in chosen}),
        "pages": len(chosen),
        "options": {name: getattr(options, name) for name in SequenceOptions.__slots__},
        "blockfeat": version("blockfeat"),
        "command": "python tools/fit_default.py fit --prepared prepared --output default.npz",
    }
    return SequenceModel("default", load_table("html5"), tuple(pages.names), weights, record=record)


def with_content_test(model: SequenceModel, pages: Pages, chosen: Sequence[int]) -> SequenceModel:
    """Learn from pages with and without their content which pages have none: logistic regression."""
    rows, empty = [], []
    for place in chosen:
        record = pages.records[place]
        if record["text"] is not None:
            logits = model.logits(np.asarray(pages.matrix[pages.rows(place)]))
            rows.append(ContentTest.measures(logits, pages.words[pages.rows(place)]))
            empty.append(bool(record.get("emptied")))
    inputs = np.column_stack((np.array(rows), np.ones(len(rows))))
    target = ~np.array(empty)
    share = np.where(target, 0.5 / target.sum(), 0.5 / (~target).sum())
    weights = fit_logistic(inputs, target, weights=share, ridge=1e-4, steps=30)
    # So few pages with content are refused.
    least = float(np.quantile((inputs @ weights)[target], _MOST_REFUSED))
    return replace(model, content=ContentTest(tuple(weights[:-1].tolist()), float(weights[-1] - least)))


def report(model: SequenceModel, pages: Pages, tested: set[int]) -> dict[str, Any]:
    """Score a model by corpus: word F1 (or snippet F1) by cut, and how well it tells pages without content."""
    found: dict[str, Any] = {}
    per_page: dict[str, float] = {}
    for corpus in dict.fromkeys(pages.records[place]["corpus"] for place in sorted(tested)):
        scores: dict[float, list[float]] = defaultdict(list)
        has_content: dict[bool, list[bool]] = {True: [], False: []}
        by_type: dict[str, list[float]] = defaultdict(list)
        for place, record in enumerate(pages.records):
            if record["corpus"] != corpus or place not in tested:
                continue
            logits = model.logits(np.asarray(pages.matrix[pages.rows(place)]))
            words = pages.words[pages.rows(place)]
            is_full = not record.get("emptied")
            has_content[is_full].append(model.content is None or model.content.holds(logits, words))
            if is_full:
                for cut, score in scores_by_cut(record, logits, words).items():
                    scores[cut].append(score)
                by_type[record["page_type"] or ""].append(scores[0.5][-1])
                per_page[f"{corpus}/{record['id']}"] = scores[0.5][-1]
        found[corpus] = {
            "pages": len(scores[0.5]),
            "by cut": {cut: round(fmean(values), 4) for cut, values in scores.items()},
            "by type": {name: round(fmean(values), 4) for name, values in by_type.items()},
            "content told": {str(full): round(fmean(told), 4) for full, told in has_content.items() if told},
        }
        print(corpus, json.dumps(found[corpus]), flush=True)
    found["pages"] = per_page
    return found


def page_score(record: dict[str, Any], kept: NDArray[np.bool_]) -> float:
    """Return the word F1 of the blocks that are kept, or the snippet F1 where the page has no gold text."""
    text = "\n\n".join(record["texts"][place] for place in np.flatnonzero(kept).tolist())
    if record["text"]:
        return word_scores(text, record["text"]).f1
    return snippet_scores(text, record["present"], record["absent"]).f1


def command_parser(description: str) -> argparse.ArgumentParser:
    """Return a parser with what the fits of all models need; the description's first line is shown."""
    parser = argparse.ArgumentParser(description=description.split("\n")[0])
    parser.add_argument("command", choices=["fit", "leave-out", "split"])
    parser.add_argument("--prepared", type=Path, required=True, help="folder that `train_default.py prepare` wrote")
    parser.add_argument(
        "--corpora", type=_names, default=[], help="corpora to leave out and test on, separated by commas"
    )
    parser.add_argument("--output", type=Path, help="model file to write")
    parser.add_argument("--report", type=Path, help="JSON file for the scores")
    return parser


def _names(listed: str) -> list[str]:
    return [name for name in listed.split(",") if name]


def write_results(options: argparse.Namespace, model: Model, found: dict[str, Any]) -> None:
    """Write the scores and the model, where files are named for them."""
    if options.report is not None:
        options.report.write_text(json.dumps(found), encoding="utf-8")
    if options.output is not None:
        save_model(model, options.output)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return the exit status."""
    parser = command_parser(__doc__ or "")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--passes", type=int, default=SequenceOptions().passes)
    parser.add_argument("--channels", type=int, default=SequenceOptions().channels)
    options = parser.parse_args(arguments)
    pages = Pages.load(options.prepared)
    left_out = left_out_pages(pages, options.corpora, by_host=options.command == "split")
    model = train(pages, left_out, SequenceOptions(seed=options.seed, passes=options.passes, channels=options.channels))
    found = report(model, pages, left_out)
    write_results(options, model, found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
