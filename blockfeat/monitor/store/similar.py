"""Text similarity: copies of a text, corrected sentences, articles of one story.

For copies a text is the set of its runs of four words (characters where words are not spaced), taken over the main text
only: another charset, another menu or another layout change nothing. MinHash (Broder 1997) over that set, cut into
bands (locality-sensitive hashing: Indyk & Motwani 1998), gives keys that texts share when they are alike; the sets
themselves decide.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from difflib import SequenceMatcher
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import BindParameter, Connection, bindparam, delete, func, insert, or_, select, text

from blockfeat._files import bundled_table
from blockfeat.lang import keys_of_text, stop_words_if_any, tokenize
from blockfeat.monitor.config import CopySettings
from blockfeat.monitor.store.records import PageRecord, iso
from blockfeat.monitor.store.schema import SQL, band, page

# 16 bands of 4: texts with half of their runs in common share a key 64 times in 100, with 0.8 of them always.
BANDS = 16
_ROWS = 4
_RUN = 4
_PERMUTATIONS = BANDS * _ROWS
_SEED = 1
_HALF = np.uint64(32)
_MIX = np.uint64(0x9E3779B97F4A7C15)


Runs = NDArray[np.uint64]
"""What `runs_of_words` gives."""


def runs_of_words(text: str) -> Runs:
    """Return the keys of all different runs of four words, sorted; empty for shorter texts.

    Letters are compared as NFKC has them, without case.
    """
    keys, _ = keys_of_text(unicodedata.normalize("NFKC", text).casefold())
    if keys.size < _RUN:
        return np.empty(0, dtype=np.uint64)
    count = keys.size - _RUN + 1
    return np.unique(_mixed([keys[place : place + count] for place in range(_RUN)]))


def _mixed(columns: Iterable[Runs]) -> Runs:
    """Return a key for each row of some columns."""
    keys = np.zeros(1, dtype=np.uint64)
    for column in columns:
        keys = (keys ^ column) * _MIX
        keys ^= keys >> _HALF
    return keys


def bands_of(runs: Runs, *, min_words: int) -> tuple[int, ...]:
    """Return the keys of a text's bands, as signed numbers of 64 bits; empty for a text with too few runs.

    Parameters
    ----------
    runs : uint64 array
        What `runs_of_words` gives.
    min_words : int
        Texts with fewer different runs get no keys: a template that two of them share is most of such a text.
    """
    if runs.size < min_words:
        return ()
    from rensa import RMinHash

    (signature,) = RMinHash.digest_matrix_from_flat_token_hashes(runs, [0, runs.size], _PERMUTATIONS, _SEED).to_rows()
    rows = np.asarray(signature, dtype=np.uint64).reshape(BANDS, _ROWS)
    return tuple(_mixed(rows.T).view(np.int64).tolist())


def containment(first: Runs, second: Runs) -> float:
    """Return the share of the smaller set that the larger has too, or 0 where one is more than twice the other.

    A copy with a paragraph more or less is a copy; a digest that holds an article is none.
    """
    smaller, larger = sorted((first.size, second.size))
    if smaller == 0 or larger > 2 * smaller:
        return 0.0
    return float(np.intersect1d(first, second, assume_unique=True).size / smaller)


# Made once: making a statement costs more than running it.
_CANDIDATES = 12
_PAGE: BindParameter[int] = bindparam("number")
_SHARED = select(band.c.page_id).where(
    or_(*((band.c.number == place) & (band.c.hash == bindparam(f"band{place}")) for place in range(BANDS)))
)
# Originals only: a copy is no candidate, it is as near to its own original.
_SHARING = (
    select(page.c.id, page.c.text)
    .where(page.c.id.in_(_SHARED), page.c.id != _PAGE, page.c.copy_of.is_(None), page.c.text.is_not(None))
    .order_by(page.c.id)
    .limit(_CANDIDATES)
)
_ADD_BAND = insert(band)
_SHORT, _SHORT_SIMILARITY = 250, 0.9


def original_of(
    connection: Connection, number: int, runs: Runs, bands: Sequence[int], settings: CopySettings
) -> tuple[int | None, float | None]:
    """Return the page that a text copies, the most alike of those in the store, and how alike; None for an original."""
    if not bands or not settings.find:
        return None, None
    # Short texts that share a template are alike too, but not so much as copies are.
    least = max(settings.similarity, _SHORT_SIMILARITY) if runs.size < _SHORT else settings.similarity
    best, most = None, least
    sharing = {f"band{place}": key for place, key in enumerate(bands)}
    for candidate in connection.execute(_SHARING, {**sharing, "number": number}).all():
        share = containment(runs, runs_of_words(candidate.text))
        if share > most or (best is None and share == most):
            best, most = candidate.id, share
    return best, None if best is None else round(most, 4)


def save_bands(connection: Connection, number: int, bands: Sequence[int], *, is_new: bool = False) -> None:
    """Replace the keys of a page."""
    if not is_new:
        connection.execute(delete(band).where(band.c.page_id == number))
    if bands:
        rows = [{"number": place, "hash": key, "page_id": number} for place, key in enumerate(bands)]
        connection.execute(_ADD_BAND, rows)


def renew_bands(connection: Connection) -> None:
    """Compute the keys of all pages again, after a change of how they are made."""
    numbers = connection.scalars(select(band.c.page_id).distinct()).all()
    for number in numbers:
        words = connection.scalar(select(page.c.text).where(page.c.id == number)) or ""
        save_bands(connection, number, bands_of(runs_of_words(words), min_words=1))


# Stamps are short; in longer paragraphs a number is news.
_MOST_WORDS = 14
_SIMILAR = 0.6
_NUMBER = r"\d[\d.,\u00a0\u202f'’ ]{0,14}(?:[kKmM]\b|万|萬|만|mln\b|mil\b|тыс\.?)?"


def steady(text: str) -> str:
    """Return a text without what changes by itself: relative times and counters in its short paragraphs.

    Examples
    --------
    >>> steady("Updated 5 minutes ago") == steady("Updated an hour ago")
    True
    >>> steady("1,204 views") == steady("1,377 views"), steady("12 shops") == steady("13 shops")
    (True, False)
    """
    pattern = _passing()
    return "\n".join(pattern.sub("#", line) if len(line.split()) <= _MOST_WORDS else line for line in text.splitlines())


@cache
def _passing() -> re.Pattern[str]:
    """Return what matches a relative time or a counter."""
    listed = bundled_table("blockfeat.monitor", "passing.toml")
    phrases = (phrase.replace("N", _NUMBER) for group in listed.values() for phrase in group)
    return re.compile("|".join(f"(?:{phrase})" for phrase in phrases), re.IGNORECASE)


def is_similar(one: str, other: str) -> bool:
    """Return whether one sentence may be the other one corrected; at most a few hundred letters of each count."""
    return similarity(one, other) >= _SIMILAR


def similarity(one: str, other: str) -> float:
    """Return how much of two sentences is the same, from 0 to 1; 0 where it is clearly little."""
    if one == other:
        return 1.0
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    return 0.0 if matcher.real_quick_ratio() < _SIMILAR or matcher.quick_ratio() < _SIMILAR else matcher.ratio()


_STORY_DAYS = 3.0
"""Days; articles further apart are of different stories."""
STORY_SIMILARITY = 0.35
"""Least cosine of two articles of one story."""
_OPENING = 2000
"""Number of characters of a text that are compared."""
_OPENING_WORDS = 200
_TITLE_WEIGHT = 3.0
_SHORTEST = 3

Profile = Mapping[str, float]
"""What `story_profile` gives: weights of words, of length 1 together."""


def story_profile(title: str, text: str, *, lang: str | None) -> Profile:
    """Return what an article is about: the words of its title, which count three times, and of its opening.

    Stop words and short words are left out; where words are not spaced, pairs of characters are words. Weights are the
    logarithms of the counts, scaled to length 1.
    """
    ignored = stop_words_if_any(lang)
    counts: dict[str, float] = defaultdict(float)
    for words, weight in ((tokenize(title), _TITLE_WEIGHT), (tokenize(text[:_OPENING])[:_OPENING_WORDS], 1.0)):
        pairs = [a + b for a, b in pairwise(words) if len(a) == len(b) == 1]
        for word in (*(each for each in words if len(each) >= _SHORTEST and each not in ignored), *pairs):
            counts[word] += weight
    weights = {word: 1.0 + math.log(count) for word, count in counts.items() if count >= 1}
    length = math.sqrt(sum(weight * weight for weight in weights.values()))
    return {word: weight / length for word, weight in weights.items()} if length else {}


def story_similarity(one: Profile, other: Profile) -> float:
    """Return the cosine of two articles, from 0 to 1."""
    smaller, larger = sorted((one, other), key=len)
    return sum(weight * larger.get(word, 0.0) for word, weight in smaller.items())


_NEAR = text(SQL["stories"]["near"]).bindparams(bindparam("brands", expanding=True))


def story_of(connection: Connection, number: int, original: int | None, record: PageRecord, moment: str) -> int | None:
    """Return the first article of the story that a page belongs to; None where it is the first or names no brand.

    Parameters
    ----------
    number, original : int, int or None
        The page, and the page that it copies.
    moment : str
        When it was published, or found.
    """
    if original is not None:
        story = select(func.coalesce(page.c.story, page.c.id)).where(page.c.id == original)
        first: int | None = connection.scalar(story)
        return first
    brands = {item.brand for item in record.mentions if item.counted}
    if not brands:
        return None
    near = datetime.fromisoformat(moment)
    since, until = (iso((near + timedelta(days=days)).timestamp()) for days in (-_STORY_DAYS, _STORY_DAYS))
    values = {"brands": [*brands], "number": number, "since": since, "until": until, "lang": record.lang or ""}
    rows = connection.execute(_NEAR, values).all()
    if not rows:
        return None
    own = story_profile(record.title or "", record.text, lang=record.lang)
    others = (story_profile(row.title or "", row.opening or "", lang=record.lang) for row in rows)
    alike = [story_similarity(own, other) for other in others]
    best = rows[alike.index(max(alike))]
    return int(best.story or best.id) if max(alike) >= STORY_SIMILARITY else None
