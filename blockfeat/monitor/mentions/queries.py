"""Boolean queries over articles: ``AND``, ``OR``, ``NOT``, ``NEAR/5``, quotes, ``title:``, ``word*``."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from blockfeat.errors import QueryError
from blockfeat.lang import keys_of_text
from blockfeat.monitor.mentions.brand import Brand
from blockfeat.monitor.mentions.folding import PARAGRAPH
from blockfeat.monitor.mentions.inflection import ANY_LANGUAGE
from blockfeat.monitor.mentions.matcher import BrandMatcher

NEAR_WORDS = 10
"""How many words may stand between the two sides of ``NEAR`` without a number."""
_MOST_TERMS, _DEEPEST = 200, 40
_ONLY_FORBIDS = "NOT needs something beside it that must be there"
_TOKEN = re.compile(
    r"""\s*(?:(?P<open>\()|(?P<close>\))|(?P<title>title:)|(?P<near>NEAR(?:/(?P<words>\d{1,3}))?(?=[\s("“„«「]|$))"""
    r"""|(?P<word>AND|OR|NOT)(?=[\s("“„«「-]|$)|(?P<minus>-)(?=\S)|(?P<phrase>"[^"]*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|「[^」]*」)"""
    r"""|(?P<term>[^\s()"“„«「]+))"""
)

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Term:
    """A word or phrase; ``in_title``: in the title only. A star at the end stands for any ending."""

    text: str
    in_title: bool = False


@dataclass(frozen=True, slots=True)
class Both:
    """``AND``."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Either:
    """``OR``."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Without:
    """``NOT``."""

    part: Node


@dataclass(frozen=True, slots=True)
class Near:
    """Two sides with at most so many words between them, in any order, in the same paragraph."""

    left: Node
    right: Node
    words: int


Node = Term | Both | Either | Without | Near


@dataclass(frozen=True, slots=True)
class Query:
    """A named Boolean query.

    Attributes
    ----------
    name : str
        What its mentions are called.
    query : str
        Its text: ``'("Tolmet Bank" OR Tolmet) NEAR/8 (merger OR takeover*) NOT title:sport'``. Operators are capitals;
        ``AND`` may be left out; ``-word`` is ``NOT word``.
    tree : Node
        What it says.

    Raises
    ------
    QueryError
        It cannot be understood, or nothing in it must be there.
    """

    name: str
    query: str
    tree: Node = field(init=False)

    def __post_init__(self) -> None:
        """Read the text."""
        object.__setattr__(self, "tree", _Parser(self.query, self.name).whole())

    @classmethod
    def parse(cls, text: str, *, name: str = "query") -> Query:
        """Read a query from its text."""
        return cls(name, text)


def terms_of(node: Node, *, forbidden: bool = True) -> Iterator[Term]:
    """Yield the terms of a query, those after ``NOT`` on request."""
    if isinstance(node, Term):
        yield node
    elif forbidden or not isinstance(node, Without):
        for part in parts_of(node):
            yield from terms_of(part, forbidden=forbidden)


def parts_of(node: Both | Either | Without | Near) -> tuple[Node, ...]:
    """Return the operands of a node."""
    if isinstance(node, Without):
        return (node.part,)
    return (node.left, node.right) if isinstance(node, Near) else node.parts


class _Parser:
    """Recursive descent over the tokens of one query."""

    def __init__(self, text: str, name: str) -> None:
        self.text, self.name = text, name
        self.place, self.depth, self.terms = 0, 0, 0
        self.token = self._next()

    def whole(self) -> Node:
        """Return the tree of the whole text."""
        tree = self._either(in_title=False)
        if self.token is not None:
            raise self._error("a bracket is closed that was not opened")
        if isinstance(tree, Without):
            raise self._error(_ONLY_FORBIDS)
        return tree

    def _next(self) -> re.Match[str] | None:
        found = _TOKEN.match(self.text, self.place)
        if found is None:
            if rest := self.text[self.place :].strip():
                raise self._error(f"a quotation is not closed: {rest[:40]!r}")
            return None
        self.place = found.end()
        return found

    def _is(self, group: str, value: str | None = None) -> bool:
        return self.token is not None and self.token[group] is not None and value in (None, self.token[group])

    def _take(self) -> re.Match[str]:
        token = self.token
        if token is None:
            raise self._error("it ends where a word is missing")
        self.token = self._next()
        return token

    def _either(self, *, in_title: bool) -> Node:
        parts = [self._both(in_title=in_title)]
        while self._is("word", "OR"):
            self._take()
            parts.append(self._both(in_title=in_title))
        if len(parts) > 1 and any(isinstance(part, Without) for part in parts):
            raise self._error(_ONLY_FORBIDS)
        return parts[0] if len(parts) == 1 else Either(tuple(parts))

    def _both(self, *, in_title: bool) -> Node:
        parts = [self._not(in_title=in_title)]
        while self.token is not None and not self._is("close") and not self._is("word", "OR"):
            if self._is("word", "AND"):
                self._take()
            parts.append(self._not(in_title=in_title))
        if len(parts) > 1 and all(isinstance(part, Without) for part in parts):
            raise self._error(_ONLY_FORBIDS)
        return parts[0] if len(parts) == 1 else Both(tuple(parts))

    def _not(self, *, in_title: bool) -> Node:
        if self._is("word", "NOT") or self._is("minus"):
            self._take()
            part = self._near(in_title=in_title)
            if isinstance(part, Without):
                raise self._error("NOT stands before NOT")
            return Without(part)
        return self._near(in_title=in_title)

    def _near(self, *, in_title: bool) -> Node:
        node = self._single(in_title=in_title)
        while self._is("near"):
            words = self._take()["words"]
            other = self._single(in_title=in_title)
            if not (_has_places(node) and _has_places(other)):
                raise self._error("NEAR stands between words, phrases, and brackets with OR between these")
            node = Near(node, other, NEAR_WORDS if words is None else int(words))
        return node

    def _single(self, *, in_title: bool) -> Node:
        while (token := self._take())["title"]:
            in_title = True
        if token["open"]:
            self.depth += 1
            if self.depth > _DEEPEST:
                raise self._error(f"more than {_DEEPEST} brackets in each other")
            node = self._either(in_title=in_title)
            if not self._is("close"):
                raise self._error("a bracket is not closed")
            self._take()
            self.depth -= 1
            return node
        words = token["phrase"][1:-1] if token["phrase"] else token["term"]
        if words is None or not any(map(str.isalnum, words)):
            raise self._error(f"a word is missing at {token.group().strip()!r}")
        self.terms += 1
        if self.terms > _MOST_TERMS:
            raise self._error(f"more than {_MOST_TERMS} words and phrases")
        return Term(" ".join(words.split()), in_title)

    def _error(self, reason: str) -> QueryError:
        return QueryError(f"query {self.name!r}: {reason}")


def _has_places(node: Node) -> bool:
    """Return whether a node stands at places of a text."""
    return all(map(_has_places, node.parts)) if isinstance(node, Either) else isinstance(node, Term | Near)


@dataclass(frozen=True)
class QueryMatcher:
    """Evaluates queries on articles: one pass over a text for all their terms; make one with `QueryMatcher.of`."""

    queries: tuple[Query, ...]
    _terms: BrandMatcher

    @classmethod
    def of(cls, queries: Iterable[Query]) -> QueryMatcher:
        """Make a matcher of queries."""
        chosen = tuple(queries)
        terms = {term.text for query in chosen for term in terms_of(query.tree)}
        return cls(chosen, BrandMatcher.of(_brand(term) for term in sorted(terms)))

    def find(self, title: str, text: str, *, lang: str | None = None) -> Mapping[str, tuple[Span, ...]]:
        """Return where the queries that an article fulfils are fulfilled: spans in the title, `PARAGRAPH`, the text.

        Parameters
        ----------
        title, text : str
            The article; its paragraphs end in newlines or in `PARAGRAPH`.
        lang : str, optional
            Its language, for the bounds of words.
        """
        if not self.queries:
            return {}
        whole = f"{title}{PARAGRAPH}{text}"
        places: defaultdict[str, list[Span]] = defaultdict(list)
        for hit in self._terms.find(whole, lang=lang, overlaps=True):
            places[hit.brand].append((hit.start, hit.end))
        if not places:
            return {}
        article = _Article(whole, len(title), places)
        found = {query.name: article.spans(query.tree) for query in self.queries}
        return {name: tuple(sorted(spans)) for name, spans in found.items() if spans}


def _brand(term: str) -> Brand:
    """Return a term as a name; letters of either case."""
    plain = term.rstrip("*") or term
    return Brand(term, {ANY_LANGUAGE: (f"{plain}*",)} if term.endswith("*") else {}, forms=False)


class _Article:
    """One text with the places of all terms in it."""

    def __init__(self, text: str, title_end: int, places: Mapping[str, list[Span]]) -> None:
        self.text, self.title_end, self.places = text, title_end, places
        self._starts: list[int] | None = None

    def spans(self, node: Node) -> set[Span]:
        """Return the places that fulfil a node; empty where it is not fulfilled."""
        if isinstance(node, Term):
            spans = self.places.get(node.text, ())
            return {span for span in spans if not node.in_title or span[1] <= self.title_end}
        if isinstance(node, Near):
            return self._near(node)
        if isinstance(node, Without):
            return set()
        found = [self.spans(part) for part in node.parts]
        if isinstance(node, Either):
            return set().union(*found)
        needed = [spans for part, spans in zip(node.parts, found, strict=True) if not isinstance(part, Without)]
        forbidden = any(self.spans(part.part) for part in node.parts if isinstance(part, Without))
        return set() if forbidden or not all(needed) else set().union(*needed)

    def _near(self, node: Near) -> set[Span]:
        right = sorted(self.spans(node.right))
        kept: set[Span] = set()
        for span in sorted(self.spans(node.left)):
            place = bisect_right(right, span)
            # The next ones on either side are the nearest, save where places overlap.
            for other in right[max(0, place - 2) : place + 2]:
                if self._words_between(span, other) <= node.words:
                    kept |= {span, other}
        return kept

    def _words_between(self, one: Span, other: Span) -> float:
        """Return how many words stand between two places; infinite in different paragraphs."""
        first, second = sorted((one, other))
        between = self.text[first[1] : second[0]]
        if PARAGRAPH in between or "\n" in between:
            return float("inf")
        if self._starts is None:
            self._starts = keys_of_text(self.text)[1].tolist()
        starts = self._starts
        return max(0, bisect_right(starts, second[0] - 1) - bisect_right(starts, first[1] - 1))
