"""Names in the cases of a language, found in texts: each word of a name may have any form that the endings propose."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from blockfeat.lang.scripts import script_of, written_in
from blockfeat.lang.stopwords import stop_words_if_any
from blockfeat.monitor.mentions.aliases import Endings, inflected_languages
from blockfeat.monitor.mentions.brand import ANY_LANGUAGE, Brand
from blockfeat.monitor.mentions.folding import Folder

_SHORTEST, _SHORTEST_STEM, _MOST_WORDS = 4, 3, 5
# A word, and what some languages write behind a mark: Google'a, EU:n, OTP-nek.
_WORD = re.compile(r"([^\W_]+)((?:['’:-][^\W\d_]{1,6})?)")


@dataclass(frozen=True)
class Inflections:
    """Finds where a name ends whose words are inflected; remembers forms, so keep one for many texts."""

    folder: Folder
    _endings: dict[str, Endings] = field(default_factory=dict, repr=False)
    _forms: dict[tuple[str, str], frozenset[str]] = field(default_factory=dict, repr=False)

    def stems_of(self, brand: Brand) -> dict[str, tuple[str, str]]:
        """Return what every form of the names of a brand begins with, folded: the name and its language by stem.

        Names of fewer than four letters, without a capital, or whose forms have fewer than three letters in common have
        none.
        """
        stems: dict[str, tuple[str, str]] = {}
        if not brand.forms or brand.case == "exact":
            return stems
        for lang, name in brand.spellings():
            words = name.split(" ")
            if len(name) < _SHORTEST or not name[0].isupper() or name.endswith("*") or len(words) > _MOST_WORDS:
                continue
            langs = inflected_languages() if lang == ANY_LANGUAGE else {lang} & inflected_languages()
            script = script_of(words[0][-1])
            langs = {code for code in langs if script is not None and written_in(code, script)}
            forms = [form for code in langs for form in (words[0], *self._endings_of(code).forms(words[0]))]
            stem = _common_beginning([self.folder.fold(form).text for form in forms])
            if langs and len(stem) >= _SHORTEST_STEM:
                stems.setdefault(stem, (name, lang))
        return stems

    def forms(self, word: str, lang: str) -> frozenset[str]:
        """Return the forms of a word in a language, folded, the word itself among them; no common words."""
        found = self._forms.get((word, lang))
        if found is None:
            ignored = stop_words_if_any(lang)
            forms = {form for form in self._endings_of(lang).forms(word) if form.lower() not in ignored}
            found = self._forms[word, lang] = frozenset(self.folder.fold(form).text for form in forms | {word})
        return found

    def _endings_of(self, lang: str) -> Endings:
        if lang not in self._endings:
            self._endings[lang] = Endings.of(lang)
        return self._endings[lang]

    def end(self, text: str, start: int, name: str, lang: str) -> int | None:
        """Return where a name ends that begins at an offset of a folded text, in any of its forms; None for another."""
        if lang not in inflected_languages():
            return None
        place = start
        words = name.split(" ")
        for number, word in enumerate(words):
            if number:
                if text[place : place + 1] != " ":
                    return None
                place += 1
            found = _WORD.match(text, place)
            if found is None:
                return None
            forms = self.forms(word, lang)
            # The longer reading first: a mark may belong to the form, or to what stands behind it.
            end = next((found.end(part) for part in (0, 1) if text[place : found.end(part)] in forms), None)
            if end is None:
                return None
            place = end
        return place


def _common_beginning(words: Sequence[str]) -> str:
    """Return what all words begin with."""
    first, last = min(words, default=""), max(words, default="")
    return next((first[:place] for place, letter in enumerate(first) if last[place : place + 1] != letter), first)
