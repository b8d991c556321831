"""Pages counted by their gold text, and classifiers made of them: for tests of token models."""

from dataclasses import replace

from blockfeat.page.page import Page
from blockfeat.papers.mss.classifier import Scale, TokenClassifier
from blockfeat.papers.mss.page_tokens import PageTokens
from blockfeat.papers.mss.trainer import TokenCounter, gold_run
from pages import GOLD, article_page

TAGS = ("a", "aside", "body", "footer", "h1", "h2", "head", "html", "li", "main", "nav", "p", "title", "ul")


def tokens_of(html: str) -> PageTokens:
    """Return the tokens of a page."""
    return PageTokens.of(Page.parse(html).tags)


def add_gold(counter: TokenCounter, html: str, *, source: str) -> None:
    """Count a page by the gold text of `pages.article_page`."""
    tokens = tokens_of(html)
    run = gold_run(tokens, GOLD)
    assert run is not None
    counter.add(tokens, run, source=source, lang="en")


def article_classifier(scale: str = "probability", **options: bool) -> TokenClassifier:
    """Return a classifier that has seen the article on three sites."""
    counter = TokenCounter(TAGS)
    for number in range(3):
        add_gold(counter, article_page(), source=f"site {number}")
    vocabulary, bayes = counter.finish(neighbours=True)
    return TokenClassifier(vocabulary, replace(bayes, **options), Scale(scale))
