"""Clean names: authors split and cleaned, agencies separated; titles without the site's name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache, partial
from itertools import chain

from blockfeat._files import bundled_table
from blockfeat.metadata.metadata import folded, pattern, plain

# Words that introduce a name, such as "By"; the text after them begins with a letter.
PREFIX = pattern("prefix")
_PREFIX = re.compile(rf"\A(?:{PREFIX})(?:\s*[:：/／|-]\s*|\s+(?=\S))", re.IGNORECASE)
_SHORT_PREFIX = re.compile(r"(?:di|af|av|do|da|de|от|του|της|文|글|text|texte|tekst|por|par|door|von)\s", re.IGNORECASE)
_ADDRESS = re.compile(r"\(?\b(?:https?://|www\.)\S+|\S+@\S+\.\S+|(?<!\w)@\w+|\(@?\w*\.\w+\)")
_AND = re.compile(pattern("and"))
_ORGANISATION = re.compile(pattern("organisation"), re.IGNORECASE)
# "RT en Español": a word of one name more often than one between two where a single word stands in front of it.
_WEAK_AND = re.compile(r"\S+\s+(?:en|ja|va|và)\s", re.IGNORECASE)
# The second half of "Jong, Michiel de", and of "Berger, Emery D.".
_PARTICLE_LAST = re.compile(r"\S+(?: \S+)?(?: (?:von|van|de|der|den|da|di|del|la|le|ten|zu|af|av|[A-Z]\.?))+")
# A job that follows the name without a comma: "Chris Pardo Vice President of Consulting".
_JOB_BEHIND = re.compile(pattern("job_behind"))
_COMMA = re.compile(r"\s*,\s*(?:(?:and|und|et|y|e|och|og|en|&)\s+)?")
_JOB = re.compile(pattern("job"), re.IGNORECASE)
_CJK_JOB = re.compile(r"(?:\s*(?:記者|记者|編集部員?|特派員|論説委員|編集委員|기자|특파원|선임기자))+\Z")
_TRAILING = re.compile(pattern("trailing"), re.IGNORECASE)
_BEHIND = re.compile(pattern("behind"))
_NOT_A_NAME = re.compile(r"\A(?:(?:mon|tues?|wed|thu|fri|sat|sun)(?:day)?|\W*|\d+)\Z", re.IGNORECASE)
_LONGEST, _MOST_WORDS, _MOST_NAMES = 60, 7, 20


def is_agency(name: str) -> bool:
    """Return whether a name is that of a news agency."""
    return folded(name.removeprefix("(").removesuffix(")")) in _listed("agencies.toml", "names")


def is_job(text: str) -> bool:
    """Return whether a text holds a job title or degree."""
    return _JOB.search(text) is not None


def clean_names(values: Iterable[str]) -> tuple[str, ...]:
    """Return the names in declared values, in order, each once.

    "By Ann Lee and Bo Ek, senior editor" gives Ann Lee and Bo Ek.
    """
    found: dict[str, str] = {}
    for value in values:
        for name in split_byline(value):
            found.setdefault(folded(name), name)
    names = list(found.items())
    # A longer form of the same name may follow, or come first.
    firsts = [(key, longer.casefold().split()[:1]) for key, longer in names]
    return tuple(
        name
        for key, name in names
        if not any(key != other and name.casefold().split() == first for other, first in firsts)
    )[:_MOST_NAMES]


@lru_cache(maxsize=64)
def split_byline(text: str) -> tuple[str, ...]:
    """Return the names in one value or byline; pages say the same in several places."""
    text = _ADDRESS.sub(" ", plain(text)[:600]).strip(" .,:;|-–—")
    text = _without_prefix(text)
    names: list[str] = []
    for part in _parts(text):
        pieces = [piece for piece in _COMMA.split(part) if piece]
        if len(pieces) == 2 and all(len(piece.split()) == 1 for piece in pieces) and not is_agency(pieces[1]):
            pieces = [f"{pieces[1]} {pieces[0]}"] if not _JOB.search(pieces[1]) else pieces[:1]
        elif len(pieces) == 2 and " " not in pieces[0] and _PARTICLE_LAST.fullmatch(pieces[1]):
            pieces = [f"{pieces[1]} {pieces[0]}"]
        for place, piece in enumerate(pieces):
            name = _cleaned(piece)
            if name and not ((place or names) and is_job(name)):
                names.append(name)
    return tuple(names)


def _parts(text: str) -> list[str]:
    """Return the parts of a list of names; an organisation, a job, and a name such as "RT en Español" are one."""
    parts = _AND.split(text)
    if _ORGANISATION.search(parts[0]) or _WEAK_AND.match(text) or (is_job(text) and " " not in parts[0]):
        return [text]
    # "Jane Doe, Marketing and Event Coordinator": the word before belongs to the job.
    for place in range(1, len(parts)):
        name, comma, word = parts[place - 1].rpartition(",")
        if comma and " " not in word.strip() and is_job(parts[place]):
            parts[place - 1] = name
    return parts


def _without_prefix(text: str) -> str:
    """Return text without what introduces a name."""
    for _ in range(2):
        found = _PREFIX.match(text)
        if found is None:
            break
        rest = text[found.end() :]
        # "von Trotha" and "Di Maria" are names.
        is_short = _SHORT_PREFIX.fullmatch(found[0]) and found[0][0].islower() and len(rest.split()) < 2
        if is_short and rest[0].isupper() and not is_agency(rest):
            break
        text = rest
    return text


def _cleaned(name: str) -> str:
    """Return a name without what stands behind it, or nothing where it is none."""
    name = _without_prefix(name.strip())
    if not _ORGANISATION.match(name):
        name = _TRAILING.sub("", _BEHIND.sub("", name))
    if len(name.split()) > 2:
        name = _JOB_BEHIND.sub("", _without_job(name))
    name = _CJK_JOB.sub("", name).strip(
        " .,:;|-–—_*#\"“”'‘’«»()" if not name.endswith(".") or "." not in name[:-1] else ' ,:;|-–—_*#"“”'
    )
    # A word of a page's interface, a day of the week or a number is none.
    is_other = _NOT_A_NAME.match(name) is not None or folded(name) in _listed("interface.toml", "words")
    is_long = len(name) > _LONGEST or len(name.split()) > _MOST_WORDS or name.count("/") > 1
    return "" if len(name) < 2 or is_long or is_other else name


def _without_job(name: str) -> str:
    """Return a name without several words behind it that end in a job: "Sofia Kondrat EdTech Content Writer"."""
    words = name.split()
    if len(words) < 4 or not is_job(words[-1]) or is_job(" ".join(words[:2])) or words[1].islower():
        return name
    return " ".join(words[:2])


@cache
def _listed(file: str, key: str) -> frozenset[str]:
    """Return a bundled list, folded; a constant that is read at its first use."""
    return frozenset(map(folded, bundled_table("blockfeat.metadata", file)[key]))


_MARK = re.compile(r"\s+[|–—·•»«:/>-]+\s+|\s*[|｜│ㅣ]\s*|\s+::\s+|_(?=\S)|\s*[»›]\s*|(?<=\S)[–—]\s+")
_WORD, _SIGN = re.compile(r"\w+"), re.compile(r"[|–—·•»«:/>_｜│ㅣ›-]")
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
    marks = list(_MARK.finditer(title)) if _SIGN.search(title) else ()
    if not marks:
        return title
    parts = [(title[: mark.start()], title[mark.end() :]) for mark in marks]
    if wanted := folded(known):
        for part in (*chain(*parts), title):
            if folded(part) == wanted:
                return part if part is title else part.strip()
    for before, behind in reversed(parts):
        if _is_site(behind, site, host):
            return before.strip()
    return parts[0][1].strip() if _is_site(parts[0][0], site, host) else title


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
    return bool(domain) and len(name) > 2 and (name in folded(host) or (len(domain) > 4 and domain in name))


def is_declared(visible: str, given: Iterable[str], *, site: str | None, host: str) -> bool:
    """Return whether the visible headline is one of the declared titles, with or without the site's name."""
    own = folded(visible)
    if not own or own == folded(site):
        return False
    wholes = ((title, folded(title)) for title in given)
    likely = ((title, whole) for title, whole in wholes if whole.startswith(own) or whole.endswith(own))
    bare = partial(without_site, site=site, host=host, known=visible)
    return any(whole == own or folded(bare(title)) == own for title, whole in likely)


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
    if len(words) < 2 or own.endswith(other) or other.endswith(own) or whole in (own + other, other + own):
        return False
    if other in map(folded, headings) or (own.startswith(other) and whole.startswith(other) and own not in whole):
        return False
    known = {*_WORD.findall(declared.casefold()), *_WORD.findall(title.casefold())}
    return sum(word in known for word in words) >= _ALIKE * len(words)
