"""Pages counted by their gold text, for tests of token models."""

from __future__ import annotations

from blockfeat.papers.mss.page_tokens import PageTokens
from blockfeat.papers.mss.trainer import TokenCounter, gold_run


def add_gold(counter: TokenCounter, tokens: PageTokens, gold: str, *, source: str, lang: str) -> bool:
    """Count a page by its gold text; return False, and count nothing, where the text is not found on it."""
    run = gold_run(tokens, gold)
    if run is None:
        return False
    counter.add(tokens, run, source=source, lang=lang)
    return True
