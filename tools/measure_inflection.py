"""Measure the endings of names (blockfeat/monitor/mentions/endings.toml) against the dictionaries of simplemma.

Three measures, the first beside Snowball's stemmers where there is one:

- *texts*: words with a capital inside of the sentences of gold texts that a dictionary takes for a form of a name.
  Recall: the share of these words that are a proposed form of their name. Precision: of the words that are a proposed
  form of some name of the texts, the share that belong to that name.
- *mentions* (``--mentions``): all such words, of names of four letters and more: how many are found by the name alone,
  and in any form. Precision: the share of what is found that is a form of that name.
- *paradigms* (``--paradigms``): a thousand names of a dictionary with all their forms, plural and possessive forms too.
  Recall: the share of the forms that are proposed. Precision: the share of the proposed forms that the dictionary has.

``--lemmas``: the mentions that are found by the endings, by spaCy's lemmas of single words, and by either; of Czech
also by the lemmas of a pipeline that reads sentences (``pip install spacy-lookups-data cs-core-news-sm``).

``pip install simplemma``, then ``python tools/measure_inflection.py --corpora FOLDER``.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import TypeAlias

import snowballstemmer
from simplemma.strategies.dictionaries.dictionary_factory import DefaultDictionaryFactory

from blockfeat.data import load_corpora
from blockfeat.monitor.mentions.folding import Folder
from blockfeat.monitor.mentions.inflection import Endings, Inflections

CORPORA = ("daniel", "fundus", "newspaper4k", "htmltotext")
STEMMERS = {"pl": "polish", "ru": "russian", "el": "greek", "cs": "czech"}
MENTIONS = ("pl", "ru", "cs", "hr", "el")
DICTIONARIES = {"hr": "hbs"}
LEMMATIZERS = {"pl": "pos_lookup", "el": "rule"}
PIPELINES = {"cs": "cs_core_news_sm"}
PARADIGMS = ("pl", "ru", "uk", "cs", "sk", "sl", "lt", "lv", "et", "fi", "hu", "el", "ro")
INSIDE = re.compile(r"(?<=[^\W\d_] )[^\W\d_]{3,}")
NAMES = 1_000
Owners: TypeAlias = Callable[[str], "set[str]"]


def dictionary(lang: str) -> dict[str, str]:
    """Return the lemma of each form that a dictionary has."""
    raw = DefaultDictionaryFactory().get_dictionary(lang)
    return {_text(form): _text(lemma) for form, lemma in raw.items()}


def _text(value: bytes | str) -> str:
    return value.decode() if isinstance(value, bytes) else value


def in_texts(lang: str, texts: Iterable[str]) -> None:
    """Print both measures over texts, for the endings and for the stemmer."""
    folder, lemmas = Folder(), dictionary(lang)

    def fold(word: str) -> str:
        return folder.fold(word).text

    words = Counter(
        match[0]
        for text in texts
        for match in INSIDE.finditer(text)
        if match[0][0].isupper() and not match[0].isupper()
    )
    names = {word: lemmas[word] for word in words if word in lemmas and lemmas[word][:1].isupper()}
    stemmer, by_stem = snowballstemmer.stemmer(STEMMERS[lang]), defaultdict(set)
    for word in words:
        by_stem[stemmer.stemWord(word.lower())].add(word)
    ways: dict[str, Callable[[str], Iterable[str]]] = {
        "endings": Endings.of(lang).forms,
        "Snowball": lambda name: by_stem[stemmer.stemWord(name.lower())],
    }
    inflected = {word: name for word, name in names.items() if word != name}
    total = sum(words[word] for word in inflected)
    for way, forms in ways.items():
        owners = defaultdict(set)
        for name in set(names.values()):
            for form in forms(name):
                owners[fold(form)].add(name)
        pairs = [(word, name) for word in names for name in owners[fold(word)] if word != name]
        right = sum(words[word] for word, name in pairs if names[word] == name)
        found = sum(words[word] for word, _ in pairs)
        print(f"| {lang} | {way} | {len(set(names.values()))} | {total} | {right / total:.3f} | {right / found:.3f} |")


def mentions(lang: str, texts: Iterable[str]) -> None:
    """Print how many mentions of names in texts are found by their base form, and in any form; and the precision."""
    words, names = named_words(lang, texts)
    base = sum(words[word] for word, name in names.items() if word == name) / sum(words[word] for word in names)
    recall, precision = found_by(owners_by_endings(lang, set(names.values())), words, names)
    total = sum(words[word] for word in names)
    print(f"| {lang} | {len(set(names.values()))} | {total} | {base:.3f} | {recall:.3f} | {precision:.3f} |")


def named_words(lang: str, texts: Iterable[str]) -> tuple[Counter[str], dict[str, str]]:
    """Return words with a capital inside of sentences with their number, and the names of those that have one."""
    lemmas = dictionary(DICTIONARIES.get(lang, lang))
    found = (match[0] for text in texts for match in INSIDE.finditer(text))
    words = Counter(word for word in found if word[0].isupper() and not word.isupper() and len(word) > 3)
    return words, {word: lemmas[word] for word in words if lemmas.get(word, "")[:1].isupper() and len(lemmas[word]) > 3}


def found_by(owners: Owners, words: Counter[str], names: dict[str, str]) -> tuple[float, float]:
    """Return recall and precision over the mentions of names."""
    right = sum(words[word] for word, name in names.items() if name in owners(word))
    taken = sum(words[word] * len(owners(word)) for word in names)
    return right / sum(words[word] for word in names), right / max(taken, 1)


def owners_by_endings(lang: str, names: Iterable[str]) -> Owners:
    """Return what tells the names that a word is a form of by the endings of the package."""
    folder, owners = Folder(), defaultdict(set)
    inflections = Inflections(folder)
    for name in names:
        for form in inflections.forms(name, lang):
            owners[form].add(name)
    return lambda word: owners[folder.fold(word).text]


def owners_by_lemmas(lemma: Callable[[str], str], names: Iterable[str]) -> Owners:
    """Return what tells the names that have a word, or its lemma, as lemma."""
    owners = defaultdict(set)
    for name in names:
        for key in {name, lemma(name)}:
            owners[key].add(name)
    return lambda word: owners[lemma(word)] | owners[word]


def by_word(lang: str) -> Callable[[str], str]:
    """Return spaCy's lemmatizer of single words: a table, of Polish that of nouns, of Greek rules."""
    import spacy
    from spacy.tokens import Doc

    blank = spacy.blank(lang)
    lemmatizer = blank.add_pipe("lemmatizer", config={"mode": LEMMATIZERS.get(lang, "lookup")})
    blank.initialize()

    @cache
    def lemma(word: str) -> str:
        (token,) = Doc(blank.vocab, [word], pos=["NOUN" if lang == "pl" else "PROPN"])
        return str(lemmatizer(token.doc)[0].lemma_)

    return lemma


