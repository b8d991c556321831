"""Ambiguous names: how many wrong mentions are left with words of descriptions, and after clicks.

Command: python -m experiments.senses --corpora ../shared/corpora

``senses.jsonl`` has judged mentions of nine names on English pages (by their places; the pages are not here),
``senses.toml`` the words. Pages are halved at random: a simulated user looks through the mentions of one half in random
order and clicks "no mention of my brand" at those that are wrong; what he passed over counts as right. The
other half is judged by what was learnt. Figures are means over the splits.
"""

from __future__ import annotations

import argparse
import json
import random
import tomllib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from blockfeat.data import load_corpora
from blockfeat.monitor.mentions.brand import SenseModel, sense_features
from experiments.needs import check_needs

_HERE = Path(__file__).parent
_CLICKS = (0, 5, 20, 50)


@dataclass(frozen=True)
class Judged:
    """A judged mention."""

    brand: str
    page: str
    features: frozenset[str]
    is_brand: bool


def _rows() -> list[dict[str, Any]]:
    return list(map(json.loads, (_HERE / "senses.jsonl").read_text(encoding="utf-8").splitlines()))


def judged_mentions(corpora: Path) -> list[Judged]:
    """Read the judged mentions, with what is near them on their pages."""
    wanted, rows = defaultdict(list), _rows()
    for row in rows:
        wanted[row["corpus"], str(row["id"])].append(row)
    found = []
    for corpus in sorted({row["corpus"] for row in rows}):
        for page in load_corpora([corpora / f"{corpus}.jsonl.xz"]):
            for row in wanted.pop((corpus, str(page.id)), ()):
                start, text = row["start"], page.text or ""
                features = sense_features(text, start, start + len(row["brand"]), lang="en")
                found.append(Judged(row["brand"], f"{corpus} {page.id}", features, row["is_brand"]))
    return found


def words_of() -> Mapping[str, SenseModel]:
    """Return the models of the given words."""
    tables = tomllib.loads((_HERE / "senses.toml").read_text(encoding="utf-8"))
    return {brand: SenseModel.of_words(words["about"], words["others"]) for brand, words in tables.items()}


def learnt(seen: Sequence[Judged], models: Mapping[str, SenseModel], *, clicks: int) -> Mapping[str, SenseModel]:
    """Return the models after so many clicks of a user who looks through mentions, those with a click only."""
    examples = defaultdict(list)
    done = 0
    for mention in seen:
        if done == clicks:
            break
        if mention.is_brand:
            examples[mention.brand].append((mention.features, True))
        elif models.get(mention.brand, SenseModel()).is_brand(mention.features):
            # What is not shown any more is not clicked.
            examples[mention.brand].append((mention.features, False))
            done += 1
    return {**models, **{brand: models.get(brand, SenseModel()).learn(own) for brand, own in examples.items()}}


def measure(mentions: Sequence[Judged], models: Mapping[str, SenseModel]) -> tuple[int, int, int]:
    """Return right and wrong mentions that are left, and right ones that there were."""
    left = [each for each in mentions if models.get(each.brand, SenseModel()).is_brand(each.features)]
    return (
        sum(each.is_brand for each in left),
        sum(not each.is_brand for each in left),
        sum(each.is_brand for each in mentions),
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpora", type=Path, default=Path("../shared/corpora"))
    parser.add_argument("--splits", type=int, default=50)
    options = parser.parse_args(arguments)
    check_needs(folder=options.corpora, corpora=sorted({row["corpus"] for row in _rows()}))
    mentions = judged_mentions(options.corpora)
    pages = sorted({mention.page for mention in mentions})
    print(f"{len(mentions)} mentions, {sum(each.is_brand for each in mentions)} of them of the brand\n")
    print("| words of descriptions | clicks | wrong left of 100 | precision | recall |\n|---|---:|---:|---:|---:|")
    for with_words in (False, True):
        start = words_of() if with_words else {}
        for clicks in _CLICKS:
            sums = [0, 0, 0, 0]
            for seed in range(options.splits):
                chosen = set(random.Random(seed).sample(pages, len(pages) // 2))
                seen = [each for each in mentions if each.page in chosen]
                random.Random(seed).shuffle(seen)
                rest = [each for each in mentions if each.page not in chosen]
                counted = measure(rest, learnt(seen, start, clicks=clicks))
                sums = [a + b for a, b in zip(sums, (*counted, sum(not each.is_brand for each in rest)), strict=True)]
            right, wrong, there, wrong_there = sums
            given = "yes" if with_words else "no"
            print(
                f"| {given} | {clicks} | {100 * wrong / wrong_there:.0f} | {right / max(1, right + wrong):.2f} "
                f"| {right / there:.2f} |"
            )


if __name__ == "__main__":
    main()
