"""Stories: articles that tell of the same event in their own words, by the words of their titles and openings."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from itertools import pairwise

from blockfeat.lang.measures import tokenize
from blockfeat.lang.stopwords import stop_words_if_any

DAYS = 3.0
"""Articles that appear further apart tell another story."""
SIMILARITY = 0.35
"""Least cosine of two articles of one story."""
OPENING = 2000
"""So many characters of a text are looked at."""
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
    for words, weight in ((tokenize(title), _TITLE_WEIGHT), (tokenize(text[:OPENING])[:_OPENING_WORDS], 1.0)):
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