def in_sentences(pipeline: str, texts: Iterable[str]) -> Callable[[str], str]:
    """Return the most frequent lemma of each word in texts, as a pipeline reads them; of other words by themselves."""
    import spacy

    reader = spacy.load(pipeline, exclude=["ner", "parser"])
    found = defaultdict(Counter)
    for text in reader.pipe(texts):
        for token in text:
            found[token.text][token.lemma_] += 1
    return cache(lambda word: found[word].most_common(1)[0][0] if word in found else reader(word)[0].lemma_)


def with_lemmas(lang: str, texts: list[str]) -> None:
    """Print recall and precision over mentions by endings, by spaCy's lemmas, and by either."""
    words, names = named_words(lang, texts)
    endings = owners_by_endings(lang, set(names.values()))
    ways = {"words": by_word(lang)}
    if pipeline := PIPELINES.get(lang):
        ways["sentences"] = in_sentences(pipeline, texts)
    for way, lemma in ways.items():
        lemmas = owners_by_lemmas(lemma, set(names.values()))
        found = (endings, lemmas, lambda word, lemmas=lemmas: endings(word) | lemmas(word))
        figures = (value for owners in found for value in found_by(owners, words, names))
        print(f"| {lang} | {way} | {' | '.join(f'{value:.3f}' for value in figures)} |")


def in_paradigms(lang: str) -> None:
    """Print both measures over the names of a dictionary."""
    forms = defaultdict(set)
    for form, lemma in dictionary(lang).items():
        both = form + lemma
        if form != lemma and both.isalpha() and form[0].isupper() and lemma[0].isupper() and not form.isupper():
            forms[lemma].add(form)
    names = sorted(name for name, own in forms.items() if len(own) > 1 and len(name) > 3)
    random.Random(1).shuffle(names)
    endings, chosen = Endings.of(lang), names[:NAMES]
    proposed = {name: set(endings.forms(name)) for name in chosen}
    right = sum(len(proposed[name] & forms[name]) for name in chosen)
    there, offered = sum(len(forms[name]) for name in chosen), sum(map(len, proposed.values()))
    print(f"| {lang} | {len(chosen)} | {offered / len(chosen):.1f} | {right / there:.3f} | {right / offered:.3f} |")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpora", type=Path, default=Path("../shared/corpora"))
    parser.add_argument("--paradigms", action="store_true")
    parser.add_argument("--mentions", action="store_true")
    parser.add_argument("--lemmas", action="store_true")
    options = parser.parse_args()
    if options.paradigms:
        print("| language | names | forms a name | recall | precision |\n|---|---:|---:|---:|---:|")
        for lang in PARADIGMS:
            in_paradigms(lang)
        return
    texts = defaultdict(list)
    chosen = sorted(options.corpora.glob("*.jsonl.xz"))
    if not options.mentions and not options.lemmas:
        chosen = [options.corpora / f"{name}.jsonl.xz" for name in CORPORA]
    for page in load_corpora(chosen):
        texts[str(page.lang)].append(page.text or "")
    if options.lemmas:
        heads = (f"{way}: {figure}" for way in ("endings", "spaCy", "either") for figure in ("recall", "precision"))
        print(f"| language | lemmas of | {' | '.join(heads)} |\n|---|---|{'---:|' * 6}")
        for lang in MENTIONS:
            with_lemmas(lang, texts[lang])
        return
    if options.mentions:
        print("| language | names | mentions | base form: recall | any form: recall | precision |")
        print("|---|---:|---:|---:|---:|---:|")
        for lang in MENTIONS:
            mentions(lang, texts[lang])
        return
    print("| language | forms by | names | inflected words | recall | precision |\n|---|---|---:|---:|---:|---:|")
    for lang in STEMMERS:
        in_texts(lang, texts[lang])


if __name__ == "__main__":
    main()
