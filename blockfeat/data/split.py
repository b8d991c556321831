"""Parts of a corpus: training and test parts without a common site, samples, pages of some languages, exclusions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from os import PathLike
from pathlib import Path
from typing import Literal, TypeVar

from blockfeat._files import parse_object, read_lines
from blockfeat.data.corpus import LabelledPage, language_code, select_languages
from blockfeat.errors import BlockfeatError, CorpusError
from blockfeat.lang.identify import identify
from blockfeat.page.page import Page

Item = TypeVar("Item")

_PASSES = 100  # a repair pass that changes something lowers the cost, so a few passes are enough


@dataclass(frozen=True, slots=True)
class _Site:
    """All pages of one host, and the number of pages in each language."""

    pages: tuple[LabelledPage, ...]
    counts: tuple[tuple[str, int], ...]


def split_by_host(
    pages: Iterable[LabelledPage], share: float = 0.7, seed: int = 0
) -> tuple[list[LabelledPage], list[LabelledPage]]:
    """Split pages into a training and a test part that have no host in common.

    Hosts are assigned one by one, ordered by a hash of seed and host, each to the part where it brings the page
    counts, in total and by language, closest to the share; then single hosts are moved to the other part as long as
    that improves the fit. The result depends only on the pages, the share and the seed, not on the order of the pages.

    Parameters
    ----------
    pages : iterable of LabelledPage
        From at least two hosts (`LabelledPage.host`); pages of a corpus without a known host stay together.
    share : float
        Share of the pages for the training part, between 0 and 1 (exclusive); approximated, in total and for each
        language, since no host is divided.
    seed : int
        Another seed gives another split.

    Returns
    -------
    train, test : lists of LabelledPage
        Neither is empty; both are sorted by corpus and id.

    Raises
    ------
    CorpusError
        If the share is not between 0 and 1, or the pages are of fewer than two hosts.
    """
    sites = _sites(pages, seed)
    if len(sites) < 2:
        raise CorpusError(f"cannot split by host: two hosts are needed, the pages are of {len(sites)}")
    return _dealt(sites, share)


def split_pages(
    pages: Iterable[LabelledPage], share: float = 0.7, seed: int = 0
) -> tuple[list[LabelledPage], list[LabelledPage], Literal["hosts", "pages"]]:
    """Split pages into a training and a test part: by host, or by page where all are of one host.

    Parameters
    ----------
    pages, share, seed
        As for `split_by_host`, except that all pages may be from one host.

    Returns
    -------
    train, test : lists of LabelledPage
        As from `split_by_host`.
    parted_by : str
        ``"hosts"``, or ``"pages"``: scores on the test part then say nothing about other sites.

    Raises
    ------
    CorpusError
        If the share is not between 0 and 1, or there are fewer than two pages.
    """
    listed = list(pages)
    sites = _sites(listed, seed)
    if len(sites) > 1:
        return *_dealt(sites, share), "hosts"
    if len(listed) < 2:
        raise CorpusError(
            f"a training and a test part need two labelled pages or more, not {len(listed)}: "
            "label others, or train without a test, by a training share of 1 (--split 1)"
        )
    alone = sorted(listed, key=lambda page: (seeded_key(seed, f"{page.corpus}\n{page.id}"), page.corpus, page.id))
    return *_dealt([_site_of([page]) for page in alone], share), "pages"


def _dealt(sites: list[_Site], share: float) -> tuple[list[LabelledPage], list[LabelledPage]]:
    """Return two or more sites as the pages of a training and of a test part."""
    if not 0 < share < 1:
        raise CorpusError(f"cannot split: the share must lie between 0 and 1, not {share}")
    excess = _Excess(sites, share)
    in_train = [False] * len(sites)
    for index, site in enumerate(sites):
        in_train[index] = excess.gain(site, 1) < 0
        if in_train[index]:
            excess.add(site, 1)
    _repair(sites, in_train, excess)
    sides: dict[bool, list[LabelledPage]] = {True: [], False: []}
    for site, train in zip(sites, in_train, strict=True):
        sides[train].extend(site.pages)
    return _sorted(sides[True]), _sorted(sides[False])


def folds_by_host(
    pages: Iterable[LabelledPage], folds: int = 5, seed: int = 0
) -> list[tuple[list[LabelledPage], list[LabelledPage]]]:
    """Split pages into folds for cross-validation, every host in one fold only.

    Parameters
    ----------
    pages : iterable of LabelledPage
        From at least as many hosts as folds.
    folds : int
        Number of folds, at least 2.
    seed : int
        Another seed gives other folds.

    Returns
    -------
    list of (train, test)
        One pair a fold: the fold's pages are ``test``, all others ``train``; every page is in one ``test``.
        The folds are about equal in pages, in all and by language.

    Raises
    ------
    CorpusError
        If there are fewer than two folds, or fewer hosts than folds.
    """
    if folds < 2:
        raise CorpusError(f"cannot fold: at least 2 folds are needed, not {folds}")
    sites = _sites(pages, seed)
    if len(sites) < folds:
        raise CorpusError(f"cannot fold by host: {folds} hosts are needed, the pages are of {len(sites)}")
    counts: list[Counter[str]] = [Counter() for _ in range(folds)]
    parts: list[list[LabelledPage]] = [[] for _ in range(folds)]
    weight = len({lang for site in sites for lang, _ in site.counts})
    # Big hosts first: small ones then even out the rest. The sort is stable, so equal ones stay shuffled.
    for place, site in enumerate(sorted(sites, key=lambda site: -len(site.pages))):
        open_folds = [place] if place < folds else range(folds)  # no fold stays empty
        best = min(open_folds, key=lambda fold: _load(site, counts[fold], len(parts[fold]), weight))
        counts[best].update(dict(site.counts))
        parts[best].extend(site.pages)
    return [
        (_sorted([page for other in parts if other is not part for page in other]), _sorted(part)) for part in parts
    ]


def _load(site: _Site, counts: Counter[str], size: int, weight: int) -> tuple[int, int]:
    """Return the cost of adding a site to a fold (growth of its squared page counts), and its size to break ties."""
    by_language = sum(number * counts[lang] for lang, number in site.counts)
    return weight * len(site.pages) * size + by_language, size


def _sites(pages: Iterable[LabelledPage], seed: int) -> list[_Site]:
    """Return the pages grouped by host, in an order that depends only on the seed and the hosts.

    Pages without a known host may share one: those of a corpus form one group, unless it would be the only group.
    """
    listed = list(pages)
    known = {page.host for page in listed if page.host != page.id}
    corpora = {page.corpus for page in listed if page.host == page.id}
    apart = len(known) + len(corpora) < 2
    by_host: defaultdict[str, list[LabelledPage]] = defaultdict(list)
    for page in listed:
        has_host = page.host != page.id or apart
        by_host[page.host if has_host else f"corpus {page.corpus}"].append(page)
    return [_site_of(by_host[host]) for host in sorted(by_host, key=lambda host: (seeded_key(seed, host), host))]


def _site_of(pages: Sequence[LabelledPage]) -> _Site:
    counts = Counter(language_code(page.lang) or "" for page in pages)
    return _Site(tuple(pages), tuple(sorted(counts.items())))


def seeded_key(seed: int, name: str) -> bytes:
    """Return a sort key that puts names in a pseudo-random order, which depends only on the names and the seed."""
    return blake2b(f"{seed}\n{name}".encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _sorted(pages: list[LabelledPage]) -> list[LabelledPage]:
    return sorted(pages, key=lambda page: (page.corpus, page.id, page.url or "", page.html))


class _Excess:
    """Number of pages by which the training part exceeds its share, in total and for each language."""

    def __init__(self, sites: list[_Site], share: float) -> None:
        self.total = 0.0
        self.languages: defaultdict[str, float] = defaultdict(float)
        for site in sites:
            self.add(site, -share)

    def gain(self, site: _Site, sign: int) -> float:
        """Return the change of the cost (sum of squared excesses) if a site joins (1) or leaves (-1) the part."""
        # Weighted by the number of languages, the total counts as much as all languages together.
        change = len(self.languages) * _square_growth(self.total, sign * len(site.pages))
        return change + sum(_square_growth(self.languages[lang], sign * n) for lang, n in site.counts)

    def add(self, site: _Site, factor: float) -> None:
        """Add a site to the training part (1), remove it (-1), or count its share of that part as missing (-share)."""
        self.total += factor * len(site.pages)
        for lang, number in site.counts:
            self.languages[lang] += factor * number


def _square_growth(value: float, step: int) -> float:
    return step * (2 * value + step)


def _repair(sites: list[_Site], in_train: list[bool], excess: _Excess) -> None:
    """Move single sites to the other part while that lowers the cost; leave neither part empty."""
    for side in (True, False):
        if side not in in_train:
            cheapest = min(range(len(sites)), key=lambda i: excess.gain(sites[i], 1 if side else -1))
            excess.add(sites[cheapest], 1 if side else -1)
            in_train[cheapest] = side
    members = Counter(in_train)
    for _ in range(_PASSES):
        moved = False
        for index, site in enumerate(sites):
            side = in_train[index]
            sign = -1 if side else 1
            # A tolerance, so that rounding cannot move a site to and fro.
            if members[side] > 1 and excess.gain(site, sign) < -1e-9:
                excess.add(site, sign)
                in_train[index] = not side
                members[side] -= 1
                members[not side] += 1
                moved = True
        if not moved:
            return


def spaced(items: Sequence[Item], count: int | None) -> list[Item]:
    """Return at most ``count`` items, evenly spaced; all if it is None."""
    if count is None or count >= len(items):
        return list(items)
    return [items[place * len(items) // count] for place in range(count)]


def sampled(pages: Iterable[LabelledPage], count: int | None) -> list[LabelledPage]:
    """Return at most ``count`` pages of each corpus, evenly spaced; all if it is None."""
    by_corpus: defaultdict[str, list[LabelledPage]] = defaultdict(list)
    for page in pages:
        by_corpus[page.corpus].append(page)
    return [page for found in by_corpus.values() for page in spaced(found, count)]


def read_page_list(path: str | PathLike[str]) -> frozenset[tuple[str, str]]:
    """Return corpus and id of each page of a list.

    Parameters
    ----------
    path : path
        JSON Lines with ``corpus`` and ``id`` of a page each; other fields, such as ``reason``, are ignored.

    Raises
    ------
    CorpusError
        The file cannot be read, or a line lacks ``corpus`` or ``id``; the message names file and line.
    """
    listed = set()
    for number, line in read_lines(Path(path)):
        try:
            entry = parse_object(line)
        except CorpusError as error:
            raise CorpusError(f"{path}, line {number}: {error}") from None
        corpus, name = entry.get("corpus"), entry.get("id")
        if not (isinstance(corpus, str) and isinstance(name, str)):
            raise CorpusError(f"{path}, line {number}: 'corpus' and 'id' must be strings")
        listed.add((corpus, name))
    return frozenset(listed)


def without_listed(pages: Iterable[LabelledPage], listed: frozenset[tuple[str, str]]) -> list[LabelledPage]:
    """Return the pages whose corpus and id are not in a list."""
    return [page for page in pages if (page.corpus, page.id) not in listed]


def pages_of_languages(pages: Sequence[LabelledPage], langs: Sequence[str] | None) -> list[LabelledPage]:
    """Return the pages in some languages, by their ``lang`` or else as identified; all if no languages are given.

    Raises
    ------
    LanguageError
        There is no page of one of the languages; the message lists the languages that there are.
    """
    return select_languages(pages, langs or None, identify=identified_language)


def identified_language(page: LabelledPage) -> str | None:
    """Return the language of a labelled page as identified by its gold text, or else by all text of the page."""
    if page.text:
        return identify(page.text).lang
    try:
        parsed = Page.parse(page.html)
    except BlockfeatError:
        return None
    return identify(parsed.all_text(), declared=parsed.declared_lang).lang
