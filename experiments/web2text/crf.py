"""The rows CRF and Unfluff of Table 1: a linear-chain CRF over the leaves' features, and the extractor of Node.js.

Command: python -m experiments.web2text.crf --corpora ../shared/corpora --unfluff FOLDER

Needs python-crfsuite; for Unfluff Node.js and a folder in which ``npm install unfluff`` was run. The paper's CRF
(Victor, Spousta et al. 2008) has features of its own; this one has Web2Text's 128, each cut at its quintiles on the
training pages, and learns by L-BFGS with c2 chosen on the validation pages.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat.training.evaluation.peers import PeerExtract
from experiments.corpora import CLEANEVAL, Corpora
from experiments.needs import check_needs
from experiments.web2text.leaf_pages import (
    LeafPage,
    PageSplit,
    block_scores,
    label_pages,
    mixed_split,
    original_split,
    pooled_scores,
)
from experiments.web2text.study import Study

_QUINTILES = (0.2, 0.4, 0.6, 0.8)
_C2 = (0.01, 0.1, 1.0, 10.0)
_SECONDS = 60
_SCRIPT = """const unfluff = require(process.argv[1] + "/node_modules/unfluff");
let html = ""; process.stdin.on("data", (part) => html += part).on("end", () =>
  process.stdout.write(JSON.stringify(unfluff(html, process.argv[2] || "en").text || "")));"""

Cuts = NDArray[np.float64]


def unfluff(folder: Path) -> PeerExtract:
    """Return Unfluff, which is installed in a folder, as a function that extracts text."""

    def extract(html: str, lang: str | None = None, url: str | None = None) -> str:
        call = ["node", "-e", _SCRIPT, str(folder), lang or "en"]
        done = subprocess.run(call, input=html.encode("utf-8", "replace"), capture_output=True, timeout=_SECONDS)
        return str(json.loads(done.stdout)) if done.returncode == 0 else ""

    return extract


def cuts_of(pages: Sequence[LeafPage]) -> Cuts:
    """Return the quintiles of each feature over the leaves of some pages: 4 × 128."""
    return np.asarray(np.nanquantile(np.concatenate([page.features.blocks for page in pages]), _QUINTILES, axis=0))


def items_of(page: LeafPage, cuts: Cuts) -> list[list[str]]:
    """Return the items of each leaf: in which part of the range of each feature it is, "-" where it has no value."""
    places = (page.features.blocks[:, None, :] > cuts[None]).sum(axis=1)
    absent = np.isnan(page.features.blocks)
    return [
        [f"{column}:{'-' if gone else place}" for column, (place, gone) in enumerate(zip(row, none, strict=True))]
        for row, none in zip(places.tolist(), absent.tolist(), strict=True)
    ]


def crf_scores(split: PageSplit, folder: Path) -> Any:
    """Return the scores on the test part of the CRF that is best on the validation part."""
    import pycrfsuite

    cuts = cuts_of(split.training)
    best: tuple[float, Path] | None = None
    for c2 in _C2:
        trainer = pycrfsuite.Trainer(verbose=False)
        for page in split.training:
            if len(page.gold):
                trainer.append(items_of(page, cuts), ["1" if gold else "0" for gold in page.gold.tolist()])
        trainer.set_params({"c1": 0.0, "c2": c2, "max_iterations": 200})
        path = folder / f"{split.name}-{c2}"
        trainer.train(str(path))
        f1 = _scores(split.validation, path, cuts).f1
        if best is None or f1 > best[0]:
            best = f1, path
    assert best is not None
    return _scores(split.test, best[1], cuts)


def _scores(pages: Sequence[LeafPage], model: Path, cuts: Cuts) -> Any:
    import pycrfsuite

    tagger = pycrfsuite.Tagger()
    tagger.open(str(model))
    kept = [np.array(tagger.tag(items_of(page, cuts))) == "1" for page in pages if len(page.gold)]
    return block_scores(np.concatenate([page.gold for page in pages if len(page.gold)]), np.concatenate(kept))


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the rows."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    Corpora.add_options(parser)
    parser.add_argument("--unfluff", type=Path, help="folder in which unfluff is installed")
    options = parser.parse_args(arguments)
    check_needs(modules=["python-crfsuite"], folder=options.corpora, corpora=CLEANEVAL)
    study = Study(Corpora.of_options(options), (1,))
    others = {"Unfluff": unfluff(options.unfluff)} if options.unfluff else {}
    parts = [list(label_pages(study.corpora.pages(name), study.measurer, others)) for name in CLEANEVAL]
    splits = (original_split(*parts), mixed_split([page for part in parts for page in part]))
    with TemporaryDirectory() as folder:
        for split in splits:
            rows = {
                "CRF": crf_scores(split, Path(folder)),
                **{name: pooled_scores(split.test, name) for name in others},
            }
            for name, found in rows.items():
                print(
                    f"{split.name} {name}: accuracy {found.accuracy:.3f}, precision {found.precision:.3f}, "
                    f"recall {found.recall:.3f}, F1 {found.f1:.3f}"
                )


if __name__ == "__main__":
    main()
