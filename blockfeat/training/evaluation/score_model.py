"""Score a model on labelled pages, over processes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from blockfeat._pool import in_order
from blockfeat.data.corpus import LabelledPage
from blockfeat.extraction.extractor import Extractor
from blockfeat.page.document import Document
from blockfeat.training.evaluation.evaluate import Evaluation, PageScore, score_page


@dataclass(frozen=True)
class _Scorer:
    """Extracts one page and scores it, in any process."""

    extractor: Extractor

    def __call__(self, page: LabelledPage) -> PageScore:
        extraction = self.extractor.extract_document(Document(id=page.id, data=page.html, url=page.url))
        return score_page(extraction.text, page, error=extraction.error)

    def failed(self, page: LabelledPage, reason: str) -> PageScore:
        return score_page("", page, error=reason)


def score_model(
    extractor: Extractor,
    pages: Iterable[LabelledPage],
    *,
    jobs: int = 1,
    on_page: Callable[[int], None] | None = None,
) -> Evaluation:
    """Extract and score labelled pages; a page that fails counts as empty text and keeps its error.

    The pages' languages are identified, not taken from the corpus, as they would be in use.
    """
    scorer = _Scorer(extractor)
    scores = []
    for number, (_, score) in enumerate(in_order(scorer, pages, jobs=jobs, failure=scorer.failed), start=1):
        scores.append(score)
        if on_page is not None:
            on_page(number)
    return Evaluation(tuple(scores))
