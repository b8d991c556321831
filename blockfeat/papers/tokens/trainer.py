"""The trainer of token models: naive Bayes over trigrams, counted page by page (Pasternack & Roth 2009, 6.2.3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from blockfeat.blocks.tagtable import load_table
from blockfeat.data.corpus import LabelledPage
from blockfeat.errors import BlockfeatError, TrainingError
from blockfeat.page.page import Page
from blockfeat.page.tags import Tags
from blockfeat.papers.tokens.classifier import Scale, TokenClassifier
from blockfeat.papers.tokens.counts import TokenCounter, common_tags, gold_run
from blockfeat.papers.tokens.model import Constraints, TokenModel
from blockfeat.papers.tokens.page_tokens import PageTokens
from blockfeat.training.trainer import OnProgress, Progress, Trainer, TrainingReport, check_any, no_progress


@dataclass(frozen=True)
class TokenConfig:
    """Hyperparameters of the token model.

    Attributes
    ----------
    table : str
        Bundled tag table that cuts pages into the blocks of the result, or path of one.
    size : int
        Tokens in a gram: 3, or 1.
    least_sources : int
        Sites that a gram or a word form must have been seen on to be in the model; more make a smaller file.
    smoothing : float
        Added to the counts.
    neighbours : bool
        Use the grams of the token before and behind, too.
    around : bool
        Use which elements stand around a token; without them the features are the paper's two.
    balanced : bool
        Equal priors of inside and outside; false for those of the training pages, as in the paper.
    stop_at_rule : bool
        Cut everything after the first HR of a run off (6.2.3).
    least_tokens : int
        Least length of a run.
    clean : bool
        Cut out of a run what is embedded in it: tables, frames, and DIVs with links or images (4.2).
    most_tags : float
        Pages are left out whose text has a higher share of tags among its tokens; 1 for none, the paper's is 0.2 (5.1).
    scale : Scale
        How the certainty of a token becomes its score; the paper's is "probability".
    """

    table: str = "html5"
    size: int = 3
    least_sources: int = 2
    smoothing: float = 0.5
    neighbours: bool = True
    around: bool = True
    balanced: bool = True
    stop_at_rule: bool = False
    least_tokens: int = 1
    clean: bool = False
    most_tags: float = 1.0
    scale: Scale = field(default_factory=lambda: Scale("log odds", limit=8.0))

    def __post_init__(self) -> None:
        """Check the values."""
        if self.size not in (1, 3):
            raise TrainingError(f"'size' must be 1 or 3, not {self.size}")
        if not 0 < self.most_tags <= 1:
            raise TrainingError(f"'most_tags' must lie above 0 and be at most 1, not {self.most_tags:g}")
        if self.least_sources < 1 or self.least_tokens < 1 or not self.smoothing > 0:
            raise TrainingError("'least_sources' and 'least_tokens' must be at least 1 and 'smoothing' above 0")


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
        counter, used, skipped = TokenCounter(names, config.size), 0, []
        for number, page in enumerate(pages, start=1):
            why = _count(counter, page, config.most_tags)
            used += why is None
            if why is not None:
                skipped.append(f"{page.corpus} {page.id}: {why}")
            on_progress(Progress("measuring", len(pages) + number, 2 * len(pages), "pages counted"))
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
        """Return the tags of more than one site; where there is one site only, all tags of its pages."""
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
    """Count a page; return why it cannot be used, or None."""
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
