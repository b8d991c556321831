"""Titles without the name of the site that pages put before or behind them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from blockfeat.metadata.claims import folded

_MARK = re.compile(r"\s+[|–—·•»«:/>-]+\s+|\s*[|｜│]\s*|\s+::\s+|_(?=\S)|\s*[»›]\s*|(?<=\S)[–—]\s+|:\s+")
_WORD = re.compile(r"\w+")
_ALIKE = 0.3


def without_site(title: str, *, site: str | None, host: str, known: str | None) -> str:
    """Return a title without the site's name.

    Parameters
    ----------
    title : str
        What a source gives as the title.
    site : str or None
        Name of the site.
    host : str
        Host of the page, without ``www.``; empty where it is not known.
    known : str or None
        The visible headline: a part that is like it is the title.
    """
    marks = list(_MARK.finditer(title))
    if not marks:
        return title
    wanted = folded(known)
    for mark in marks:
        for part in (title[: mark.start()], title[mark.end() :]):
            if wanted and folded(part) == wanted:
                return part.strip()
    if wanted and folded(title) == wanted:
        return title
    first = marks[0]
    for mark in reversed(marks):
        if _is_site(title[mark.end() :], site, host):
            return title[: mark.start()].strip()
    if _is_site(title[: first.start()], site, host):
        return title[first.end() :].strip()
    return title


def _is_site(part: str, site: str | None, host: str) -> bool:
    """Return whether a part of a title is the name of the site or host."""
    name = folded(part)
    if not name:
        return False
    own = folded(site)
    if own and (
        name == own
        or (len(own) > 3 and (name.startswith(own) or name.endswith(own)))
        or (len(name) > 3 and name in own)
    ):
        return len(name) < 3 * len(own) + 10
    domain = folded(host.rsplit(".", 1)[0]) if "." in host else ""
    return (
        bool(domain)
        and len(name) > 2
        and (name in folded(host) or domain.endswith(name) or (len(domain) > 4 and domain in name))
    )


def is_declared(visible: str, given: Iterable[str], *, site: str | None, host: str) -> bool:
    """Return whether the visible headline is one of the declared titles, with or without the site's name."""
    own = folded(visible)
    if not own or own == folded(site):
        return False
    for title in given:
        whole = folded(title)
        if whole == own:
            return True
        is_part = whole.startswith(own) or whole.endswith(own)
        if is_part and folded(without_site(title, site=site, host=host, known=visible)) == own:
            return True
    return False


def is_headline_of(visible: str, declared: str, title: str, headings: Iterable[str]) -> bool:
    """Return whether the visible headline is to be preferred to the declared title: its words are those of the titles.

    Pages declare titles that are made for search engines and cut short; readers see the one that the article has. Not
    so where the block of the headline is the site's name, or less or more than the headline.

    Parameters
    ----------
    visible : str
        The block that is the headline.
    declared : str
        The first declared title, without the site's name.
    title : str
        Text of the title element.
    headings : iterable of str
        The texts of the page's h1 elements.
    """
    own, other, whole = folded(visible), folded(declared), folded(title)
    if own == other or not other:
        return True
    words = _WORD.findall(visible.casefold())
    if len(words) < 2 or own.endswith(other) or whole in (own + other, other + own):
        return False
    if other in map(folded, headings) or (own.startswith(other) and whole.startswith(other) and own not in whole):
        return False
    known = {*_WORD.findall(declared.casefold()), *_WORD.findall(title.casefold())}
    return sum(word in known for word in words) >= _ALIKE * len(words)
