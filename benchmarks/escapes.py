"""Which escapes of Markdown are needed: each is taken out alone, and compared what a reader makes of the whole."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache

from lxml import html
from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline

from blockfeat.data.corpus import LabelledPage
from blockfeat.extraction.extractor import Extractor
from blockfeat.training.evaluation.metrics import markdown_table

_ESCAPES = re.compile(r"\\([!-/:-@\[-`{-~])")
# Formulas as pandoc and GitHub read them: no blank inside of the dollars, no digit behind them.
_FORMULA = re.compile(r"\$\$(?:\\.|[^\\$])+?\$\$|\$(?!\s)(?:\\.|[^\\$])+?(?<!\s)\$(?![0-9])", re.DOTALL)
_BLOCKS = re.compile(r"</?(?:p|li|h[1-6]|td|th|dt|dd|br|pre|figcaption|caption)\b")
_FEW = 5


def measure_escapes(extractor: Extractor, pages: Iterable[LabelledPage]) -> str:
    """Return a table: pages whose Markdown has needless escapes, and pages whose words are read back."""
    needless: list[set[str]] = []
    lost: list[int] = []
    for page in pages:
        extraction = extractor.extract(page.html, url=page.url)
        markdown = extraction.to_markdown()
        needless.append(set(needless_escapes(markdown)))
        lost.append(words_lost(extraction.to_html(fragment=True), markdown))
    characters = Counter(character for found in needless for character in found)
    rows = [
        ["in all", str(len(lost))],
        ["with needless escapes", str(sum(map(bool, needless)))],
        *([f"needless \\{character}", str(count)] for character, count in characters.most_common()),
        ["read back word for word", str(lost.count(0))],
        [f"read back but for {_FEW} words", str(sum(number <= _FEW for number in lost))],
    ]
    return markdown_table(["Markdown", "pages"], rows)


def needless_escapes(markdown: str) -> Iterator[str]:
    """Yield the characters whose escape can be taken out alone without a change of what is read."""
    read = rendered(markdown)
    for match in _ESCAPES.finditer(markdown):
        if rendered(markdown[: match.start()] + markdown[match.start() + 1 :]) == read:
            yield match[1]


def words_lost(written: str, markdown: str) -> int:
    """Return how many words HTML and Markdown of the same content do not have in common."""
    ours, read = (Counter(_words(text)) for text in (written, rendered(markdown)))
    return (read - ours).total() + (ours - read).total()


def _words(markup: str) -> list[str]:
    apart = _BLOCKS.sub(r"\n\g<0>", markup)
    return re.findall(r"[^\W_]+", str(html.fragment_fromstring(apart, create_parent="main").xpath("string()")))


def rendered(markdown: str) -> str:
    """Return what a reader of CommonMark with GitHub's tables, strikethrough and formulas makes of Markdown."""
    return str(_reader().render(markdown))


@cache
def _reader() -> MarkdownIt:
    reader = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    reader.inline.ruler.before("escape", "formula", _read_formula)
    return reader


def _read_formula(state: StateInline, silent: bool) -> bool:
    """Read a formula at the position of a reader."""
    match = _FORMULA.match(state.src, state.pos)
    if match is None:
        return False
    if not silent:
        state.push("code_inline", "code", 0).content = match[0]
    state.pos = match.end()
    return True
