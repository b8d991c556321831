"""Pages of words of many languages that name brands in every way that the monitor reads."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from random import Random

from blockfeat.lang import stop_words_if_any
from blockfeat.monitor.mentions.inflection import Endings, inflected_languages

LANGUAGES = (
    *("ar", "bg", "cs", "da", "de", "el", "en", "es", "fi", "fr", "he", "hu"),
    *("it", "ja", "ko", "nl", "pl", "ru", "sv", "th", "tr", "uk", "vi", "zh"),
)
_UNSPACED = ("ja", "th", "zh")
_COMPOUNDS = {"de": "konzern", "nl": "concern", "sv": "koncern", "da": "koncern"}
_TOUCHING = {"ar": "ال{}", "he": "ב{}", "ko": "{}은", "tr": "{}'ın", "fr": "l’{}", "it": "l'{}", "en": "{}’s"}
_MENU, _ITEM = "<nav><ul>{links}</ul></nav>", "<li><a href=/{number}>{text}</a></li>"
_ARTICLE = "<article><h1>{text}</h1><p class=standfirst>{lead}</p>{parts}</article>"
_PARTS = (
    "<p>{long}</p>",
    "<p>{text} <b>{name}</b><sup>{number}</sup> {long}</p>",
    "<figure><img src=a.jpg alt='{text}' title='{name}'><figcaption>{text}</figcaption></figure><p>{long}</p>",
    "<table><tr><th>{word}<th>{name}<tr><td>{text}<td>1{number}<tr><td>{name}<td>2{number}<tr><td>{word}<td>3</table>",
    "<ul><li>{text}<li>{long}<li>{text}</ul>",
    "<ol><li>{long}<ul><li>{text}<li>{name}</ul><li>{text}</ol>",
    "<blockquote><p>{long}</p></blockquote>",
    "<h2>{text}</h2><p>{long}</p>",
    "<pre><code>{word} =\n  {name}\n\t{text}</code></pre>",
    "<p>{long}<br>{text}<br>\n{name}&nbsp;{word}\u0007 {text}</p>",
    "<p>{long} E<sup>2</sup> {text} E2 {word} E² {long}</p>",
    "<div class=related><a href=/x>{text}</a> <a href=/y>{name}</a></div>",
)
_COMMENT = "<div class=comment><p>{text}</p><p>{long}</p></div>"


def _names(lang: str, brands: tuple[str, ...]) -> list[str]:
    """Return spellings of brands on pages of a language: as they are, touching other letters, split, in other forms."""
    found = [*brands, *map(str.upper, brands), *(f"{name[:3]}\u00ad{name[3:]}" for name in brands)]
    found += [name.replace(" ", way) for name, way in product(brands, ("\u00a0", "-", "\n")) if " " in name]
    found += [name + _COMPOUNDS[lang] for name in brands if lang in _COMPOUNDS]
    found += [_TOUCHING[lang].format(name) for name in brands if lang in _TOUCHING]
    endings = Endings.of(lang) if lang in inflected_languages() else None
    return found + [form for name in brands if endings for form in endings.forms(name)[:4]]


@dataclass(frozen=True)
class _Writer:
    """What fills templates with words of a language, and names among them."""

    chance: Random
    words: list[str]
    names: list[str]
    gap: str

    def text(self, length: int) -> str:
        """Return a sentence of words, most with a name or more."""
        said = self.chance.choices(self.words, k=length)
        said += self.chance.choices(self.names, k=1 + length // 15) * (self.chance.random() < 0.6)
        self.chance.shuffle(said)
        return self.gap.join(said) + (". " if self.gap else "。")

    def filled(self, template: str, **values: str) -> str:
        """Return a template with texts, words and names in it."""
        long = " ".join(self.text(self.chance.randint(9, 25)) for _ in range(self.chance.randint(2, 5)))
        one = {"word": self.chance.choice(self.words), "name": self.chance.choice(self.names), "long": long}
        texts = {"text": self.text(8), "lead": self.text(18), "number": self.chance.randint(1, 99)}
        return template.format(**one, **texts, **values)


def made_pages(brands: tuple[str, ...], *, of_each: int) -> Iterator[tuple[str, str]]:
    """Yield the language and the HTML of pages in each of `LANGUAGES` that name brands; the same ones each time."""
    for lang, number in product(LANGUAGES, range(of_each)):
        words = sorted(stop_words_if_any(lang))
        writer = _Writer(Random(f"{lang} {number}"), words, _names(lang, brands), "" if lang in _UNSPACED else " ")
        parts = (writer.filled(part) for part in writer.chance.sample(_PARTS, k=len(_PARTS) - 3))
        menu = writer.filled(_MENU, links="".join(writer.filled(_ITEM) for _ in range(9)))
        article = writer.filled(_ARTICLE, parts="".join(parts))
        comments = "".join(writer.filled(_COMMENT) for _ in range(number % 3))
        said = f"<section id=comments class=comments>{comments}</section>" if comments else ""
        yield lang, f"<html lang={lang}><body>{menu}{article}{said}</body></html>"
