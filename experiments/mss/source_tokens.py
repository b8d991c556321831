"""The tokens of a source as it stands, not of the repaired tree (Pasternack & Roth 2009, 5.2)."""

from __future__ import annotations

from html.parser import HTMLParser

import numpy as np

from blockfeat.lang.characters import ALPHANUMERIC, CONTROL, MARK, SPACE, character_classes
from blockfeat.lang.counting import word_spans
from blockfeat.lang.measures import code_points, keys_of_words, lower
from blockfeat.lang.word_keys import keys_of_spans
from blockfeat.page.tags import name_keys
from blockfeat.papers.mss.page_tokens import END_TAG, NUMBER, START_TAG, SYMBOL, WORD, PageTokens, tag_tokens

__all__ = ["source_tokens"]

_TAG = "\uffff"
_SILENT = ("script", "style")


class _Source(HTMLParser):
    """Collects the tags of a source, and its text with a mark for each of them."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, bool]] = []
        self.text: list[str] = []
        self.silent = False

    def _add(self, name: str, *, opens: bool) -> None:
        self.tags.append((name, opens))
        self.text.append(_TAG)
        self.silent = opens and name in _SILENT

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self._add(tag, opens=True)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        self._add(tag, opens=True)

    def handle_endtag(self, tag: str) -> None:
        self._add(tag, opens=False)

    def handle_data(self, data: str) -> None:
        if not self.silent:
            self.text.append(data.replace(_TAG, " "))


def source_tokens(html: str) -> PageTokens:
    """Return the tokens of a page in the order of its source: a tag that is missing there is no token."""
    source = _Source()
    source.feed(html)
    source.close()
    text = lower("".join(source.text))
    codes = code_points(text)
    classes = character_classes().take(codes)
    is_tag = codes == ord(_TAG)
    kind_at = np.full(codes.size, 255, dtype=np.uint8)
    kind_at[(classes & (ALPHANUMERIC | MARK | SPACE | CONTROL) == 0) & ~is_tag] = SYMBOL
    kind_at[is_tag] = START_TAG
    word_start, word_end = word_spans(classes)
    words = [text[start:end] for start, end in zip(word_start.tolist(), word_end.tolist(), strict=True)]
    kind_at[word_start] = np.where([word.isdecimal() for word in words], NUMBER, WORD) if words else WORD
    first = np.flatnonzero(kind_at != 255)
    kind = kind_at[first]
    end = first + 1
    end[(kind == WORD) | (kind == NUMBER)] = word_end
    key = keys_of_spans(codes, first, end)
    key[kind == NUMBER] = keys_of_words(["0"])
    names = name_keys([name for name, _ in source.tags])
    opens = np.array([opens for _, opens in source.tags], dtype=bool)
    tags = kind == START_TAG
    kind[tags] = np.where(opens, START_TAG, END_TAG)
    key[tags] = tag_tokens(names, opens)
    element, unclosed = _open_tags(source.tags)
    opened = tag_tokens(names, np.ones(names.size, dtype=bool))
    latest = np.append(opened, np.uint64(0))[unclosed]
    before = np.concatenate((np.zeros(1, dtype=np.uint64), latest))
    elements = np.full(first.size, -1, dtype=np.int64)
    elements[tags] = element
    return PageTokens(kind, key, first, end, before[np.cumsum(tags) - tags], elements, text, first, end)


def _open_tags(tags: list[tuple[str, bool]]) -> tuple[list[int], list[int]]:
    """Return for each tag the start tag that it belongs to, and the latest start tag still open behind it; -1: none."""
    stack: list[int] = []
    element, unclosed = [], []
    for place, (name, opens) in enumerate(tags):
        own = place
        if opens:
            stack.append(place)
        else:
            match = next((at for at in reversed(range(len(stack))) if tags[stack[at]][0] == name), None)
            if match is not None:
                own = stack[match]
                del stack[match:]
        element.append(own)
        unclosed.append(stack[-1] if stack else -1)
    return element, unclosed
