"""Expected stop-word density of running prose, by language."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from blockfeat.errors import LanguageError


@cache
def _records() -> dict[str, float]:
    """Read the measured values, a constant, at its first use."""
    document = json.loads(Path(__file__).with_name("density.json").read_bytes())
    return {lang: float(record["value"]) for lang, record in document["languages"].items()}


def density(lang: str) -> float:
    """Return the share of stop words (of `blockfeat.lang.stop_words`) in running prose of a language.

    Parameters
    ----------
    lang
        ISO 639-1 code of a language that has a stop list.

    Returns
    -------
    float
        Share of tokens between 0 and 1. For scripts without spaces a token is a character, and it counts
        where an entry of one to three characters covers it. Measured by ``tools/measure_density.py``; the
        source and number of tokens of each value stand in ``density.json``.

    Raises
    ------
    LanguageError
        There is no stop list of that language.
    """
    try:
        return _records()[lang]
    except KeyError:
        raise LanguageError(f"no stop-word density of language {lang!r}; there is no stop list of it") from None
