"""Stems of words, per language by the Snowball library where it has the language."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

ALGORITHMS = {
    "ar": "arabic",
    "ca": "catalan",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "ne": "nepali",
    "nl": "dutch",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
    "yi": "yiddish",
}
"""Snowball's algorithm by ISO 639-1 code; English has Porter's second one."""


@dataclass
class Stemmer:
    """Stems words of one language and remembers them as long as it lives.

    Attributes
    ----------
    lang : str or None
        ISO 639-1 code; words of a language without an algorithm stay as they are.
    """

    lang: str | None
    _known: dict[str, str] = field(default_factory=dict, repr=False)
    _stem: Callable[[str], str] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        """Get the algorithm."""
        if self.lang not in ALGORITHMS:
            return
        import snowballstemmer  # type: ignore[import-untyped]  # 50 ms that only training needs

        algorithms = snowballstemmer.algorithms()
        name = ALGORITHMS[self.lang]
        if name in algorithms:
            self._stem = snowballstemmer.stemmer(name).stemWord

    def stems(self, words: Iterable[str]) -> list[str]:
        """Return the stem of each word (lower-case), in order."""
        if self._stem is None:
            return list(words)
        found = []
        for word in words:
            stem = self._known.get(word)
            if stem is None:
                # A stem can come out empty; the word stands for itself then.
                stem = self._known[word] = self._stem(word) or word
            found.append(stem)
        return found
