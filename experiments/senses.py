"""Ambiguous names: what counts, and what a person is to decide, by words of descriptions and after clicks.

Command: python -m experiments.senses --corpora ../shared/corpora

``senses.jsonl`` has judged mentions of nine names on English pages (by their places; the pages are not here), on which
weights were chosen; ``senses_held_out.jsonl`` of five others, one of them German, on which nothing was; ``senses.toml``
has the words. A simulated user looks through mentions in random order: he decides those that are unsure by one key, and
clicks "no mention of my brand" at wrong ones that count; what he passed over counts as right.

*Other pages*: pages are halved at random, he looks through one half, the other is judged by what was learnt. *All
pages*: he looks through all of them, and what he decided is as he decided it. Figures are means over the splits.
"""

from __future__ import annotations

import argparse
import json
import random
import tomllib
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from blockfeat.data import load_corpora
from blockfeat.monitor.mentions.brand import UNSURE, SenseModel, sense_features
from blockfeat.training.evaluation.metrics import markdown_table
from experiments.needs import check_needs

_HERE = Path(__file__).parent
_CLICKS = (0, 5, 10, 20, 50)
_JUDGED, _FIGURES = ("other pages", "all pages"), ("precision", "recall", "unsure")
_SETS = {"nine names": "senses.jsonl", "five held out": "senses_held_out.jsonl"}


@dataclass(frozen=True)
class Judged:
    """A judged mention."""

    brand: str
    page: str
    features: frozenset[str]
    is_brand: bool


def words_of() -> Mapping[str, SenseModel]:
    """Return the models of the given words."""
    tables = tomllib.loads((_HERE / "senses.toml").read_text(encoding="utf-8"))
    return {brand: SenseModel.of_words(words["about"], words["others"]) for brand, words in tables.items()}


def _rows(file: str) -> list[dict[str, Any]]:
    return list(map(json.loads, (_HERE / file).read_text(encoding="utf-8").splitlines()))


def judged_mentions(file: str, corpora: Path, models: Mapping[str, SenseModel]) -> list[Judged]:
    """Read the judged mentions of a file, with what is near them on their pages."""
    wanted, rows = defaultdict(list), _rows(file)
    for row in rows:
        wanted[row["corpus"], str(row["id"])].append(row)
    found = []
    for corpus in sorted({row["corpus"] for row in rows}):
        for page in load_corpora([corpora / f"{corpus}.jsonl.xz"]):
            for row in wanted.pop((corpus, str(page.id)), ()):
                start, text, brand = row["start"], page.text or "", row["brand"]
                lang, given = row.get("lang", "en"), models[brand].given
                features = sense_features(text, start, start + len(brand), lang=lang, given=given)
                found.append(Judged(brand, f"{corpus} {page.id}", features, row["is_brand"]))
    return found


def looked_through(
    seen: Sequence[Judged], models: Mapping[str, SenseModel], *, clicks: int
) -> tuple[Mapping[str, SenseModel], Collection[Judged]]:
    """Return the models after so many clicks of a user who looks through mentions, and those that he decided."""
    examples, decided = defaultdict(list), set[Judged]()
    for mention in seen:
        if len(decided) == clicks:
            break
        rule = models.get(mention.brand, SenseModel()).rule(mention.features)
        # What is ruled out is not shown; what counts and is right is passed over.
        if not rule or rule.startswith(UNSURE):
            examples[mention.brand].append((mention.features, mention.is_brand))
            if rule or not mention.is_brand:
                decided.add(mention)
    return {**models, **{brand: models.get(brand, SenseModel()).learn(own) for brand, own in examples.items()}}, decided


def measure(
    mentions: Sequence[Judged], models: Mapping[str, SenseModel], decided: Collection[Judged] = ()
) -> tuple[int, int, int, int]:
    """Return the right mentions that count, all that count, the right ones that are unsure, all that are."""
    counted, unsure = [], []
    for mention in mentions:
        rule = models.get(mention.brand, SenseModel()).rule(mention.features)
        if mention.is_brand if mention in decided else not rule:
            counted.append(mention.is_brand)
        elif mention not in decided and rule.startswith(UNSURE):
            unsure.append(mention.is_brand)
    return sum(counted), len(counted), sum(unsure), len(unsure)


def figures(mentions: Sequence[Judged], models: Mapping[str, SenseModel], *, clicks: int, splits: int) -> list[float]:
    """Return precision, recall and share of unsure mentions on other pages, and the same on all pages."""
    pages = sorted({mention.page for mention in mentions})
    sums = [[0.0] * 6, [0.0] * 6]
    for seed in range(splits):
        shuffled = random.Random(seed).sample(mentions, len(mentions))
        chosen = set(random.Random(seed).sample(pages, len(pages) // 2))
        learnt, _ = looked_through([each for each in shuffled if each.page in chosen], models, clicks=clicks)
        rest = [each for each in mentions if each.page not in chosen]
        also, decided = looked_through(shuffled, models, clicks=clicks)
        for place, (among, counts) in enumerate(
            ((rest, measure(rest, learnt)), (mentions, measure(mentions, also, decided)))
        ):
            there = sum(each.is_brand for each in among)
            sums[place] = [a + b for a, b in zip(sums[place], (*counts, there, len(among)), strict=True)]
    return [
        figure
        for right, counted, _, unsure, there, number in sums
        for figure in (right / max(1, counted), right / there, unsure / number)
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpora", type=Path, default=Path("../shared/corpora"))
    parser.add_argument("--splits", type=int, default=50)
    options = parser.parse_args(arguments)
    check_needs(
        folder=options.corpora, corpora=sorted({row["corpus"] for file in _SETS.values() for row in _rows(file)})
    )
    models = words_of()
    rows = []
    for name, file in _SETS.items():
        mentions = judged_mentions(file, options.corpora, models)
        for with_words in (False, True):
            start = models if with_words else {}
            for clicks in _CLICKS:
                found = figures(mentions, start, clicks=clicks, splits=options.splits)
                rows.append([name, "yes" if with_words else "no", str(clicks), *(f"{figure:.2f}" for figure in found)])
    print(
        markdown_table(
            ["names", "words", "clicks", *(f"{one}: {other}" for one in _JUDGED for other in _FIGURES)], rows
        )
    )


if __name__ == "__main__":
    main()
