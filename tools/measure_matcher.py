"""Measure how fast brands are found: characters a second over the gold texts of a corpus, by language."""

from __future__ import annotations

import argparse
import random
import time
from collections import defaultdict
from pathlib import Path

from blockfeat.data import load_corpora
from blockfeat.monitor.mentions import Brand, BrandMatcher


def made_up(count: int) -> list[str]:
    """Return names that hardly occur: syllables, and one in ten of three Han characters."""
    chance = random.Random(1)
    names: dict[str, None] = {}
    while len(names) < count:
        syllables = ("".join(map(chance.choice, ("bcdfghklmnprstvz", "aeiou"))) for _ in range(chance.randint(2, 5)))
        han = "".join(chr(chance.randint(0x4E00, 0x8FFF)) for _ in range(3))
        names[han if len(names) % 10 == 0 else "".join(syllables).title()] = None
    return list(names)


def main() -> None:
    """Print a row for each language with twenty pages and more."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--brands", type=int, nargs="+", default=[10, 1_000])
    options = parser.parse_args()
    texts = defaultdict(list)
    for page in load_corpora(options.corpus):
        texts[page.lang].append(page.text or "")
    print(f"| language | characters |{'|'.join(f' {count} brands ' for count in options.brands)}|")
    print(f"|---|---:|{'---:|' * len(options.brands)}")
    matchers = [BrandMatcher.of(map(Brand, made_up(count))) for count in options.brands]
    for lang, own in texts.items():
        if len(own) >= 20:
            size = sum(map(len, own))
            speeds = (f" {size / seconds(matcher, own, lang) / 1e6:.1f} M/s " for matcher in matchers)
            print(f"| {lang} | {size} |{'|'.join(speeds)}|")


def seconds(matcher: BrandMatcher, texts: list[str], lang: str | None) -> float:
    """Return the least time of five passes."""
    times = []
    for _ in range(5):
        start = time.perf_counter()
        for text in texts:
            matcher.find(text, lang=lang)
        times.append(time.perf_counter() - start)
    return min(times)


if __name__ == "__main__":
    main()
