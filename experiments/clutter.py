"""What rules against clutter inside the text would change: word F1 by corpus, with each rule and without.

Usage: ``python -m experiments.clutter [--every 2] [--model default]``. A rule drops blocks that the model keeps. For
each rule and corpus: the change of the mean word F1 in points; of snippets those that wrongly stood in the text and go,
and those that rightly stood there and go. Cells are empty where it touches no page. The table of
experiments/results/kinds.md.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks, kinds_of_blocks
from blockfeat.data import LabelledPage, read_corpus
from blockfeat.extraction.extractor import Extractor
from blockfeat.extraction.postprocess import pointers
from blockfeat.extraction.walls import begins_with
from blockfeat.features.cues import bundled_cues
from blockfeat.page.page import Page
from blockfeat.training.evaluation.evaluate import score_page
from blockfeat.training.evaluation.metrics import markdown_table
from experiments.corpora import CLEANEVAL, NEWS, SNIPPETS, Corpora
from experiments.needs import check_needs

__all__ = ["RULES", "Change", "main"]

Mask = NDArray[np.bool_]
Rule = Callable[[Blocks, Mask], Sequence[int]]
_FEW_BLOCKS = 8


def _short_pointers(blocks: Blocks, kept: Mask) -> list[int]:
    short = (kept & (blocks.measures.words <= 30)).nonzero()[0].tolist()
    return [block for block in short if begins_with("read_also", blocks.raw_text(block))]


def _linked_lines(blocks: Blocks, kept: Mask) -> list[int]:
    words, linked = blocks.measures.words, blocks.measures.anchor_words
    found: list[int] = (kept & (linked >= 0.95 * words) & (words >= 4) & (words <= 30)).nonzero()[0].tolist()
    return found


def _captions(blocks: Blocks, kept: Mask) -> list[int]:
    captions = np.array([kind.name == "caption" for kind in kinds_of_blocks(blocks)], dtype=np.bool_)
    found: list[int] = (kept & captions).nonzero()[0].tolist()
    return found


def _named(*kinds: str) -> Rule:
    """Return the rule that drops blocks in small containers with a cue of these kinds (``cues.toml``)."""

    def rule(blocks: Blocks, kept: Mask) -> list[int]:
        cues, containers = bundled_cues(), blocks.containers
        mask = np.uint32(sum(cues.masks[kind] for kind in kinds))
        bits = cues.of_elements(blocks.tags, containers.element).bits
        is_small = containers.end_block - containers.first_block <= _FEW_BLOCKS
        inside = np.zeros(len(blocks), dtype=np.bool_)
        for container in ((bits & mask != 0) & is_small).nonzero()[0].tolist():
            inside[int(containers.first_block[container]) : int(containers.end_block[container])] = True
        short = blocks.measures.words <= 60
        found: list[int] = (kept & inside & short).nonzero()[0].tolist()
        return found

    return rule


_CORPORA = (*NEWS, CLEANEVAL[1], SNIPPETS)
RULES: dict[str, Rule] = {
    "lines that point at other texts, half of them links (bundled)": pointers,
    "short lines that point at other texts": _short_pointers,
    "short lines that are links": _linked_lines,
    "captions by element": _captions,
    "captions by class": _named("caption"),
    "author boxes by class": _named("byline"),
    "newsletter prompts by class": _named("newsletter"),
    "related texts by class": _named("related"),
}
"""The rules by name."""


@dataclass(frozen=True)
class Change:
    """What a rule changed on a page: word F1, and snippets that wrongly stood and rightly stood there."""

    f1: float
    wrong: int
    right: int


def change(labelled: LabelledPage, blocks: Blocks, kept: Mask, dropped: Sequence[int]) -> Change:
    """Score a page with some blocks and without them."""
    without = kept.copy()
    without[list(dropped)] = False
    texts = ("\n\n".join(blocks.texts(mask.nonzero()[0].tolist())) for mask in (kept, without))
    old, new = (score_page(text, labelled) for text in texts)
    if old.f1 is not None and new.f1 is not None:
        return Change(new.f1 - old.f1, 0, 0)
    if old.snippets is None or new.snippets is None:
        return Change(0.0, 0, 0)
    wrong = old.snippets.false_positives - new.snippets.false_positives
    return Change(0.0, wrong, old.snippets.true_positives - new.snippets.true_positives)


def _cell(found: Sequence[Change], pages: int | None) -> str:
    """Return points of word F1 over all pages of a corpus; without their number the snippets that go; "" untouched."""
    if not found:
        return ""
    if pages is None:
        return f"{sum(one.wrong for one in found)} : {sum(one.right for one in found)}"
    return f"{100 * sum(one.f1 for one in found) / pages:+.3f}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return the exit status."""
    summary = (__doc__ or "").split("\n")[0]
    parser = argparse.ArgumentParser(prog="python -m experiments.clutter", description=summary)
    Corpora.add_options(parser)
    parser.add_argument("--model", default="default")
    options = parser.parse_args(arguments)
    check_needs(folder=options.corpora, corpora=_CORPORA)
    corpora, extractor = Corpora.of_options(options), Extractor.load(options.model)
    changes: dict[tuple[str, str], list[Change]] = defaultdict(list)
    pages: dict[str, int] = defaultdict(int)
    for name in _CORPORA:
        for labelled in corpora.sample(read_corpus(corpora.folder / f"{name}.jsonl.xz")):
            pages[name] += 1
            page = Page.parse(labelled.html, url=labelled.url)
            measured = extractor.measurer.measure(page)
            kept = extractor.model.predict(measured).kept
            for rule, find in RULES.items():
                dropped = find(measured.blocks, kept) if kept.any() else []
                if 0 < len(dropped) < int(kept.sum()):
                    changes[rule, name].append(change(labelled, measured.blocks, kept, dropped))
    rows = [
        [rule, *(_cell(changes[rule, name], None if name == SNIPPETS else pages[name]) for name in pages)]
        for rule in RULES
    ]
    sys.stdout.write(markdown_table(("rule", *_CORPORA[:-1], "snippets"), rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
