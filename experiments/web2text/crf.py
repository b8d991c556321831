"""The rows CRF and Unfluff of Table 1: a linear-chain CRF over the leaves' features, and the extractor of Node.js.

The paper's CRF (Victor, Spousta et al. 2008) has features of its own; this one has Web2Text's 128, each cut at its
quintiles on the training pages, and learns by L-BFGS with c2 chosen on the validation pages.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from blockfeat.training.evaluation.peers import PeerExtract
from experiments.web2text.leaf_pages import BlockScores, LeafPage, PageSplit, block_scores

__all__ = ["crf_scores", "unfluff"]

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


def crf_scores(split: PageSplit) -> BlockScores:
    """Return the scores on the test part of the CRF that is best on the validation part."""
    cuts = cuts_of(split.training)
    with TemporaryDirectory() as folder:
        models = [_trained(split.training, cuts, c2, Path(folder, str(c2))) for c2 in _C2]
        best = max(models, key=lambda model: _scores(split.validation, model, cuts).f1)
        return _scores(split.test, best, cuts)


def _trained(pages: Sequence[LeafPage], cuts: Cuts, c2: float, path: Path) -> Path:
    import pycrfsuite

    trainer = pycrfsuite.Trainer(verbose=False)
    for page in pages:
        if len(page.gold):
            trainer.append(items_of(page, cuts), ["1" if gold else "0" for gold in page.gold.tolist()])
    trainer.set_params({"c1": 0.0, "c2": c2, "max_iterations": 200})
    trainer.train(str(path))
    return path


def _scores(pages: Sequence[LeafPage], model: Path, cuts: Cuts) -> BlockScores:
    import pycrfsuite

    tagger = pycrfsuite.Tagger()
    tagger.open(str(model))
    kept = [np.array(tagger.tag(items_of(page, cuts))) == "1" for page in pages if len(page.gold)]
    return block_scores(np.concatenate([page.gold for page in pages if len(page.gold)]), np.concatenate(kept))
