"""Rules over what a model keeps: named boxes, parts of events, standfirsts, headings, technical text and banners.

Each is applied, in its place and with its measured worth, by `blockfeat.extraction.postprocess.RULES`.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from itertools import accumulate, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat._files import bundled_table
from blockfeat._numeric import sums_before
from blockfeat.blocks.element_codes import HEADINGS, KEYS, TECHNICAL, blocks_named
from blockfeat.blocks.table import Blocks, Mask, kinds_of_blocks
from blockfeat.extraction import signs
from blockfeat.extraction.signs import inside, within
from blockfeat.extraction.walls import asks_at_an_edge, edges_of, has_any, phrases_in
from blockfeat.features.cues import bundled_cues
from blockfeat.page.page import Page
from blockfeat.page.tags import are_among, name_keys
from blockfeat.page.utf_8 import Marks, places_of

# Technical text has at least so many elements that it is known by.
_FEWEST_TECHNICAL = 3
# The text is what is in the innermost element that holds so much of what is kept.
_NEARLY_ALL = 0.97
_NOT_TEXT = name_keys(["aside", "dialog", "footer", "form", "header", "nav"])
_MENUS = name_keys(["aside", "dialog", "footer", "header", "nav"])
_CUES_OF_OTHERS = ("advertisement", "comment", "consent", "dialog", "newsletter", "share")
# Where so much of the kept words is a discussion, what is dropped is what surrounds the posts.
_MOST_DISCUSSED = 0.3

_PAGE = name_keys(["body", "html"])
# Repeated texts have so many words, and of a box that is named so many of the words are links at most.
_FEWEST_REPEATED, _MOST_LINKED = 5, 0.5

# Names of notes, as whole words; shorter ones stay, and all where they have fewer words together.
_NOTES, _LEAST_NOTE, _LEAST_NOTES = Marks.of([b"legal", b"disclaimer", b"footnote"]), 10, 50
_WHOLE = re.compile(rb"(?<![a-z])(?:legal|disclaimers?|footnotes?)(?![a-z])", re.IGNORECASE)
# Dialogs by their tags, but no panels beside the text; without them so many words have to be left.
_DIALOG = re.compile(rb"<(?![^>]*aria-modal=.?false)(?:dialog|[^>]*role=.?(?:alert)?dialog)", re.IGNORECASE)
_DIALOGS, _LEAST_WITHOUT = Marks.of([b"dialog"]), 50

PARTS_OF_PAGES = name_keys(["footer", "header", "main", "nav"])
"""Elements of pages that tell what is beside the text."""
# Pages of offers have more elements called so; the rest of a list has at least such log odds, or stands around it; no
# part beside the text has more of what is kept.
_MOST_OFFERS, _LEAST_OF_REST, _MOST_HELD = 2, -3.0, 0.4

_ARTICLE, _MAIN, _HEADER = name_keys(["article", "main", "header"]).tolist()
_UNNAMED, _MOST_ATTRIBUTES = 3, 200
_NAMED = re.compile(
    rb'\s(?:(?:class|id)="[^"]*(?:article|entry|post|story)[-_]{0,2}(?:body|content|text)|itemprop="articlebody")', re.I
)
_ROLE = re.compile(rb'\srole="main"', re.IGNORECASE)
# The box has most of what is likely, and enough of what is kept.
_LEAST_SHARE, _FEWEST_WORDS, _LEAST_KEPT = 0.6, 20, 0.05

_LETTERS, _LOOKED_AT = 60, 240


def technical_text(blocks: Blocks, kept: Mask) -> Mask:
    """Return which blocks are kept once technical text is kept whole, from its first kept block on.

    Text is technical if some of its elements hold code or formulas. It is all that stands in the innermost element that
    holds nearly all that is kept; but not menus, forms, asides, comments and the like inside of it. Discussions stay as
    they are.
    """
    tags, containers, words = blocks.tags, blocks.containers, blocks.measures.words
    if not kept.any() or (innermost := _innermost_around(blocks, kept)) < 0:
        return kept
    element = int(containers.element[innermost])
    end_element = int(tags.opened.searchsorted(tags.closed[element]))
    if np.count_nonzero(tags.key[element:end_element] == KEYS[TECHNICAL][:, None]) < _FEWEST_TECHNICAL:
        return kept
    first, end = (int(edge[innermost]) for edge in (containers.first_block, containers.end_block))
    bits = cue_bits(blocks, (containers.first_block < end) & (containers.end_block > first))
    discussed = within(blocks, bits & mask_of("discussion") != 0)
    if words[kept & discussed].sum() >= _MOST_DISCUSSED * words[kept].sum():
        return kept
    is_other = _is_beside(blocks, bits)
    is_other[: innermost + 1] = False
    chosen, title = ~within(blocks, is_other), first_title(blocks, kept)
    start = int(kept.argmax()) if title is None else title + 1
    chosen[: max(start, first)] = chosen[end:] = False
    return chosen | kept


def beside_text(blocks: Blocks) -> Mask:
    """Return which blocks stand in menus, forms, asides, footers, comments and other parts beside the text.

    A form, or what is called an advertisement, may be around much of the page, and is none of these then; and neither
    is the header of an article.
    """
    containers, words, bits = blocks.containers, blocks.measures.words, cue_bits(blocks)
    is_small = inside(blocks, words) <= _MOST_OF_PAGE * words.sum()
    is_sure = are_among(containers.key, _MENUS) | (bits & mask_of("consent", "dialog") != 0)
    is_own = (containers.key == _HEADER) & (containers.key[containers.parent] == _ARTICLE)
    return within(blocks, _is_beside(blocks, bits) & (is_small | is_sure) & ~is_own)


def _is_beside(blocks: Blocks, bits: NDArray[np.uint32]) -> Mask:
    """Return which containers are parts of a page beside its text, by their names and cues; its body is none."""
    is_named: Mask = (bits & mask_of(*_CUES_OF_OTHERS) != 0) & ~are_among(blocks.containers.key, _PAGE)
    return is_named | are_among(blocks.containers.key, _NOT_TEXT)


def cue_bits(blocks: Blocks, among: Mask | bool = True) -> NDArray[np.uint32]:
    """Return the bits of the cues of some containers with text, none of the others."""
    bits, containers = np.zeros(blocks.containers.key.size, dtype=np.uint32), blocks.containers
    some = (containers.first_block < containers.end_block) & among
    bits[some] = bundled_cues().of_elements(blocks.tags, containers.element[some]).bits
    return bits


def mask_of(*kinds: str) -> np.uint32:
    """Return the bits of some kinds of cues."""
    return np.uint32(np.bitwise_or.reduce([bundled_cues().masks[kind] for kind in kinds]))


def _innermost_around(blocks: Blocks, kept: Mask) -> int:
    """Return the innermost container that holds nearly all kept words; -1 for none."""
    words = blocks.measures.words
    around = (inside(blocks, words, kept) >= _NEARLY_ALL * words[kept].sum()).nonzero()[0]
    return int(around[-1]) if around.size else -1


def without_repeats(blocks: Blocks, kept: Mask) -> Mask:
    """Return which blocks are kept where those of some words, which a block before has that is kept, are not."""
    words = blocks.measures.words
    long = (kept & (words >= _FEWEST_REPEATED)).nonzero()[0]
    edges = sums_before(words)[np.concatenate((long, long + 1)).reshape(2, -1).T.ravel()]
    keys = blocks.measures.token_keys
    # What stands behind the last one has no sum.
    texts = np.add.reduceat(keys, edges[: -1 if long.size and edges[-1] == keys.size else None])[::2].tolist()
    chosen = kept & (words < _FEWEST_REPEATED)
    chosen[[*dict(zip(reversed(texts), reversed(long.tolist()), strict=True)).values()]] = True
    return chosen


def without_notes(blocks: Blocks, kept: Mask) -> Mask:
    """Return which blocks are kept where what is called legal, a disclaimer or footnotes is not, if that is long."""
    words = blocks.measures.words
    held = inside(blocks, words, kept)
    is_part = (held >= _LEAST_NOTE) & (held <= _MOST_OF_PAGE * words[kept].sum()) & (blocks.containers.key != _ARTICLE)
    named = [container for container, tag in marked_in(blocks, is_part, _NOTES) if _WHOLE.search(tag)]
    left = kept & ~within(blocks, np.array(named)) if named else kept
    return left if words[kept & ~left].sum() >= _LEAST_NOTES else kept


def without_dialogs(blocks: Blocks, kept: Mask) -> Mask:
    """Return which blocks are kept where those of dialogs, which cover the page once they are opened, are not."""
    words = blocks.measures.words
    marked = marked_in(blocks, inside(blocks, words, kept) > 0, _DIALOGS)
    dialogs = [container for container, tag in marked if _DIALOG.match(tag)]
    left = kept & ~within(blocks, np.array(dialogs)) if dialogs else kept
    return left if words[left].sum() >= _LEAST_WITHOUT else kept


def marked_in(blocks: Blocks, among: Mask, marks: Marks) -> Iterator[tuple[int, bytes]]:
    """Return which of some containers have a mark in their start tags, with these."""
    some, elements = among.nonzero()[0], blocks.containers.element
    marked = some[[*dict.fromkeys(blocks.tags.marked(elements[some], marks)[1])]]
    return zip(marked.tolist(), blocks.tags.start_tags(elements[marked]), strict=True)


def first_title(blocks: Blocks, kept: Mask) -> int | None:
    """Return the first h1 inside the article; None for none.

    It is before the text, in the innermost element around nearly all of the text that has one, other than the body.
    """
    containers = blocks.containers
    titles = blocks_named(blocks.container, containers.key, KEYS[HEADINGS][:1], int(kept.argmax()) + 1)
    around = _innermost_around(blocks, kept) if titles else -1
    while around >= 0 and containers.key[around] not in _PAGE:
        place = bisect_left(titles, int(containers.first_block[around]))
        if place < len(titles):
            return titles[place]
        around = int(containers.parent[around])
    return None


def in_named_box(blocks: Blocks, kept: Mask, likely: Mask) -> Mask:
    """Return the kept blocks inside the box that the page names as its article; all of them where there is none.

    The first kind counts that has an element with most of the likely words: by class or id
    (``article-body``, ``entry-content`` …) or ``itemprop="articleBody"``; ``<article>``; ``<main>`` or its role. Of
    elements in one another the outermost is the box.

    Parameters
    ----------
    blocks : Blocks
        The page's n blocks.
    kept, likely : bool arrays, n
        The blocks that are content, and those outside of comments that are more likely so than not.
    """
    words = blocks.measures.words
    kept_words, total = inside(blocks, words, kept), int(words[likely].sum())
    is_large = (inside(blocks, words, likely) >= _LEAST_SHARE * total) & (kept_words >= _FEWEST_WORDS)
    large = (is_large if total else is_large[:0]).nonzero()[0]
    rank, box = min(zip(_ranks(blocks, large), large.tolist(), strict=True), default=(_UNNAMED, -1))
    if rank == _UNNAMED or kept_words[box] < _LEAST_KEPT * int(words[kept].sum()):
        return kept
    return kept & within(blocks, np.array([box]))


def named_text(blocks: Blocks) -> Mask:
    """Return the blocks of the one box that a page names as its article by class or id, no block where it has several.

    For pages of which nothing is kept: a picture with a line below it reads like no article.
    """
    linked, sizes = (inside(blocks, counts) for counts in (blocks.measures.anchor_words, blocks.measures.words))
    some = ((sizes >= _FEWEST_REPEATED) & (linked <= _MOST_LINKED * sizes)).nonzero()[0]
    named = [container for container, rank in zip(some.tolist(), _ranks(blocks, some), strict=True) if not rank]
    end = blocks.containers.end_block
    box = named[:1] if all(end[container] <= end[named[0]] for container in named) else []
    return within(blocks, np.array(box, dtype=np.intp))


def _ranks(blocks: Blocks, some: NDArray[np.integer[Any]]) -> list[int]:
    """Return how clearly each of some containers is named as the article, 0 for the clearest, `_UNNAMED` for not."""
    keys, tags = blocks.containers.key[some].tolist(), blocks.tags.start_tags(blocks.containers.element[some])
    return [
        0 if _NAMED.search(tag) else 1 if key == _ARTICLE else 2 if key == _MAIN or _ROLE.search(tag) else _UNNAMED
        for key, tag in zip(keys, tags, strict=True)
    ]


# What an element is called: its tag, and the words of its names.
_CALLED = re.compile(rb' (?:class|id|itemprop|itemtype)="([^"]*)"')
_NEXT_WORD = re.compile("[A-Z](?<=[a-z].)")
# Of an event's box at most so much is beside its text, and it has so much of what is likely.
_MOST_BESIDE, _LEAST_TOLD = 0.6, 0.3
# No part of a product has more of its page; a text of parts alone has so many words. Next to nothing is likely where
# so few of the kept words are, or such a share of them.
_MOST_OF_PAGE, _FEWEST_TOLD, _FEW_WORDS, _SURE = 0.4, 15, 30, 0.2


_TYPES, _NEAR_TYPE = re.compile(rb'"@type"[\s:\[]+"([^"]{1,80})'), 60
_LISTS = re.compile(rb"ItemList|CollectionPage|SearchResultsPage|OfferCatalog")
_PARTS = bundled_table("blockfeat.extraction", "parts.toml")
_OFFERS = _PARTS["offers"]
_CURRENCIES = re.compile("|".join(map(re.escape, _OFFERS["signs"])))
_FEWEST_OFFERS, _FIRST_NAME = 10, re.compile(rb"^<[\w-]+| class=\"\s*[^\"\s]+")


@cache
def names_of(kind: str) -> tuple[Marks, re.Pattern[str]]:
    """Return marks of which each name of a part of a kind of page has one, and the pattern of the names, by part."""
    parts = dict(_PARTS[kind])
    before, marks = parts.pop("before"), parts.pop("marks")
    # What stands before a word leads the search, which skips all letters quickly.
    names = "|".join(f"(?P<{part}>{one})" for part, one in parts.items())
    return Marks.of(map(str.encode, marks)), re.compile(f"{before}(?:{names})", re.VERBOSE)


def _called(blocks: Blocks, kind: str, among: Mask | bool = True) -> dict[str, Mask]:
    """Return which of some containers with text are called as parts of a kind of page; each word is looked at once."""
    containers, (marks, pattern) = blocks.containers, names_of(kind)
    alike, having = defaultdict[bytes, list[int]](list), defaultdict[bytes, list[int]](list)
    for container, tag in marked_in(blocks, (containers.first_block < containers.end_block) & among, marks):
        alike[tag].append(container)
    for tag, those in alike.items():
        for word in (tag.partition(b" ")[0], *b" ".join(_CALLED.findall(tag)).split()):
            having[word] += those
    lines = _NEXT_WORD.sub(r"-\g<0>", b"\n".join(having).decode("utf-8", "replace").replace("_", "-")).lower()
    ends, of_word = list(accumulate(len(line) + 1 for line in lines.split("\n"))), list(having.values())
    masks = {part: np.zeros(containers.key.size, dtype=np.bool_) for part in pattern.groupindex}
    for found in pattern.finditer(f"\n{lines}"):
        masks[found.lastgroup or ""][of_word[bisect_right(ends, found.start())]] = True
    return masks


def parts_of_event(blocks: Blocks, likely: Mask, *, falls_back: bool) -> Mask | None:
    """Return the blocks of the one event that a page tells of; None where it tells of several, or of none.

    They stand in the only element that is called as one event, and not in another; or in ``<main>``, if that is asked
    for. Its headline, links to other events and what one does with it (export, share) are none of them.

    Parameters
    ----------
    blocks : Blocks
        The page's n blocks.
    likely : bool array, n
        The blocks that are more likely content than not: what holds few of their words is not what the page tells of.
    falls_back : bool
        Whether ``<main>`` will do.
    """
    called, containers, likely_words = _called(blocks, "event"), blocks.containers, blocks.measures.words * likely
    first, end = containers.first_block, containers.end_block
    words = inside(blocks, blocks.measures.words)
    boxes = (called["box"] & ~are_among(containers.key, _PAGE) & (words > 0)).nonzero()[0]
    if not boxes.size and falls_back:
        boxes = (containers.key == _MAIN).nonzero()[0]
    if not boxes.size or first[boxes[-1]] >= end[boxes[0]]:
        return None
    box = boxes[0]
    is_beside = called["without"] & (words <= _MOST_BESIDE * words[box])
    is_beside[: box + 1] = False
    told = ~within(blocks, is_beside)
    told[: first[box]] = told[end[box] :] = False
    found = likely_words[first[box] : end[box]].sum()
    return told if told.any() and found >= _LEAST_TOLD * likely_words.sum() else None


def type_of_graph(source: bytes) -> bytes:
    """Return what stands around the type of Open Graph in markup; nothing where it has none."""
    found = places_of(b"og:type", source, most=1)
    return source[max(found[0] - _NEAR_TYPE, 0) : found[0] + _NEAR_TYPE] if found else b""


def declares_product(page: Page, source: bytes) -> bool:
    """Return whether a page says in JSON-LD, microdata or Open Graph that it is of a product, and not of a list."""
    types = b" ".join(_TYPES.findall(b" ".join(page.linked_data)))
    if _LISTS.search(types):
        return False
    is_said = b"Product" in types or b"product" in type_of_graph(source)
    return is_said or bool(places_of(b"schema.org/Product", source, most=1))


def parts_of_product(blocks: Blocks, kept: Mask, likely: Mask) -> Mask:
    """Return which blocks of a page of one product are kept, by what elements around them are called.

    Without other products and delivery. Where next to nothing of what is left is likely only descriptions, features
    and specifications are kept, if there are any: they are short, and less like an article than what is beside them.
    """
    words = blocks.measures.words
    is_part = inside(blocks, words) <= _MOST_OF_PAGE * words.sum()
    beside = within(blocks, _called(blocks, "beside product", is_part)["beside"])
    left = kept & ~beside
    if words[left & likely].sum() <= max(_FEW_WORDS, _SURE * words[left].sum()):
        parts = {part: within(blocks, is_called) for part, is_called in _called(blocks, "product", is_part).items()}
        told = parts["text"] & ~parts["without"] & ~beside
        if words[told].sum() >= _FEWEST_TOLD:
            return told
    return left if left.any() else kept


def rest_of_box(blocks: Blocks, kept: Mask, log_odds: NDArray[np.floating[Any]]) -> Mask:
    """Return what is kept with the rest of a list, but nothing more on pages of offers.

    The rest is what stands in the innermost element around nearly all that is kept, or is not much less likely than
    even odds; but nothing of what is beside the text, by its elements, its cues and what it is called.
    """
    containers = blocks.containers
    if np.count_nonzero(_called(blocks, "offer")["offer"]) > _MOST_OFFERS:
        return kept
    rest: Mask = log_odds > _LEAST_OF_REST
    if (innermost := _innermost_around(blocks, kept)) >= 0:
        rest[containers.first_block[innermost] : containers.end_block[innermost]] = True
    held, more = (inside(blocks, blocks.measures.words, some) for some in (kept, rest & ~kept))
    among = (held <= _MOST_HELD * held.max(initial=0)) & (more > 0)
    is_beside = _called(blocks, "list", among)["without"] | _is_beside(blocks, cue_bits(blocks, among))
    chosen = kept | rest & ~within(blocks, is_beside & among)
    chosen[banners(blocks, chosen)] = False
    return chosen | kept


def offers(blocks: Blocks, kept: Mask, page: Page) -> Mask:
    """Return what is kept with the offers of a page that has more of them than of other text, and is not of a product.

    Offers are elements named alike, each with a link and a price, outside of menus; without their buttons and the like.
    """
    containers, words, text = blocks.containers, blocks.measures.words, blocks.page_text.text
    if 2 * (mine := int(words[kept].sum())) > words.sum():
        return kept
    data = text.encode("utf-8", "surrogatepass")
    if sum(len(places_of(sign, data)) for sign in map(str.encode, _OFFERS["signs"])) < _FEWEST_OFFERS:
        return kept
    places = [found.start() for found in _CURRENCIES.finditer(text)]
    priced_blocks = blocks.page_text.block_ends.searchsorted(places, side="right")
    prices = np.bincount(priced_blocks, minlength=len(blocks)).astype(np.int32)
    first, end = containers.first_block, containers.end_block
    sizes = inside(blocks, words)
    menus = within(blocks, are_among(containers.key, _MENUS) & (sizes <= _MOST_OF_PAGE * words.sum()))
    counted = (blocks.measures.anchor_words, prices, menus.astype(np.int32))
    linked, priced, hidden = (inside(blocks, counts) > 0 for counts in counted)
    is_short = (sizes >= _OFFERS["fewest_words"]) & (sizes <= _OFFERS["most_words"])
    some = (is_short & linked & priced & ~hidden).nonzero()[0]
    named: dict[bytes, list[int]] = defaultdict(list)
    for container, tag in zip(some.tolist(), blocks.tags.start_tags(containers.element[some]), strict=True):
        alike = named[b" ".join(_FIRST_NAME.findall(tag, 0, _MOST_ATTRIBUTES))]
        if not alike or first[container] >= end[alike[-1]]:
            alike.append(container)
    many = [alike for alike in named.values() if len(alike) >= _FEWEST_OFFERS]
    items = np.array(max(many, key=lambda alike: sizes[alike].sum(), default=[]), dtype=np.intp)
    found = within(blocks, items)
    both = int(words[kept & found].sum())
    if not many or words[found].sum() < max(mine - both, 3 * both) or declares_product(page, blocks.tags.source):
        return kept
    around = items.searchsorted(np.arange(sizes.size)) - 1
    is_item = (around >= 0) & (first < end[items[around]])
    return kept | found & ~within(blocks, _called(blocks, "list", is_item)["without"])


def lost_standfirst(blocks: Blocks, kept: Mask, log_odds: NDArray[np.floating[Any]], descriptions: str) -> list[int]:
    """Return the dropped block that one of the page's descriptions begins with, if there is one.

    It stands at most twelve blocks before the text begins, is no caption, has eight words or more and few links; no
    block that is kept begins so too.

    Parameters
    ----------
    blocks : Blocks
        The page's n blocks.
    kept, log_odds : bool and float array, n
        The blocks that are content, and the logits of their probabilities.
    descriptions : str
        What the page declares as its description, in any element of its head, a line each.
    """
    words = blocks.measures.words
    begin = next((block for block in kept.nonzero()[0].tolist() if words[block] >= signs.BEGIN_WORDS), 0)
    first = max(begin - signs.BLOCKS_BEFORE, 0)
    # Of so few numbers lists are faster than arrays.
    columns = (column[first:begin].tolist() for column in (kept, words, blocks.measures.anchor_words, log_odds))
    may_be = [
        block
        for block, (is_kept, size, linked, odds) in enumerate(zip(*columns, strict=True), first)
        if not is_kept and size >= signs.STANDFIRST_WORDS and linked <= signs.STANDFIRST_LINKS * size
        if odds >= signs.LEAST_LOG_ODDS
    ]
    texts = {*descriptions.splitlines()} if may_be else ()
    wanted = {key for text in texts if len(key := _letters(text)) == _LETTERS}
    alike = [block for block in may_be if _letters(blocks.raw_text(block)) in wanted] if wanted else []
    near = range(first, begin + 1)
    if not alike or any(kept[block] and _letters(blocks.raw_text(block)) in wanted for block in near):
        return []
    return [block for block in alike if kinds_of_blocks(blocks, [block])[0].name != "caption"][:1]


def _letters(text: str) -> str:
    """Return the first letters and digits of a text, without case."""
    return "".join(islice(filter(str.isalnum, text[:_LOOKED_AT]), _LETTERS)).casefold()[:_LETTERS]


_WORDS_A_PHRASE = 20
_ASKING_SHARE = 0.4
# Instructions for programmers say "cookie" all over, and news "partners" and "consent", but not a third phrase.
_FEWEST_KINDS = 3
# What is around so many words that do not ask is no banner, nor what has so many blocks.
_MUCH, _MOST_BLOCKS = 150, 200
# Elements around a block that are looked at, so that deep pages take no longer.
_MOST_AROUND = 40
_FEWEST_WORDS_LEFT, _MOST_BANNERS = 25, 4


def banners(blocks: Blocks, kept: Mask) -> list[int]:
    """Return the kept blocks of consent banners.

    A banner is the outermost element around one of the first or last kept blocks that a vendor's class or id names, or
    whose text mostly asks for consent; and it leaves other text. An article about consent has that all over, and
    stays.
    """
    return _Banners(blocks, kept).blocks() if asks_at_an_edge(blocks, kept) else []


class _Banners:
    """Search for the banners of one page."""

    def __init__(self, blocks: Blocks, kept: Mask) -> None:
        self.page, self.kept = blocks, kept.copy()
        self.words: NDArray[np.integer[Any]] = blocks.measures.words
        self.phrases: Callable[[int], list[str]] = cache(lambda block: phrases_in("consent", blocks.raw_text(block)))

    def blocks(self) -> list[int]:
        """Return the blocks of one banner after the other, from the edges inwards."""
        found: list[int] = []
        for _ in range(_MOST_BANNERS):
            spans = (span for edge in edges_of(self.kept) if self.phrases(edge) and (span := self._around(edge)))
            if (span := next(spans, None)) is None:
                break
            found += self._kept_in(*span)
            self.kept[slice(*span)] = False
        return found

    def _around(self, block: int) -> tuple[int, int] | None:
        """Return the blocks of the outermost banner around a block; None where it is in none."""
        containers = self.page.containers
        best, may_ask = None, True
        container = int(self.page.container[block])
        for _ in range(_MOST_AROUND):
            if container < 0:
                break
            span = int(containers.first_block[container]), int(containers.end_block[container])
            if not self._leaves_text(span):
                break
            asks = may_ask and self._asks(span)
            if asks or self._is_named(container):
                best = span
            may_ask = asks or (may_ask and bool(self.words[self._kept_in(*span)].sum() < _MUCH))
            container = int(containers.parent[container])
        return best

    def _is_named(self, container: int) -> bool:
        attributes = self.page.tags.attributes(int(self.page.containers.element[container]), most=200)
        return has_any("consent_container", f"{attributes.get('id', '')} {attributes.get('class', '')}")

    def _kept_in(self, first: int, end: int) -> list[int]:
        return (self.kept[first:end].nonzero()[0] + first).tolist()

    def _asks(self, span: tuple[int, int]) -> bool:
        """Return whether some blocks, kept or not, mostly ask for consent."""
        blocks = range(*span)
        if len(blocks) > _MOST_BLOCKS:
            return False
        phrases = [phrase for block in blocks for phrase in self.phrases(block)]
        if len({*phrases}) < _FEWEST_KINDS:
            return False
        asking = sum(min(int(self.words[block]), len(self.phrases(block)) * _WORDS_A_PHRASE) for block in blocks)
        return asking >= _ASKING_SHARE * int(self.words[slice(*span)].sum())

    def _leaves_text(self, span: tuple[int, int]) -> bool:
        """Return whether enough words outside of some blocks do not ask for consent; no more are read than that."""
        outside = (block for block in self.kept.nonzero()[0].tolist() if not span[0] <= block < span[1])
        words = accumulate(int(self.words[block]) for block in outside if not self.phrases(block))
        return any(total >= _FEWEST_WORDS_LEFT for total in words)
