"""Score bundled models on the pinned corpora and fail where a score fell below its floor.

Usage: ``python tools/gate.py [--corpora FOLDER] [--jobs N]``. The floors stand in tools/gate.toml. A floor that is
``unseen`` holds for the model of tools/left_out that was trained without the corpus, as the bundled one is trained: the
bundled default has seen most of these pages. Exit status: 0 if every score holds or the folder of corpora is absent, 1
if a score fell or nothing is pinned.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from blockfeat.data import load_corpora
from blockfeat.extraction.extractor import Extractor
from blockfeat.training.evaluation.evaluate import score_model
from experiments.left_out import left_out_models

__all__ = ["FLOORS", "Floor", "main", "read_floors"]

FLOORS = Path(__file__).with_name("gate.toml")


@dataclass(frozen=True)
class Floor:
    """The least mean score that a model may have on a corpus; ``unseen`` for one that was trained without it."""

    model: str
    corpus: str
    metric: str
    value: float
    unseen: bool = False

    def holds(self, score: float, tolerance: float) -> bool:
        """Say whether a score is at most the tolerance below the floor; NaN never is."""
        return score >= self.value - tolerance


def read_floors(path: Path) -> tuple[list[Floor], float]:
    """Read the floors, those of one model and corpus beside each other, and the tolerance."""
    document = tomllib.loads(path.read_text(encoding="utf-8"))
    floors = [Floor(**entry) for entry in document["floor"]]
    return sorted(floors, key=lambda floor: (floor.corpus, floor.model, floor.unseen)), float(document["tolerance"])


def measure(floors: Sequence[Floor], folder: Path, jobs: int) -> Iterator[tuple[Floor, float]]:
    """Yield each floor with the score of today; a model meets a corpus once."""
    unseen_models = {name: left_out_models(recipe=name) for name in {floor.model for floor in floors if floor.unseen}}
    for (corpus, model, unseen), group in groupby(floors, key=lambda floor: (floor.corpus, floor.model, floor.unseen)):
        pages = load_corpora([folder / f"{corpus}.jsonl.xz"])
        extractor = Extractor.of(unseen_models[model][corpus]) if unseen else Extractor.load(model)
        evaluation = score_model(extractor, pages, jobs=jobs)
        for floor in group:
            yield floor, evaluation.mean(floor.metric)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the gate; return the exit status."""
    parser = argparse.ArgumentParser(description="Fail where a pinned score fell below its floor.")
    parser.add_argument("--corpora", type=Path, default=Path("../shared/corpora"), help="folder of the corpora")
    parser.add_argument("--floors", type=Path, default=FLOORS, help="file with the floors")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    options = parser.parse_args(arguments)
    if not options.corpora.is_dir():
        print(f"gate skipped: there is no folder {options.corpora} with the pinned corpora")
        return 0
    floors, tolerance = read_floors(options.floors)
    if not floors:
        print(f"gate failed: {options.floors} pins no floor", file=sys.stderr)
        return 1
    fallen = 0
    for floor, score in measure(floors, options.corpora, options.jobs):
        holds = floor.holds(score, tolerance)
        fallen += not holds
        verdict = "holds" if holds else "FELL"
        model = f"{floor.model}, unseen" if floor.unseen else floor.model
        print(f"{floor.corpus:<16} {model:<16} {floor.metric:<9} {score:.4f}  floor {floor.value:.4f}  {verdict}")
    print(f"gate: {len(floors)} scores, {fallen} below the floor")
    return 1 if fallen else 0


if __name__ == "__main__":
    sys.exit(main())
