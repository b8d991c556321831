"""Brands found token by token with spaCy's PhraseMatcher; far slower than `BrandMatcher`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from blockfeat.errors import BrandError
from blockfeat.lang.spacy_segmenter import blank_pipeline
from blockfeat.monitor.mentions.brand import ANY_LANGUAGE, Brand
from blockfeat.monitor.mentions.matcher import Hit

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.matcher import PhraseMatcher


ATTRIBUTES = ("LOWER", "ORTH", "NORM", "SHAPE")
"""By what tokens are compared: without case, as written, in spaCy's normal form, by shape (``"Xxxx dddd"``)."""


@dataclass(frozen=True)
class PhraseFinder:
    """Finds names whose tokens are those of a name; boundaries are spaCy's.

    Excluded phrases and context words are not looked at, nor is Unicode normalised.

    Attributes
    ----------
    lang : str
        ISO 639-1 code of the language whose tokenizer cuts.
    """

    lang: str
    _pipeline: Language = field(repr=False, compare=False)
    _matcher: PhraseMatcher = field(repr=False, compare=False)

    @classmethod
    def of(cls, brands: Iterable[Brand], *, lang: str, attribute: str = "LOWER") -> PhraseFinder:
        """Make a finder of the names that brands have in a language.

        Raises
        ------
        BrandError
            The attribute is none of `ATTRIBUTES`.
        MissingExtraError
            The language's tokenizer needs a package that is not installed.
        """
        if attribute not in ATTRIBUTES:
            raise BrandError(f"cannot compare tokens by {attribute!r}; known are {', '.join(ATTRIBUTES)}")
        from spacy.matcher import PhraseMatcher

        pipeline = blank_pipeline(lang)
        matcher = PhraseMatcher(pipeline.vocab, attr=attribute)
        for brand in brands:
            names = [name for code, name in brand.spellings() if code in (ANY_LANGUAGE, lang)]
            matcher.add(brand.name, list(map(pipeline.make_doc, names)))
        return cls(lang, pipeline, matcher)

    def find(self, text: str) -> tuple[Hit, ...]:
        """Return the mentions in a text, by place; those of one brand that overlap are all there."""
        with self._pipeline.memory_zone():
            doc = self._pipeline.make_doc(text)
            found = [(self._pipeline.vocab.strings[key], doc[start:end]) for key, start, end in self._matcher(doc)]
            hits = [Hit(brand, span.start_char, span.end_char, span.text) for brand, span in found]
        return tuple(sorted(hits, key=lambda hit: (hit.start, hit.end, hit.brand)))
