"""The trainer of token models: naive Bayes over trigrams, counted page by page (Pasternack & Roth 2009, 6.2.3)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from blockfeat._config import Count, Positive, Ranged, between
from blockfeat.blocks.tagtable import load_table
from blockfeat.data.align import align_words
from blockfeat.data.corpus import LabelledPage
from blockfeat.errors import BlockfeatError, TrainingError
from blockfeat.lang.measures import keys_of_words, tokenize
from blockfeat.models.decoding import best_run
from blockfeat.page.page import Page
from blockfeat.page.tags import Keys, Tags
from blockfeat.papers.mss.classifier import KINDS, FeatureCounts, NaiveBayes, Scale, TokenClassifier, gram_keys
from blockfeat.papers.mss.model import Constraints, TokenModel
from blockfeat.papers.mss.page_tokens import SYMBOL, PageTokens, inside
from blockfeat.papers.mss.vocabulary import Ids, Vocabulary, stemmer_of, surroundings, token_ids
from blockfeat.training.config import OnProgress, Progress, Trainer, TrainingReport, no_progress
from blockfeat.training.examples import check_any

Indices = NDArray[np.integer[Any]]

_LEAST_FOUND = 0.5
_LEAST_TEXT_TOKENS = 50
PAPER_TAGS = 0.2
"""Highest share of tags among the tokens of a labelled run in the paper (5.1)."""


_MOST_PARTS = 8


def gold_run(tokens: PageTokens, gold: str, *, most_tags: float = 1.0) -> tuple[int, int] | None:
    """Return the first token and the end (exclusive) of the run that holds the gold text; None if it is not there.

    Words of page and gold are aligned (`blockfeat.data.align`). The run is the one that maximises aligned words minus
    other words, so that stray matches (the title in the head, a teaser) do not stretch it.

    Parameters
    ----------
    tokens : PageTokens
        The page's tokens.
    gold : str
        The page's gold text.
    most_tags : float
        Highest share of tags among the tokens of the run, 0 to 1: `PAPER_TAGS`, or 1 to take every run. The paper's
        value excludes many modern pages, which have links in their text.

    Returns
    -------
    tuple of int, or None
        None where less than half of the gold's words are in the run, where it has fewer than 50 words and symbols, or
        too many tags (5.1).
    """
    words = np.flatnonzero(tokens.is_word)
    # All numbers have the same token key, but here their digits count.
    page_keys = keys_of_words(tokens.texts(words))
    gold_keys = keys_of_words(tokenize(gold))
    place = align_words(page_keys.tolist(), gold_keys.tolist())
    first, end = best_run(np.where(place >= 0, 1.0, -1.0))
    if end == first:
        return None
    first, end = _extended(page_keys, gold_keys, place, first, end)
    if (place[first:end] >= 0).sum() < _LEAST_FOUND * gold_keys.size:
        return None
    start, stop = int(words[first]), int(words[end - 1]) + 1
    # The punctuation behind the last word belongs to the text: symbols up to the next tag, word or space.
    while stop < len(tokens) and tokens.kind[stop] == SYMBOL and tokens.first_byte[stop] == tokens.end_byte[stop - 1]:
        stop += 1
    tags = int(tokens.is_tag[start:stop].sum())
    is_long = stop - start - tags >= _LEAST_TEXT_TOKENS
    return (start, stop) if is_long and tags <= most_tags * (stop - start) else None


def _extended(page: Keys, gold: Keys, place: Indices, first: int, end: int) -> tuple[int, int]:
    """Extend a run at both ends while page and gold agree: a teaser may have been aligned in place of its beginning."""
    before, behind = int(place[first]) - 1, int(place[end - 1]) + 1
    while first > 0 and before >= 0 and page[first - 1] == gold[before]:
        first, before = first - 1, before - 1
        place[first] = before + 1
    while end < page.size and behind < gold.size and page[end] == gold[behind]:
        place[end] = behind
        end, behind = end + 1, behind + 1
    return first, end


def common_tags(pages: Iterable[tuple[str, Tags]]) -> tuple[str, ...]:
    """Return the names of all tags that occur on pages of more than one source (5.2), sorted.

    Parameters
    ----------
    pages : iterable of (str, Tags)
        Source and tags of each page.
    """
    first_seen: dict[str, str] = {}
    common: set[str] = set()
    for source, tags in pages:
        for element in np.unique(tags.key, return_index=True)[1].tolist():
            name = tags.name(element)
            if first_seen.setdefault(name, source) != source:
                common.add(name)
    return tuple(sorted(common))


@dataclass
class _Source:
    """Counts of one site by kind of feature, and identifiers of the word forms seen there."""

    parts: dict[str, list[FeatureCounts]] = field(default_factory=lambda: defaultdict(list))
    forms: set[int] = field(default_factory=set)

    def add(self, kind: str, keys: Ids, is_inside: NDArray[np.bool_]) -> None:
        parts = self.parts[kind]
        parts.append(FeatureCounts.of(keys, is_inside))
        if len(parts) > _MOST_PARTS:
            parts[:] = [FeatureCounts.sum(parts)]

    def counts(self, kind: str) -> FeatureCounts:
        """Return the summed counts of a kind of feature, with 1 as the number of sources."""
        found = FeatureCounts.sum(self.parts[kind])
        return FeatureCounts(found.key, found.inside, found.outside, np.ones_like(found.sources))


@dataclass
class TokenCounter:
    """Counts the features of tokens page by page, in any order.

    Attributes
    ----------
    tags : tuple of str
        Names of the common tags; `common_tags` finds those of a set of pages.
    size : int
        Tokens in a gram, 3 or 1.
    """

    tags: tuple[str, ...]
    size: int = 3
    _sources: dict[str, _Source] = field(default_factory=lambda: defaultdict(_Source), repr=False)
    _stemmers: dict[str | None, Callable[[str], str]] = field(default_factory=dict, repr=False)
    _stems: dict[int, int] = field(default_factory=dict, repr=False)
    _inside: int = 0
    _outside: int = 0

    def add(self, tokens: PageTokens, run: tuple[int, int], *, source: str, lang: str | None = None) -> None:
        """Count the features of a page's tokens.

        Parameters
        ----------
        tokens : PageTokens
            The page's tokens.
        run : tuple of int
            First token and end (exclusive) of the article text.
        source : str
            Site that the page is from.
        lang : str, optional
            Language whose stemmer is used.
        """
        site = self._sources[source]
        vocabulary = self._vocabulary_of(tokens, lang, site)
        ids, unclosed = vocabulary.ids(tokens)
        is_inside = inside(run, len(tokens))
        columns = (gram_keys(ids, self.size), unclosed, surroundings(tokens))
        for kind, keys in zip(KINDS, columns, strict=True):
            site.add(kind, keys, is_inside)
        self._inside += int(is_inside.sum())
        self._outside += int((~is_inside).sum())

    def _vocabulary_of(self, tokens: PageTokens, lang: str | None, site: _Source) -> Vocabulary:
        """Return the vocabulary of one page; record its word forms and their stems."""
        forms = sorted(set(tokens.texts(np.flatnonzero(tokens.is_word))))
        stem_of = self._stemmers.get(lang) or self._stemmers.setdefault(lang, stemmer_of(lang))
        changed = [(form, stem) for form in forms if (stem := stem_of(form)) != form]
        form_ids = token_ids(keys_of_words([form for form, _ in changed])).tolist()
        stem_ids = token_ids(keys_of_words([stem for _, stem in changed])).tolist()
        # A form of two languages keeps the stem that was seen first, so that extraction need not know the language.
        mapping = {form: self._stems.setdefault(form, stem) for form, stem in zip(form_ids, stem_ids, strict=True)}
        site.forms.update(mapping)
        return Vocabulary.of(self.tags, mapping)

    def finish(
        self, *, least_sources: int = 2, smoothing: float = 0.5, neighbours: bool = False, around: bool = True
    ) -> tuple[Vocabulary, NaiveBayes]:
        """Return vocabulary and naive Bayes classifier of all pages counted so far.

        Parameters
        ----------
        least_sources : int
            Least number of sites with a gram or a word form for it to be kept; 1 where there is only one site.
        smoothing, neighbours
            As for `NaiveBayes`.
        around : bool
            Whether to use the surroundings of tokens; without them the features are the paper's two.

        Raises
        ------
        TrainingError
            No page was counted, or none with tokens of both labels.
        """
        if not self._inside or not self._outside:
            raise TrainingError("there are no labelled tokens inside and outside of article text to learn from")
        least = min(least_sources, len(self._sources))
        counts = [FeatureCounts.sum([site.counts(kind) for site in self._sources.values()]) for kind in KINDS]
        grams, unclosed, surrounding = counts
        surrounding = surrounding.chosen((surrounding.sources >= min(2, least)) & around)
        seen = Counter(form for site in self._sources.values() for form in site.forms)
        stems = {form: stem for form, stem in self._stems.items() if seen[form] >= least}
        kept = grams.chosen(grams.sources >= least)
        bayes = NaiveBayes(
            kept, unclosed, surrounding, self._inside, self._outside, self.size, smoothing, neighbours=neighbours
        )
        return Vocabulary.of(self.tags, stems), bayes


@dataclass(frozen=True)
class TokenConfig(Ranged):
    """Hyperparameters of the token model.

    Attributes
    ----------
    table : str
        Bundled tag table that cuts pages into the blocks of the result, or path of one.
    size : int
        Tokens in a gram: 3, or 1.
    least_sources : int
        Least number of sites with a gram or a word form for it to be in the model; more make a smaller file.
    smoothing : float
        Added to the counts.
    neighbours : bool
        For a token with an unseen gram, use the grams of the tokens before and behind it.
    around : bool
        Use the surroundings of tokens as a feature; without them the features are the paper's two.
    balanced : bool
        Equal priors of inside and outside; false for those of the training pages, as in the paper.
    stop_at_rule : bool
        Cut off everything after the first HR of a run (6.2.3).
    least_tokens : int
        Least length of a run.
    clean : bool
        Remove embedded content from a run: tables, frames, and DIVs with links or images (4.2).
    most_tags : float
        Pages are skipped whose text has a higher share of tags among its tokens; 1 for none, the paper's is 0.2 (5.1).
    scale : Scale
        How the log odds of a token are turned into its score; the paper's is "probability".
    """

    error = TrainingError

    table: str = "html5"
    size: Literal[1, 3] = 3
    least_sources: Count = 2
    smoothing: Positive = 0.5
    neighbours: bool = True
    around: bool = True
    balanced: bool = True
    stop_at_rule: bool = False
    least_tokens: Count = 1
    clean: bool = False
    most_tags: Annotated[float, between(0.0, 1.0, is_above=True)] = 1.0
    scale: Scale = field(default_factory=lambda: Scale("log odds", limit=8.0))


@dataclass(frozen=True, kw_only=True)
class TokenTrainer(Trainer[TokenConfig]):
    """Trains token models on the pages that have a gold text."""

    kind: ClassVar[str] = "tokens"
    suffix: ClassVar[str] = ".npz"

    config: TokenConfig = field(default_factory=TokenConfig)

    def fit(self, pages: Sequence[LabelledPage], *, on_progress: OnProgress = no_progress) -> TokenModel:
        """Learn a model from labelled pages; see `Trainer.fit`. Pages are parsed twice, so that memory stays small."""
        config = self.config
        names = self._common_tags(pages, on_progress)
        counter, skipped = TokenCounter(names, config.size), []
        for number, page in enumerate(pages, start=1):
            if why := _count(counter, page, config.most_tags):
                skipped.append(f"{page.corpus} {page.id}: {why}")
            on_progress(Progress("measuring", len(pages) + number, 2 * len(pages), "pages counted"))
        used = len(pages) - len(skipped)
        check_any(range(used), len(pages), skipped)
        vocabulary, bayes = counter.finish(
            least_sources=config.least_sources,
            smoothing=config.smoothing,
            neighbours=config.neighbours,
            around=config.around,
        )
        classifier = TokenClassifier(vocabulary, replace(bayes, balanced=config.balanced), config.scale)
        report = TrainingReport(self.kind, training_pages=used, skipped=tuple(skipped))
        return TokenModel(
            self.name,
            "classifier",
            table=load_table(config.table),
            classifier=classifier,
            constraints=Constraints(config.stop_at_rule, config.least_tokens, config.clean),
            languages=self.languages,
            report=report,
        )

    def _common_tags(self, pages: Sequence[LabelledPage], on_progress: OnProgress) -> tuple[str, ...]:
        """Return the tags found on more than one site; where there is one site only, on more than one of its pages."""
        hosts = {page.host for page in pages}

        def tags() -> Iterator[tuple[str, Tags]]:
            for number, page in enumerate(pages, start=1):
                own = _tags_of(page)
                if own is not None:
                    yield (page.host if len(hosts) > 1 else str(number)), own
                on_progress(Progress("measuring", number, 2 * len(pages), "pages read"))

        return common_tags(tags())


def _tags_of(page: LabelledPage) -> Tags | None:
    """Return the tags of a page with a gold text; None for others."""
    if not page.text:
        return None
    try:
        return Page.parse(page.html).tags
    except BlockfeatError:
        return None


def _count(counter: TokenCounter, page: LabelledPage, most_tags: float) -> str | None:
    """Count the features of a page; return why it cannot be used, or None."""
    if not page.text:
        return "it has no gold text"
    tags = _tags_of(page)
    if tags is None:
        return "the page has no text"
    tokens = PageTokens.of(tags)
    run = gold_run(tokens, page.text, most_tags=most_tags)
    if run is None:
        return "too little of its gold text is found on it, or too many tags are in it"
    counter.add(tokens, run, source=page.host, lang=page.lang)
    return None
