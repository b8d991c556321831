"""What a page is: an article, another page with content, a front page, a wall, an error page, or empty."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import chain, islice
from math import exp, log, log1p
from typing import Any, ClassVar
from urllib.parse import SplitResult, urlsplit

import numpy as np
from numpy.typing import NDArray

from blockfeat._files import bundled_json, bundled_table
from blockfeat.blocks.element_codes import blocks_named
from blockfeat.blocks.table import Blocks, Mask
from blockfeat.extraction.walls import KINDS, PageEvidence, refusal
from blockfeat.features.cues import bundled_cues
from blockfeat.page.tags import are_among, name_keys
from blockfeat.page.utf_8 import places_of

_CUES = ("discussion", "comment", "related", "byline", "advertisement", "article", "caption", "share")
_LONG, _SHORT = 25, 6
# Both alternatives behind one set, for which the search is fast.
_PRICE = r"[$€£¥₹₽₺\d](?:(?<!\d)\s?\d|(?<=\d)\s?(?:[€£₽₺]|zł|Kč|kr\b|EUR\b|USD\b))"
# Bytes of a digit, which may be two units, and a space; with them a text ends.
_SIGNS, _UTF_16, _BYTES_BEFORE, _MANY, _NUMBER = "$€£¥₹₽₺", "utf-16-le", 6, 1_000, re.compile(r"\d\s?\Z")
# Signs that stand behind numbers, by their last letter; a search compares first and last bytes.
_BEHIND = {sign[-1]: sign.encode(_UTF_16).rstrip(b"\0") for sign in (*"€£₽₺", "zł", "Kč", "kr", "EUR", "USD")}
_HEADINGS = name_keys(["h2", "h3", "h4"])
_ITEMS = name_keys(["li", "dd", "dt", "td", "th"])
_GROUPS = (["time"], ["pre", "code"], ["img"], ["input", "select", "textarea", "button"])
_COUNTED = name_keys([name for names in _GROUPS for name in names])
# Without what `numpy.sum` and `numpy.max` do before; on so few numbers it takes longer than they do.
_sum, _most = np.add.reduce, np.maximum.reduce
_OUTER = name_keys(["html", "body", "meta"])
_TYPE, _STANDARD, _FAR = b'@type"', b"schema.org/", 90
_LINK, _OWN_ADDRESS = b"<link ", rb"<link (?=[^<>]*canonical)[^<>]*href=[\"']?([^\"'\s<>]+)"
_WORD = re.compile(rb"[a-z]+")
_DATE = r"/(?:19|20)\d\d[/-]"
_WORDS_OF_PATHS = {
    "forum": r"/(?:forums?|threads?|topics?|t|viewtopic|showthread|questions?|discussions?|community)\b",
    "product": r"/(?:products?|items?|p|dp|shop|store|buy)\b",
    "list": r"/(?:collections?|categor\w+|tags?|topics|sections?|archives?|search|news|blog)/?$",
    "guide": r"/(?:docs?|documentation|guide|manual|reference|api|wiki|help|support)\b",
}


def kind_measures(blocks: Blocks, kept: Mask, scores: NDArray[np.floating[Any]], url: str | None) -> list[float]:
    """Return the measures of a page, as ``page_kind.json`` names them; those of no address are 0; linear in the page.

    Parameters
    ----------
    blocks : Blocks
        The page's n blocks.
    kept : bool array, n
        The blocks that are content.
    scores : float array, n
        Their scores.
    url : str or None
        The page's address; without it the one that the page names.
    """
    address = _address(url or own_address(blocks.declared.data))
    return [*_text(blocks, kept, scores), *_declared(blocks), *_cues(blocks), *address]


def _text(blocks: Blocks, kept: Mask, scores: NDArray[np.floating[Any]]) -> list[float]:
    """Return the measures of text and elements."""
    words, linked, container = blocks.measures.words, blocks.measures.anchor_words, blocks.container
    keys, text, is_kept = blocks.containers.key, kept.nonzero()[0], kept.data
    kept_words, all_words, count = words[text].tolist(), max(int(_sum(words)), 1), max(text.size, 1)
    total, headings = sum(kept_words), blocks_named(container, keys, _HEADINGS)
    elements = map(np.count_nonzero, blocks.tags.key == _COUNTED[:, None])
    return [
        log1p(total),
        total / all_words,
        log1p(count),
        log1p(len(blocks)),
        float(_sum(linked)) / all_words,
        float(_sum(linked[text])) / max(total, 1),
        log1p(total / count),
        log1p(max(kept_words, default=0)),
        log1p(sum(number >= _LONG for number in kept_words)),
        log1p(sum(number < _SHORT for number in kept_words)),
        sum(map(is_kept.__getitem__, headings)) / count,
        len(blocks_named(container[text], keys, _ITEMS)) / count,
        np.count_nonzero(kept[1:] != kept[:-1]) / count,
        log1p(len(headings)),
        log1p(np.count_nonzero(linked[headings] > 0.5 * words[headings])),
        *(log1p(sum(islice(elements, len(names)))) for names in _GROUPS),
        log1p(_prices(blocks.page_text.text)),
        float(_sum(_within(scores[text], 8.0)) / count) if text.size else -8.0,
        min(float(_most(scores, initial=-8.0)), 8.0),
        float(text[0]) / max(len(blocks), 1) if text.size else 1.0,
    ]


def _within(values: NDArray[np.floating[Any]], bound: float) -> NDArray[np.floating[Any]]:
    """Return values that are at most a bound from 0; in a fourth of the time that `numpy.clip` takes."""
    return np.asarray(np.minimum(np.maximum(values, -bound), bound))


def _prices(text: str) -> int:
    """Return how many prices a text has; far cheaper where no currency in it stands behind a number."""
    # A copy of what most texts are in memory; in UTF-8 it takes three times as long.
    data = text.encode(_UTF_16, "surrogatepass")
    places = [places_of(sign, data, most=_MANY) for last, sign in _BEHIND.items() if last in text]
    before = (data[max(place - _BYTES_BEFORE, 0) : place].decode(_UTF_16, "ignore") for place in chain(*places))
    if max(map(len, places), default=0) == _MANY or any(map(_NUMBER.search, before)):
        return len(re.findall(_PRICE, text))
    return sum([len(re.findall(rf"\{sign}\s?\d", text)) for sign in _SIGNS if sign in text])


def _declared(blocks: Blocks) -> list[float]:
    """Return the measures of declarations: texts in JSON-LD, and what stands at each place of `_declared_kinds`."""
    declared, data = blocks.declared, blocks.declared.data
    measures = [float(declared.body != ""), float(declared.other != "")]
    outer = blocks.tags.start_tags(are_among(blocks.tags.key, _OUTER).nonzero()[0])
    every = b"".join(outer)
    types = [*places_of(_TYPE, data), *places_of(_STANDARD, data)]
    said = b"\n".join([data[place : place + _FAR] for place in types])
    for marks, patterns, kinds in _declared_kinds():
        tags = [tag for mark in marks if places_of(mark, every, most=1) for tag in outer if mark in tag]
        found = b" ".join([*tags, *chain.from_iterable(pattern.findall(said) for pattern in patterns)])
        words = set(_WORD.findall(found.lower()))
        measures += [1.0 - words.isdisjoint(some) for some in kinds]
    return measures


@cache
def _declared_kinds() -> tuple[tuple[list[bytes], list[re.Pattern[bytes]], list[list[bytes]]], ...]:
    """Return where pages say of what kind they are, with the words of each measure, in their order."""
    found = []
    for place in bundled_table("blockfeat.extraction", "declared_kinds.toml").values():
        kinds = {name: [word.encode() for word in words] for name, words in place.items()}
        found.append((kinds.pop("tags", []), [*map(re.compile, kinds.pop("types", []))], [*kinds.values()]))
    return tuple(found)


def _cues(blocks: Blocks) -> list[float]:
    """Return the logarithms of the numbers of elements marked as discussion, comment …, by tag or class."""
    cues = bundled_cues()
    bits = cues.of_elements(blocks.tags, blocks.containers.element).bits
    return [log1p(np.count_nonzero(bits & np.uint32(cues.masks[name]))) for name in _CUES]


def _is_forum(url: str | None) -> bool:
    """Return whether an address is that of a forum, by the words of its host and path."""
    parts = _parts(url or "")
    host, path = parts.netloc.lower(), parts.path.lower()
    return host.startswith(("forum", "community", "discuss", "talk")) or bool(re.search(_WORDS_OF_PATHS["forum"], path))


def _parts(url: str) -> SplitResult:
    """Return the parts of an address, all empty where it is none."""
    try:
        return urlsplit(url)
    except ValueError:
        return urlsplit("")


def own_address(data: bytes) -> str | None:
    """Return the address that a page in UTF-8 gives as its canonical one; None where it gives none."""
    link = next(filter(None, map(partial(re.compile(_OWN_ADDRESS).match, data), places_of(_LINK, data))), None)
    return link[1].decode("utf-8", "replace") if link else None


def _address(url: str | None) -> list[float]:
    """Return the measures of an address."""
    parts = _parts(url or "")
    if not any(parts):
        return [0.0] * (6 + len(_WORDS_OF_PATHS))
    path = parts.path.lower()
    steps = [step for step in path.split("/") if step and not step.startswith("index.")]
    named = {name: float(re.search(pattern, path) is not None) for name, pattern in _WORDS_OF_PATHS.items()}
    return [
        1.0,
        float(not steps and not parts.query),
        float(min(len(steps), 6)),
        log1p(max((len(re.split(r"[-_+]", step)) for step in steps), default=0)),
        float(bool(steps) and re.search(r"\d{4,}", steps[-1]) is not None),
        float(re.search(_DATE, path) is not None),
        *{**named, "forum": float(_is_forum(url))}.values(),
    ]


LEARNT = KINDS[:3]
"""The kinds that the linear classifier distinguishes."""


def page_kind(page: PageEvidence) -> tuple[str, NDArray[np.float64]]:
    """Return the kind of a page, and the probabilities of the kinds of `LEARNT`; linear in the page.

    Rules find pages that a site shows instead of the one requested (`blockfeat.extraction.walls`), all of them with
    little text; a linear classifier over `kind_measures` distinguishes articles, other pages with content and front
    pages. Plain text is another page with content.
    """
    if len(page.blocks) and not page.parsed.has_markup:
        return "other", np.zeros(len(LEARNT))
    refused = refusal(page)
    if not len(page.blocks):
        return refused or "empty", np.zeros(len(LEARNT))
    learnt = _weights().probabilities(kind_measures(page.blocks, page.kept, page.prediction.scores, page.parsed.url))
    return refused or LEARNT[int(learnt.argmax())], learnt


class JudgedPage(PageEvidence):
    """Evidence for the kind of a page, with the kind, which is found once."""

    @cached_property
    def kind(self) -> tuple[str, NDArray[np.float64]]:
        """What `page_kind` returns."""
        return page_kind(self)


@dataclass(frozen=True, eq=False)
class KindWeights:
    """A linear classifier of pages.

    Attributes
    ----------
    mean, scale : float array, k
        Mean and deviation of each of `kind_measures`.
    weights : float array, k × 3
        A column for each kind of `LEARNT`.
    bias : float array, 3
        What is added.
    """

    mean: NDArray[np.float64]
    scale: NDArray[np.float64]
    weights: NDArray[np.float64]
    bias: NDArray[np.float64]

    MOST: ClassVar[float] = 4.0

    def probabilities(self, measures: Any) -> NDArray[np.float64]:
        """Return the probability of each kind of `LEARNT` for pages, whose measures are the last axis."""
        deviations = _within((np.asarray(measures) - self.mean) / self.scale, self.MOST)
        logits = deviations @ self.weights + self.bias
        chance = np.exp(logits - _most(logits, axis=-1, keepdims=True))
        return np.asarray(chance / _sum(chance, axis=-1, keepdims=True))

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> KindWeights:
        """Make a classifier from a document in the form of ``page_kind.json``."""
        rows = document["measures"].values()
        mean, scale, *kinds = (np.array([row[name] for row in rows]) for name in ("mean", "scale", *LEARNT))
        return cls(mean, scale, np.stack(kinds, axis=1), np.array([document["bias"][kind] for kind in LEARNT]))


@cache
def _weights() -> KindWeights:
    """Return the bundled classifier, a constant that is read at its first use."""
    return KindWeights.from_document(bundled_json("blockfeat.extraction", "page_kind.json"))


_BY_WORD = ("thresholds", "tokens")
_MOST_ODDS = 30.0


def content_logits(
    kind: str, scores: NDArray[np.floating[Any]], words: NDArray[np.integer[Any]]
) -> NDArray[np.floating[Any]]:
    """Return the scores of blocks on the scale of logits, 0 where the model decides: n.

    Parameters
    ----------
    kind : str
        Kind of the model. ``"sequence"``, ``"margin"`` and ``"web2text"`` score by log odds; ``"thresholds"`` and
        ``"tokens"`` by sums over the words of a block, which are divided by their number.
    scores, words : arrays, n
        Score of each block, above 0 for content, and its words.
    """
    return scores / np.maximum(words, 1).astype(np.float64) if kind in _BY_WORD else scores


CONFIDENCE_MEASURES = (
    "expected", "near the cut", "certainty", "lost", "words", "share", "blocks", "switches", "gaps",
    "article", "front page", "found",
)  # fmt: skip
"""Names of the measures, in their order."""

_LEAST, _MOST_SCORE = 1e-3, 6.0
_OF_LISTS = 0.79


def confidence_measures(
    kind: str,
    scores: NDArray[np.floating[Any]],
    kept: NDArray[np.bool_],
    words: NDArray[np.integer[Any]],
    page: NDArray[np.float64],
    *,
    is_found: bool = False,
) -> list[float] | None:
    """Return the measures that predict the quality of a text, `CONFIDENCE_MEASURES`; None where nothing is kept.

    Parameters
    ----------
    kind : str
        Kind of the model; scores of some are sums over words.
    scores, kept, words : arrays, n
        Score of each block, whether it is kept, and its words.
    page : float array, 3
        Probabilities of the kinds of pages, `blockfeat.extraction.page_kind.LEARNT`.
    is_found : bool
        Whether a rule has found all of the text.
    """
    if not kept.any():
        return None
    sizes = np.maximum(words, 1).astype(np.float64)
    logits = content_logits(kind, scores, words).astype(np.float64)
    likely = sizes / (1 + np.exp(-_within(logits, _MOST_ODDS)))
    total, text = float(_sum(sizes[kept])), kept.nonzero()[0]
    expected = 2 * float(_sum(likely[kept])) / (total + float(_sum(likely)))
    bounded = min(max(expected, _LEAST), 1 - _LEAST)
    return [
        log(bounded / (1 - bounded)),
        float(_sum(sizes[np.abs(logits) < 1])) / total,
        float(_sum((sizes * _within(logits, _MOST_SCORE))[kept])) / total,
        float(_sum(likely[~kept])) / total,
        log1p(total),
        total / float(_sum(sizes)),
        log1p(text.size),
        np.count_nonzero(kept[1:] != kept[:-1]) / text.size,
        log1p((float(_sum(sizes[text[0] : text[-1] + 1])) - total) / total),
        float(page[0]),
        float(page[2]),
        float(is_found),
    ]


def expected_f1(kind: str, measures: Sequence[float] | None, *, is_list: bool = False) -> float | None:
    """Return the expected word F1, from 0 to 1; None where there are no measures, or none were calibrated.

    A logistic regression for each kind of model (``confidence.json``, written by ``experiments/expected_f1.py``). For
    lists that replace a main text it is too high (.78 on the development pages, where .63 was measured) and reduced.
    """
    weights = _confidence_weights().get(kind)
    if weights is None or measures is None:
        return None
    pairs = zip(measures, weights[1:], strict=True)
    total = weights[0] + sum(weight * min(max(value, least), most) for value, (weight, least, most) in pairs)
    expected = 1 / (1 + exp(-min(max(total, -30.0), 30.0)))
    return round(expected * _OF_LISTS if is_list else expected, 3)


@cache
def _confidence_weights() -> Mapping[str, Sequence[Any]]:
    """Return the bundled weights by kind of model: bias, and of each measure its weight and where it is cut."""
    weights, cut = bundled_json("blockfeat.extraction", "confidence.json"), ("", "least ", "most ")
    return {
        kind: (given["bias"], *([given[edge + name] for edge in cut] for name in CONFIDENCE_MEASURES))
        for kind, given in weights.items()
    }
