"""Is extraction worth it for brands? Precision and recall of "this article mentions X" over texts of many systems."""

from __future__ import annotations

import hashlib
import logging
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from benchmarks.mention_scores import MentionBench, MentionCounts, SystemMentions
from benchmarks.names import find_names
from blockfeat import __version__
from blockfeat._pool import in_order
from blockfeat.data.corpus import LabelledPage, language_code
from blockfeat.errors import InputError
from blockfeat.extraction.extraction import Extraction
from blockfeat.extraction.extractor import Extractor
from blockfeat.monitor.mentions.brand import Brand
from blockfeat.monitor.mentions.matcher import BrandMatcher
from blockfeat.training.evaluation.bench import BenchSystem, bench_systems
from blockfeat.training.evaluation.peers import Peer

WHOLE_PAGE = "whole page"
"""The system that takes all text of a page."""
NAMES_A_PAGE = 20
"""So many names of a page are scored, so that no page outweighs others."""

SURE_SCORE = 0.5
"""Score from which on a block of the text is no doubtful one."""

_UNKNOWN = "unknown"
_OTHERS = "others"
_SENTENCE_END = re.compile("[.!?…。！？।؟][\"'”’»)」』]*$")
_FEWEST_WORDS = 12
_FEWEST_HAN = 20
_HAN = re.compile("[\u3041-\u30ff\u3400-\u9fff]")
_MISTAKEN_LANGUAGES = {"pcm": "en"}  # Nigerian Pidgin is what language identification took English for

_logger = logging.getLogger("benchmarks.mentions")

Text = Callable[[LabelledPage], str]


@dataclass(frozen=True)
class _LoadWholePage:
    """The text of a page with everything that is around the article."""

    def __call__(self) -> Text:
        from resiliparse.extract.html2text import extract_plain_text
        from resiliparse.parse.html import HTMLTree

        def text(page: LabelledPage) -> str:
            tree = HTMLTree.parse(page.html)
            found: str = extract_plain_text(tree, preserve_formatting=True, list_bullets=False, alt_texts=False)
            return found

        return text


@dataclass(frozen=True)
class _LoadHeadlineAndText:
    """The headline that a model finds, and its text, or those blocks of it that have a score."""

    extractor: Extractor
    least_score: float | None = None

    def __call__(self) -> Text:
        def text(page: LabelledPage) -> str:
            found = self.extractor.extract(page.html, url=page.url)
            main = found.text if self.least_score is None else self._sure(found)
            return f"{found.headline}\n\n{main}" if found.headline and main else main

        return text

    def _sure(self, found: Extraction) -> str:
        """Return the blocks of the text with the score, all of the text where there is none."""
        least = self.least_score or 0.0
        return "\n\n".join(block.text for block in found.blocks if block.kept and block.score >= least) or found.text


def mention_systems(models: Iterable[Extractor], peers: Iterable[Peer]) -> list[BenchSystem]:
    """Return what is compared: the whole page, the text of each peer, and the text of each model.

    The text of a model stands there alone, with the headline that the model finds, and with the headline and without
    doubtful blocks (`SURE_SCORE`).
    """
    chosen = tuple(models)
    found = [BenchSystem(WHOLE_PAGE, "", _LoadWholePage()), *bench_systems((), peers), *bench_systems(chosen, ())]
    for model in chosen:
        name = f"blockfeat {model.model.name}, headline and"
        loads = {"text": _LoadHeadlineAndText(model), "sure text": _LoadHeadlineAndText(model, SURE_SCORE)}
        found += [BenchSystem(f"{name} {part}", __version__, load) for part, load in loads.items()]
    return found


@dataclass
class _Worker:
    """Extracts a page with one system and counts the names in its text; loads the system with the first page."""

    system: BenchSystem
    matchers: Mapping[str, BrandMatcher]

    @cached_property
    def text(self) -> Text:
        """The function from a page to its text."""
        return self.system.load()

    def __call__(self, page: LabelledPage) -> Counter[str]:
        """Return how often each name is in a page's text; a system that raises has given an empty text."""
        try:
            text = self.text(page)
        except Exception as error:  # any failure of any system is a result
            _logger.info("%s: %s: %s", page.id, type(error).__name__, error)
            text = ""
        return _names_in(text, page, self.matchers)

    def __reduce__(self) -> tuple[type[_Worker], tuple[BenchSystem, Mapping[str, BrandMatcher]]]:
        """Pickle what it was made from."""
        return _Worker, (self.system, self.matchers)


@dataclass(frozen=True)
class _Truth:
    """What is scored on a page: names of the article, and names that are around it only; how they are spread."""

    mentioned: frozenset[str]
    around: frozenset[str]
    both: int


