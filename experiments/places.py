"""Places of sites: how many wrong mentions are left after clicks, with the clicks of other pages of the host.

Command: python -m experiments.places --corpora ../shared/corpora

Every block of three words or more with a capitalised word behind its first stands for a mention. It is wrong where the
model (one that saw no page of its corpus) keeps it and the gold text has none of its words, or leaves it out and the
gold has them. The pages of a host are halved at random: a simulated user looks through one half in random order, and
clicks at each wrong mention, up to so many clicks in all; every lesson is accepted unseen. The other half is measured.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from blockfeat.data import LabelledPage, load_corpora
from blockfeat.data.align import align
from blockfeat.extraction.extractor import Extractor
from blockfeat.models.site import plain_path
from blockfeat.monitor.feedback import place_lesson
from blockfeat.page.page import Page
from experiments.corpora import by_host
from experiments.left_out import left_out_models
from experiments.needs import check_needs

_CORPORA = ("cleanportaleval", "daniel", "wcxb-dev", "dragnet", "l3s-gn1")
_NAME = re.compile(r"\w.*\s[^\W\d_a-zß-ÿ]\w")
_CLICKS = (0, 20, 50)
_LEAST_PAGES, _LEAST_WRONG = 6, 10


@dataclass(frozen=True)
class Mention:
    """A block that stands for a mention."""

    page: str
    path: str
    counted: bool
    is_inside: bool


def mentions_of_page(labelled: LabelledPage, extractor: Extractor) -> Iterator[Mention]:
    """Yield the mentions of a page whose place the gold text tells."""
    page = Page.parse(labelled.html, url=labelled.url, keep_drawings=extractor.model.table.reads_drawings)
    measured = extractor.measurer.measure(page)
    if not len(measured.blocks) or not labelled.text:
        return
    alignment = align(measured.blocks, labelled.text)
    extraction = extractor.assemble(page, measured, extractor.model.predict(measured))
    if alignment.found < 0.8 or len(extraction.blocks) != len(alignment.share):
        return
    for block, share in zip(extraction.blocks, alignment.share.tolist(), strict=True):
        # Headlines are in some gold texts and not in others.
        if block.words >= 3 and (share > 0.9 or share < 0.1) and _NAME.search(block.text) and "/h1" not in block.xpath:
            yield Mention(labelled.id, plain_path(block.xpath), block.kept, share > 0.5)


def lessons_of(seen: Sequence[Mention], *, clicks: int) -> Mapping[str, bool]:
    """Return what a user's clicks teach of the places of a host: whether each is inside of the article."""
    verdicts: dict[str, Counter[str]] = defaultdict(Counter)
    done = 0
    for mention in seen:
        if done == clicks:
            break
        if mention.counted == mention.is_inside:
            verdicts[mention.path]["passed, counted" if mention.counted else "passed, not counted"] += 1
        else:
            verdicts[mention.path]["not in the article" if mention.counted else "missed"] += 1
            done += 1
    lessons = {path: place_lesson(counts) for path, counts in verdicts.items()}
    return {path: inside for path, inside in lessons.items() if inside is not None}


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpora", type=Path, default=Path("../shared/corpora"))
    parser.add_argument("--splits", type=int, default=10)
    options = parser.parse_args(arguments)
    check_needs(folder=options.corpora, corpora=_CORPORA)
    hosts: list[list[Mention]] = []
    models = left_out_models()
    for corpus in _CORPORA:
        extractor = Extractor.of(models[corpus])
        for pages in by_host(load_corpora([options.corpora / f"{corpus}.jsonl.xz"])).values():
            if len(pages) >= _LEAST_PAGES:
                hosts.append([mention for page in pages for mention in mentions_of_page(page, extractor)])
    hosts = [found for found in hosts if sum(one.counted != one.is_inside for one in found) >= _LEAST_WRONG]
    print(f"{len(hosts)} hosts, {sum(map(len, hosts))} mentions\n")
    print("| clicks | wrong of 1,000 | wrong left of 100 | right made wrong of 1,000 | lessons a host |")
    print("|---:|---:|---:|---:|---:|")
    for clicks in _CLICKS:
        wrong = before = broken = count = taught = 0
        for seed in range(options.splits):
            for mentions in hosts:
                named = sorted({mention.page for mention in mentions})
                chosen = set(random.Random(seed).sample(named, len(named) // 2))
                seen = [mention for mention in mentions if mention.page in chosen]
                random.Random(seed).shuffle(seen)
                lessons = lessons_of(seen, clicks=clicks)
                taught += len(lessons)
                for mention in (mention for mention in mentions if mention.page not in chosen):
                    is_counted = lessons.get(mention.path, mention.counted)
                    count += 1
                    before += mention.counted != mention.is_inside
                    wrong += is_counted != mention.is_inside
                    broken += mention.counted == mention.is_inside != is_counted
        rounds = options.splits * len(hosts)
        print(
            f"| {clicks} | {1000 * wrong / count:.1f} | {100 * wrong / before:.0f} | {1000 * broken / count:.1f} "
            f"| {taught / rounds:.1f} |"
        )


if __name__ == "__main__":
    main()
