"""Rules of sites learnt from a user's own labelled pages, on top of a bundled model."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import compress
from os import PathLike

import numpy as np
from numpy.typing import NDArray

from blockfeat import __version__
from blockfeat.data.align import align
from blockfeat.data.corpus import LabelledPage
from blockfeat.data.split import without_listed
from blockfeat.errors import ModelError, TrainingError
from blockfeat.extraction.extractor import Extractor
from blockfeat.models import SiteModel, SiteRule, SiteRules, bundled_models
from blockfeat.models.site import HEADLINE, blocks_at, places_of, side_of, with_rules
from blockfeat.pso.fitness import TextChunk, count_terms
from blockfeat.training.config import OnProgress, Progress, no_progress
from blockfeat.training.train import read_pages

FEWEST_PAGES = 5
"""Labelled pages of a site from which rules are learnt."""
_FOLDS, _LEAST_FOUND = 5, 0.5
# A rule betters so many pages, worsens at most this share of as many, and gains so much F1 over all of them together.
_LEAST_BETTER, _MOST_WORSE, _LEAST_GAIN, _MOST_RULES = 2, 0.25, 0.03, 12
_NOTICED, _COST_OF_LETTER = 1e-3, 1e-4
# Marks that "after" and "before" may name stand on this share of pages.
_SHARE_OF_MARKS = 0.2
# Preventive rules: places on so many pages, with so many words of which next to none is content, and so many words
# that the model takes for likelier content than this score.
_LEAST_SEEN, _LEAST_WORDS, _MOST_CONTENT, _UNSURE, _LEAST_UNSURE, _MOST_PREVENTIVE = 3, 20, 0.01, -3.0, 10, 10
# F1 of a page that counts as another.
_CHANGED = 2e-3

Gains = dict[tuple[str, str], float]


class _Page:
    """A labelled page: the blocks at its places, and counts of words from which the F1 of any kept blocks follows."""

    def __init__(self, page: LabelledPage, extractor: Extractor) -> None:
        analysis = extractor.extract(page.html, url=page.url, lang=page.lang).analysis
        if analysis is None or not len(analysis.measured.blocks):
            raise TrainingError("the page has no text")
        blocks = analysis.measured.blocks
        alignment = align(blocks, page.text or "")
        if not alignment.gold_words or alignment.found < _LEAST_FOUND:
            raise TrainingError(f"only {alignment.found:.0%} of its gold text is found on it")
        self.kept, scores = analysis.prediction.kept, analysis.prediction.scores
        self.places = places_of(blocks, analysis.headline)
        self.words, self.share = blocks.measures.words.astype(np.float32), alignment.share
        self.unsure = (scores > _UNSURE) & (self.words > 1)
        gold = count_terms(blocks, page.text or "", single_characters=True)
        self._chunk = TextChunk.build([gold], [len(blocks)], "f1")
        self._known: dict[tuple[tuple[str, str], ...], Gains] = {}

    def f1(self, masks: Sequence[NDArray[np.bool_]]) -> NDArray[np.float64]:
        """Return the word F1 of each of several masks of blocks."""
        return np.asarray(self._chunk.fitness(np.stack(masks, axis=1).astype(np.float32))[0])

    def gain(self, rules: Sequence[SiteRule]) -> float:
        """Return how much rules add to the F1 of the page."""
        before, after = self.f1([self.kept, with_rules(self.kept, self.places, rules)[0]]).tolist()
        return float(after - before)

    def look_at(self, wheres: Sequence[str]) -> None:
        """Find the blocks of the places that rules may name."""
        found = {where: blocks_at(self.places, self.kept.size, where) for where in wheres}
        self._wheres = [where for where, blocks in found.items() if blocks is not None]
        self._inside = np.zeros((len(self._wheres), self.kept.size), dtype=np.bool_)
        for row, where in zip(self._inside, self._wheres, strict=True):
            row[found[where]] = True

    def gains(self, rules: Sequence[SiteRule]) -> Gains:
        """Return how much one rule more adds to the F1, for every rule that changes what is kept."""
        own = [rule for rule in rules if blocks_at(self.places, self.kept.size, rule.where) is not None]
        key = tuple((rule.do, rule.where) for rule in own)
        if key not in self._known:
            now = with_rules(self.kept, self.places, own)[0]
            kept = np.concatenate([now & ~self._inside, now | self._inside])
            tried = [*(("drop", where) for where in self._wheres), *(("keep", where) for where in self._wheres)]
            changes = kept.any(axis=1) & (kept != now).any(axis=1)
            first, *others = self.f1([now, *kept[changes]]).tolist()
            found = zip(compress(tried, changes), others, strict=True)
            self._known[key] = {rule: f1 - first for rule, f1 in found if _may_be(*rule)}
        return self._known[key]


def _may_be(do: str, where: str) -> bool:
    """Return whether such a rule is learnt: nothing is dropped by its tag alone, which has the article elsewhere."""
    return where[0] != "<" if do == "drop" else not side_of(where)


def _candidates(pages: Sequence[_Page]) -> list[str]:
    """Return the places that stand on two pages or more; and what is after or before those that stand on many."""
    seen = Counter(where for page in pages for where in page.places)
    often = [where for where, count in seen.items() if count >= _LEAST_BETTER]
    least = max(_LEAST_BETTER, _SHARE_OF_MARKS * len(pages))
    marks = [where for where in often if seen[where] >= least and where[0] in '".#']
    return [*often, *(f"after {mark}" for mark in marks), *(f"before {mark}" for mark in marks)]


def _corrections(pages: Sequence[_Page]) -> list[SiteRule]:
    """Return the rules that correct the model, one after the other: each time the one that gains most on all pages."""
    rules: list[SiteRule] = []
    while len(rules) < _MOST_RULES:
        gains: dict[tuple[str, str], list[float]] = defaultdict(list)
        for page in pages:
            for rule, gain in page.gains(rules).items():
                gains[rule].append(gain)
        found = []
        for rule, each in gains.items():
            better, worse = sum(gain > _NOTICED for gain in each), sum(gain < -_NOTICED for gain in each)
            if better >= _LEAST_BETTER and worse <= _MOST_WORSE * better and sum(each) >= _LEAST_GAIN:
                found.append((sum(each) - _COST_OF_LETTER * len(rule[1]), rule, better, worse))
        if not found:
            break
        _, (do, where), better, worse = max(found)
        rules.append(SiteRule(do, where, f"better on {better}, worse on {worse} of {len(pages)} labelled pages"))
    return rules


def _preventions(pages: Sequence[_Page]) -> list[SiteRule]:
    """Return the rules that drop what was never content on the labelled pages, where the model is unsure of it."""
    seen: dict[str, list[tuple[int, NDArray[np.int64]]]] = defaultdict(list)
    for number, page in enumerate(pages):
        for where, found in page.places.items():
            if where[0] not in '"/<' and where != HEADLINE:
                seen[where].append((number, found))
    words: dict[str, float] = {}
    unsure: dict[str, set[tuple[int, int]]] = {}
    for where, places in seen.items():
        size = sum(float(pages[page].words[found].sum()) for page, found in places)
        content = sum(float((pages[page].words * pages[page].share)[found].sum()) for page, found in places)
        if len(places) >= _LEAST_SEEN and size >= _LEAST_WORDS and content <= _MOST_CONTENT * size:
            words[where] = size
            unsure[where] = {
                (page, block) for page, found in places for block in found.tolist() if pages[page].unsure[block]
            }
    rules: list[SiteRule] = []
    done: set[tuple[int, int]] = set()
    while words and len(rules) < _MOST_PREVENTIVE:
        sizes = {where: sum(float(pages[page].words[block]) for page, block in unsure[where] - done) for where in words}
        where = max(words, key=lambda where: (sizes[where], -len(where)))
        if sizes[where] < _LEAST_UNSURE:
            break
        why = f"none of its {int(words[where]):,} words on {len(seen[where])} labelled pages was content"
        rules.append(SiteRule("drop", where, why))
        done |= unsure[where]
    return rules


def _unseen_gains(
    pages: Sequence[_Page], learn: Callable[[Sequence[_Page]], Sequence[SiteRule]]
) -> NDArray[np.float64]:
    """Return what rules learnt from the other folds add to the F1 of each page."""
    order, gains = list(range(len(pages))), np.zeros(len(pages))
    random.Random(0).shuffle(order)
    folds = min(_FOLDS, len(pages))
    for fold in range(folds):
        left_out = order[fold::folds]
        rules = learn([page for number, page in enumerate(pages) if number not in left_out])
        gains[left_out] = [pages[number].gain(rules) for number in left_out]
    return gains


@dataclass(frozen=True)
class SiteReport:
    """What was learnt of one site.

    Attributes
    ----------
    host : str
        The site.
    pages : int
        Labelled pages that were used.
    skipped : tuple of str
        Those that were not, each with the reason.
    before, after : float
        Mean word F1 of the model and with rules, of pages that the rules were not learnt from.
    """

    host: str
    pages: int
    skipped: tuple[str, ...] = field(default=(), repr=False)
    before: float = 0.0
    after: float = 0.0


def learn_site(host: str, labelled: Sequence[LabelledPage], extractor: Extractor) -> tuple[SiteRules, SiteReport]:
    """Learn the rules of one site: none where pages that were not learnt from do not gain.

    Parameters
    ----------
    host : str
        The site.
    labelled : sequence of LabelledPage
        Pages of it with a gold text.
    extractor : Extractor
        Reads pages with the model that the rules correct.
    """
    pages, skipped = [], []
    for page in labelled:
        try:
            pages.append(_Page(page, extractor))
        except TrainingError as error:
            skipped.append(f"{page.id}: {error}")
    if len(pages) < FEWEST_PAGES:
        return SiteRules(), SiteReport(host, len(pages), tuple(skipped))
    wheres = _candidates(pages)
    for each in pages:
        each.look_at(wheres)

    def corrections(some: Sequence[_Page]) -> list[SiteRule]:
        return _corrections(some) if corrects else []

    def both(some: Sequence[_Page]) -> list[SiteRule]:
        known = corrections(some)
        named = {(rule.do, rule.where) for rule in known}
        return [*(rule for rule in _preventions(some) if (rule.do, rule.where) not in named), *known]

    corrects = True
    gains = _unseen_gains(pages, corrections)
    # Pages that were not learnt from have to gain: on average, and more of them than lose.
    corrects = bool(gains.mean() > 0 and (gains > _CHANGED).sum() > (gains < -_CHANGED).sum())
    gains = gains if corrects else np.zeros(len(pages))
    with_preventions = _unseen_gains(pages, both)
    change = with_preventions - gains
    prevents = change.mean() >= -1e-9 and (change < -_CHANGED).sum() <= (change > _CHANGED).sum()
    rules = both(pages) if prevents else corrections(pages)
    gains = with_preventions if prevents else gains
    before = float(np.mean([page.f1([page.kept])[0] for page in pages]))
    after = before + float(gains.mean())
    learnt = {"pages": len(pages), "f1": round(before, 4), "f1_with_rules": round(after, 4)}
    return SiteRules(tuple(rules), learnt), SiteReport(host, len(pages), tuple(skipped), before, after)


def train_site_rules(
    corpus: str | PathLike[str] | Iterable[str | PathLike[str]] | Sequence[LabelledPage],
    *,
    base: str = "default",
    name: str = "site",
    langs: Sequence[str] | None = None,
    leave_out: frozenset[tuple[str, str]] = frozenset(),
    on_progress: OnProgress = no_progress,
    command: str | None = None,
) -> tuple[SiteModel, list[SiteReport]]:
    """Learn rules for each site of labelled pages, on top of a bundled model.

    Parameters
    ----------
    corpus, langs, leave_out, on_progress
        As `blockfeat.training.train` takes them; at least five pages with a gold text of a site.
    base : str
        Name of the bundled model.
    name : str
        Name of the new one.
    command : str, optional
        The command line, kept in the record.

    Returns
    -------
    SiteModel, list of SiteReport
        The model, and what was learnt of each site.

    Raises
    ------
    CorpusError, TrainingError
        A corpus cannot be read; no site has enough pages.
    ModelError
        There is no such model.
    """
    if base not in bundled_models():
        raise ModelError(f"rules of sites stand on a bundled model, not on {base!r}: {', '.join(bundled_models())}")
    extractor, by_host = Extractor.load(base), defaultdict(list)
    for page in without_listed(read_pages(corpus, langs, on_progress), leave_out):
        if page.text is not None:
            by_host[page.host].append(page)
    hosts = sorted(host for host, own in by_host.items() if len(own) >= FEWEST_PAGES)
    if not hosts:
        raise TrainingError(
            f"no site has {FEWEST_PAGES} labelled pages with an address and a text, from which rules could be learnt"
        )
    sites, reports = {}, []
    for number, host in enumerate(hosts):
        on_progress(Progress("fitting", number, len(hosts), f"sites, {host}"))
        rules, report = learn_site(host, by_host[host], extractor)
        reports.append(report)
        if rules.rules:
            sites[host] = rules
    record = {"blockfeat": __version__, "command": command}
    return SiteModel(extractor.model, sites, name, record), reports