def run_mentions(
    systems: Sequence[BenchSystem],
    pages: Iterable[LabelledPage],
    *,
    jobs: int = 1,
    deadline: float | None = 30.0,
    names_a_page: int = NAMES_A_PAGE,
    least_pages: int = 10,
    on_page: Callable[[str, int, int], None] | None = None,
) -> MentionBench:
    """Ask each system of each page which names the article mentions, and compare with the gold text.

    Names come from the gold texts of all pages (`benchmarks.names.find_names`) and are matched as brands are. Of the
    names on a page ``names_a_page`` are scored, chosen by a hash. A name is mentioned where the first line of the gold
    text or its running text has it. Not scored, because corpora differ on them: names that the gold text has in other
    short lines only (bylines, datelines, credits, captions, rows of tables), and names that are in the page's headline
    (``title`` of the corpus) but not in a gold text that leaves it out; nor names of the gold text that the page lacks.

    Parameters
    ----------
    systems : sequence of BenchSystem
        Such as `mention_systems` returns; the first must be the whole page.
    pages : iterable of LabelledPage
        Those without a gold text are passed over.
    jobs, deadline, on_page
        As for `blockfeat.training.evaluation.bench.run_bench`.
    names_a_page : int
        Most names of one page.
    least_pages : int
        Languages with fewer pages are one row, ``"others"``.

    Raises
    ------
    InputError
        No page has a gold text with names.
    """
    chosen = [page for page in pages if page.text]
    matchers = _matchers(chosen)
    if not systems or not any(matcher.brands for matcher in matchers.values()):
        raise InputError(f"a benchmark of mentions needs gold texts with names; there are {len(chosen)} texts")
    truths: list[_Truth] = []
    scored = []
    rows = _rows(chosen, least_pages)
    for system in systems:
        worker = _Worker(system, matchers)
        counts: defaultdict[str, MentionCounts] = defaultdict(MentionCounts)
        results = in_order(worker, chosen, jobs=jobs, failure=lambda page, reason: Counter(), deadline=deadline)
        for number, (page, found) in enumerate(results):
            if number == len(truths):
                truths.append(_truth(page, found, matchers, names_a_page))
            truth = truths[number]
            counts[rows[number]] += MentionCounts(
                right=len(truth.mentioned & found.keys()),
                wrong=len(truth.around & found.keys()),
                missed=len(truth.mentioned - found.keys()),
            )
            if on_page is not None:
                on_page(system.name, number + 1, len(chosen))
        scored.append(SystemMentions(system.name, system.version, dict(counts)))
    return MentionBench(tuple(scored), *_spread(rows, truths))


def _matchers(pages: Sequence[LabelledPage]) -> dict[str, BrandMatcher]:
    """Return a matcher of the names of each language."""
    texts: defaultdict[str, list[str]] = defaultdict(list)
    for page in pages:
        texts[_language(page)].append(page.text or "")
    names = find_names(texts)
    return {lang: BrandMatcher.of(Brand(name) for name in own) for lang, own in names.items()}


def _language(page: LabelledPage) -> str:
    code = language_code(page.lang) or _UNKNOWN
    return _MISTAKEN_LANGUAGES.get(code, code)


def _rows(pages: Sequence[LabelledPage], least: int) -> list[str]:
    """Return the row of the tables that each page belongs to."""
    languages = list(map(_language, pages))
    counts = Counter(languages)
    return [lang if counts[lang] >= least else _OTHERS for lang in languages]


def _names_in(text: str, page: LabelledPage, matchers: Mapping[str, BrandMatcher]) -> Counter[str]:
    """Return how often a text has each name of the page's language."""
    lang = _language(page)
    return Counter(hit.brand for hit in matchers[lang].find(text, lang=None if lang == _UNKNOWN else lang))


def _truth(page: LabelledPage, on_page: Mapping[str, int], matchers: Mapping[str, BrandMatcher], most: int) -> _Truth:
    """Return which names of a page are scored, and which of them the article mentions."""
    gold = page.text or ""
    in_gold = _names_in(gold, page, matchers)
    mentioned = _names_in(_running_text(gold), page, matchers).keys()
    unscored = in_gold.keys() - mentioned
    unscored |= _names_in(page.title or "", page, matchers).keys() - in_gold.keys()
    names = sorted(on_page.keys() - unscored, key=lambda name: _hash(page, name))[:most]
    right = frozenset(name for name in names if name in mentioned)
    both = sum(on_page[name] > in_gold[name] for name in right)
    return _Truth(right, frozenset(names) - right, both)


def _running_text(gold: str) -> str:
    """Return the first line of a gold text, and those that are long or end as a sentence does."""
    lines = [line.strip() for line in gold.splitlines() if line.strip()]
    return "\n\n".join(lines[:1] + [line for line in lines[1:] if _is_running(line)])


def _is_running(line: str) -> bool:
    return (
        len(line.split()) >= _FEWEST_WORDS
        or len(_HAN.findall(line)) >= _FEWEST_HAN
        or _SENTENCE_END.search(line) is not None
    )


def _hash(page: LabelledPage, name: str) -> bytes:
    """Return a number by which names of a page are drawn, the same in every run."""
    return hashlib.blake2b(f"{page.corpus}\n{page.id}\n{name}".encode(), digest_size=8).digest()


def _spread(rows: Sequence[str], truths: Sequence[_Truth]) -> tuple[dict[str, int], dict[str, tuple[int, int, int]]]:
    """Return pages by row, and by row the names that are in articles only, around them only, and in both."""
    pages = Counter(rows)
    names: defaultdict[str, Counter[int]] = defaultdict(Counter)
    for row, truth in zip(rows, truths, strict=True):
        names[row] += Counter({0: len(truth.mentioned) - truth.both, 1: len(truth.around), 2: truth.both})
    return dict(pages), {row: (own[0], own[1], own[2]) for row, own in names.items()}
