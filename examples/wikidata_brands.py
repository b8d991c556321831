"""Brands of a monitor's file from Wikidata: names in many languages, and words that tell a brand from its namesakes.

Usage::

    pip install "blockfeat[monitor]"
    python examples/wikidata_brands.py names Q312.json --only ru,zh     # an export: labels and aliases
    python examples/wikidata_brands.py senses Shell --lang en,de        # asks Wikidata: about and others
    python examples/wikidata_brands.py forms Orlen --lang pl,fi         # forms by the rules of languages, as aliases

All print TOML for the file of a monitor. Look through it before you use it: forms are made by spelling, so that some do
not exist. Exports are JSON of ``Special:EntityData``
(``https://www.wikidata.org/wiki/Special:EntityData/Q312.json``), dumps, and tables (TSV) of the query service.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import io
import json
import re
import sys
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from blockfeat.errors import BlockfeatError, BrandError, InputError
from blockfeat.lang.identify import normalise_code
from blockfeat.lang.measures import tokenize
from blockfeat.lang.stopwords import stop_words_if_any
from blockfeat.monitor.fetching import Fetcher, FetchOptions
from blockfeat.monitor.mentions import Brand
from blockfeat.monitor.mentions.inflection import ANY_LANGUAGE, Endings

# What the query service writes in TSV: "Apple"@en and <http://www.wikidata.org/entity/Q312>.
_LITERAL = re.compile(r'^"(.*)"(?:@([A-Za-z-]+)|\^\^<.*>)?$', re.DOTALL)
_ITEM = re.compile(r"Q\d+")
_MULTILINGUAL = "mul"
_LANGUAGE_COLUMNS = ("lang", "language")

API = "https://www.wikidata.org/w/api.php"
_NAMESAKES = 20
_MOST_WORDS = 30
# Instance of, industry, product: what an item is and does.
_TOLD_BY = ("P31", "P452", "P1056")
# Industry, product, stock exchange, legal form; instances of business, enterprise, public company, brand, trademark.
_OF_COMPANIES = frozenset({"P452", "P1056", "P414", "P1454"})
_COMPANIES = frozenset({"Q4830453", "Q6881511", "Q891723", "Q431289", "Q167270", "Q783794"})

FetchBytes = Callable[[str], Awaitable[bytes]]
"""Returns what an address answers; raises `InputError` where nothing comes."""


@dataclass(frozen=True, slots=True)
class Namesake:
    """An item that has a name: its number, label and description in the first language that has one."""

    item: str
    label: str
    description: str


@dataclass(frozen=True, slots=True)
class WikidataSenses:
    """The senses of a name.

    Attributes
    ----------
    brand : Namesake
        The item that is the brand's.
    namesakes : tuple of Namesake
        The others, as Wikidata orders them.
    about, others : tuple of str
        Words that only the brand's item has, and that only the others' have, the most frequent first.
    """

    brand: Namesake
    namesakes: tuple[Namesake, ...]
    about: tuple[str, ...]
    others: tuple[str, ...]


def read_wikidata(path: str | PathLike[str], *, lang: str = "en") -> tuple[Brand, ...]:
    """Read the items of an export as brands; an item's name is its label in a language, else in any.

    Takes JSON as ``Special:EntityData`` and ``wbgetentities`` give it, dumps (an array, or an item on each line), and
    TSV of the query service: a column ``item``, columns of names (``"Apple"@en``, or plain with a column ``lang``).
    Names in languages that blockfeat does not know are left out; those in ``mul`` hold in all.

    Parameters
    ----------
    path : str or path
        A file ending in ``.json``, ``.jsonl`` or ``.tsv``.
    lang : str
        Language of the brands' names.

    Raises
    ------
    BrandError
        The file cannot be read, or has no item with a name; the message names the file.
    """
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8-sig")
        named = dict(_from_tsv(text) if file.suffix == ".tsv" else _from_json(text))
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise BrandError(f"{file}: cannot be read as an export of Wikidata: {error}") from error
    brands = [_brand(names, lang) for names in named.values() if names]
    if not brands:
        raise BrandError(f"{file}: no item of Wikidata with a label")
    return tuple(_merged(brands))


Names = list[tuple[str, str]]
"""Pairs of language and name, labels first."""


def _from_json(text: str) -> Iterator[tuple[str, Names]]:
    """Yield the items of a JSON document, or of lines of JSON."""
    try:
        document = json.loads(text)
    except ValueError:
        lines = (line.strip().rstrip(",") for line in text.splitlines())
        document = [json.loads(line) for line in lines if line not in ("", "[", "]")]
    entities = document.get("entities", document) if isinstance(document, Mapping) else document
    if isinstance(entities, Mapping):
        entities = [entities] if "labels" in entities else entities.values()
    for entity in entities:
        if isinstance(entity, Mapping):
            labels, aliases = _mapping(entity.get("labels")), _mapping(entity.get("aliases"))
            lists = [[label] for label in labels.values()] + list(aliases.values())
            yield str(entity.get("id", id(entity))), [pair for names in lists for pair in _pairs(names)]


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _pairs(names: Any) -> Iterator[tuple[str, str]]:
    for name in names if isinstance(names, list) else []:
        if isinstance(name, Mapping) and isinstance(name.get("value"), str) and isinstance(name.get("language"), str):
            yield name["language"], name["value"]


def _from_tsv(text: str) -> Iterator[tuple[str, Names]]:
    """Yield the items of a table of the query service."""
    rows = csv.reader(io.StringIO(text), delimiter="\t", quoting=csv.QUOTE_NONE)
    header = [column.strip().lstrip("?").lower() for column in next(rows, [])]
    if "item" not in header:
        raise ValueError(f"there is no column 'item' among {', '.join(header) or 'none'}")
    items: dict[str, Names] = {}
    for row in rows:
        cells = dict(zip(header, row, strict=False))
        item = _ITEM.search(cells.pop("item", ""))
        plain = next((_literal(cells.pop(column))[1] for column in _LANGUAGE_COLUMNS if column in cells), "")
        if item:
            found = (_literal(cell) for cell in cells.values())
            items.setdefault(item[0], []).extend((own or plain, name) for own, name in found if name)
    yield from items.items()


def _literal(cell: str) -> tuple[str, str]:
    """Return language and text of a cell; the language is empty for plain text."""
    match = _LITERAL.match(cell.strip())
    if match is None:
        return "", cell.strip()
    return match[2] or "", match[1].replace('\\"', '"').replace("\\\\", "\\")


def _brand(names: Names, lang: str) -> Brand:
    """Return a brand of the names of an item; the first name in a language is its label."""
    by_language: dict[str, dict[str, None]] = {}
    for code, name in names:
        own = ANY_LANGUAGE if code.lower() == _MULTILINGUAL else normalise_code(code)
        if own is not None and any(map(str.isalnum, name)):
            by_language.setdefault(own, {})[name.strip()] = None
    wanted = normalise_code(lang) or lang
    order = [wanted, ANY_LANGUAGE, *by_language]
    label = next((next(iter(by_language[code])) for code in order if by_language.get(code)), names[0][1])
    aliases = {code: tuple(name for name in own if name != label) for code, own in by_language.items()}
    return Brand(label, {code: own for code, own in aliases.items() if own})


def _merged(brands: Iterable[Brand]) -> list[Brand]:
    """Return brands of different names; items of one name are one brand."""
    merged: dict[str, Brand] = {}
    for brand in brands:
        aliases = dict(merged[brand.name].aliases) if brand.name in merged else {}
        for lang, names in brand.aliases.items():
            aliases[lang] = tuple(dict.fromkeys((*aliases.get(lang, ()), *names)))
        merged[brand.name] = Brand(brand.name, aliases)
    return list(merged.values())


async def wikidata_senses(
    name: str, langs: Sequence[str], fetch: FetchBytes, *, item: str | None = None, api: str = API
) -> WikidataSenses:
    """Return the words that Wikidata has for a name and its namesakes.

    Parameters
    ----------
    name : str
        Name of a brand.
    langs : sequence of str
        ISO 639-1 codes of the words' languages.
    fetch : callable
        Fetches an address.
    item : str, optional
        Number of the brand's item, ``"Q312"``; by default the first that is a company or a brand.
    api : str
        Address of the interface of a Wikibase.

    Raises
    ------
    InputError
        Nothing can be fetched, the answer is none, or no item is a company's.
    """
    found: dict[str, None] = {item: None} if item else {}
    for lang in langs:
        asked = {"action": "wbsearchentities", "search": name, "language": lang, "uselang": lang, "limit": _NAMESAKES}
        answer = await _ask(fetch, api, {**asked, "type": "item"})
        found |= dict.fromkeys(str(hit["id"]) for hit in _mappings(answer.get("search")) if "id" in hit)
    entities = await _entities(fetch, api, list(found), langs)
    chosen = item or next((number for number in found if _is_company(entities.get(number, {}))), None)
    if chosen is None or chosen not in entities:
        seen = ", ".join(f"{one.item} ({one.description})" for one in map(_namesake, entities.values()))
        raise InputError(
            f"{name}: no item of a company or brand in Wikidata; found {seen or 'none'}; name one by --item"
        )
    kinds = await _entities(fetch, api, list(dict.fromkeys(_kinds(entities.values()))), langs)
    words = {number: list(_words(entity, kinds, langs)) for number, entity in entities.items()}
    own = {word for text in (name, *_names(entities[chosen])) for word in tokenize(text) if word in tokenize(name)}
    about = _ranked([words.pop(chosen)], without=own)
    others = _ranked(words.values(), without=own | set(about))
    about = [word for word in about if not any(word in theirs for theirs in words.values())]
    rest = (_namesake(entity) for number, entity in entities.items() if number != chosen)
    return WikidataSenses(_namesake(entities[chosen]), tuple(rest), tuple(about), tuple(others))


async def _ask(fetch: FetchBytes, api: str, values: Mapping[str, object]) -> Mapping[str, Any]:
    url = f"{api}?{urlencode({**values, 'format': 'json'})}"
    try:
        answer = json.loads(await fetch(url))
    except ValueError as error:
        raise InputError(f"{url}: the answer is no JSON: {error}") from error
    if not isinstance(answer, dict) or "error" in answer:
        raise InputError(f"{url}: answered {json.dumps(answer)[:200]}")
    return answer


async def _entities(
    fetch: FetchBytes, api: str, numbers: Sequence[str], langs: Sequence[str]
) -> dict[str, Mapping[str, Any]]:
    """Return items by their numbers, in their order."""
    found: dict[str, Mapping[str, Any]] = {}
    for first in range(0, len(numbers), 50):
        some = numbers[first : first + 50]
        asked = {"action": "wbgetentities", "ids": "|".join(some), "languages": "|".join((*langs, "mul"))}
        answer = await _ask(fetch, api, {**asked, "props": "labels|aliases|descriptions|claims"})
        items = answer.get("entities")
        if isinstance(items, Mapping):
            found |= {number: items[number] for number in some if isinstance(items.get(number), Mapping)}
    return {number: entity for number, entity in found.items() if "missing" not in entity}


def _mappings(value: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the objects of a list, or of the values of an object, one level deeper where these are lists."""
    values = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    for one in values:
        yield from (one,) if isinstance(one, Mapping) else _mappings(one)


def _texts(value: Any) -> Iterator[str]:
    yield from (one["value"] for one in _mappings(value) if isinstance(one.get("value"), str))


def _names(entity: Mapping[str, Any]) -> Iterator[str]:
    yield from _texts(entity.get("labels"))
    yield from _texts(entity.get("aliases"))


def _namesake(entity: Mapping[str, Any]) -> Namesake:
    number = str(entity.get("id", ""))
    return Namesake(number, next(_names(entity), number), next(_texts(entity.get("descriptions")), ""))


def _claimed(entity: Mapping[str, Any], names: Iterable[str]) -> Iterator[str]:
    """Yield the numbers of the items that an item names by some properties."""
    claims = entity.get("claims")
    for name in names:
        for claim in _mappings(claims.get(name) if isinstance(claims, Mapping) else None):
            try:
                yield str(claim["mainsnak"]["datavalue"]["value"]["id"])
            except (KeyError, TypeError):
                continue


def _kinds(entities: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for entity in entities:
        yield from _claimed(entity, _TOLD_BY)


def _is_company(entity: Mapping[str, Any]) -> bool:
    return not _OF_COMPANIES.isdisjoint(entity.get("claims") or ()) or not _COMPANIES.isdisjoint(
        _claimed(entity, ("P31",))
    )


def _words(entity: Mapping[str, Any], kinds: Mapping[str, Mapping[str, Any]], langs: Sequence[str]) -> Iterator[str]:
    """Yield the words of an item's names, its description, and the names of what it is and does; no stop words."""
    stop_words = frozenset[str]().union(*map(stop_words_if_any, langs))
    told = (next(_texts(kinds[number].get("labels")), "") for number in _kinds([entity]) if number in kinds)
    for text in (*_names(entity), *_texts(entity.get("descriptions")), *told):
        yield from (word for word in tokenize(text) if word not in stop_words and (len(word) > 2 or not word.isascii()))


def _ranked(lists: Iterable[Sequence[str]], *, without: set[str]) -> list[str]:
    """Return words by the number of items that have them, then as they come."""
    counts: dict[str, int] = {}
    for words in lists:
        for word in dict.fromkeys(words):
            counts[word] = counts.get(word, 0) + 1
    ranked = sorted(
        (word for word in counts if word not in without and not word.isdigit()), key=lambda word: -counts[word]
    )
    return ranked[:_MOST_WORDS]


async def _fetched_senses(name: str, langs: Sequence[str], item: str | None, api: str) -> WikidataSenses:
    """Ask Wikidata, or another Wikibase, politely."""
    private = ("127.0.0.0/8",) if urlsplit(api).hostname in ("localhost", "127.0.0.1") else ()
    async with Fetcher(FetchOptions(delay=0.1, attempts=2, allow_networks=private)) as fetcher:

        async def fetch(url: str) -> bytes:
            # The interface is there for programs, as a feed is.
            fetched = await fetcher.fetch(url, kind="feed")
            if fetched.error is not None:
                raise InputError(fetched.error)
            return fetched.data

        return await wikidata_senses(name, langs, fetch, item=item, api=api)


def _names_as_toml(brand: Brand, only: frozenset[str]) -> Iterator[str]:
    """Yield the lines of a brand; strings of JSON are strings of TOML."""
    yield from ("[[brands]]", f"name = {_string(brand.name)}")
    kept = {code: own for code, own in brand.aliases.items() if own and (not only or code in {*only, ANY_LANGUAGE})}
    if kept:
        yield "[brands.aliases]"
    for code, own in kept.items():
        yield f"{code if code.isalpha() else _string(code)} = [{', '.join(map(_string, own))}]"
    yield ""


def _senses_as_toml(name: str, senses: WikidataSenses) -> Iterator[str]:
    yield f"# {senses.brand.item}: {_in_a_line(senses.brand.description)}"
    for one in senses.namesakes:
        yield f"# not {one.item}: {_in_a_line(one.label)}, {_in_a_line(one.description)}"
    yield f"[[brands]]\nname = {_string(name)}"
    for key, words in (("about", senses.about), ("others", senses.others)):
        yield f"{key} = [{', '.join(map(_string, words))}]"


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _in_a_line(text: str) -> str:
    return " ".join(text.split())


def _codes(text: str) -> tuple[str, ...]:
    codes = tuple(filter(None, (part.strip() for part in text.split(","))))
    unknown = [code for code in codes if normalise_code(code) is None]
    if unknown:
        raise argparse.ArgumentTypeError(f"{unknown[0]!r} is no language code such as 'de'")
    return codes


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    names = commands.add_parser("names", help="labels and aliases of an export")
    names.add_argument("export", help="file ending in .json, .jsonl or .tsv")
    names.add_argument("--lang", default="en", help="language of the brands' names")
    names.add_argument("--only", type=_codes, default=(), help="only names in these languages: de,fr")
    senses = commands.add_parser("senses", help="words for a brand and for its namesakes, asked of Wikidata")
    senses.add_argument("name", help="an ambiguous name: Shell, Orange, Visa")
    senses.add_argument("--lang", type=_codes, default=("en",), help="languages of the words: en,de,fr")
    senses.add_argument("--item", help="item of the brand, Q154950; else the first that is a company")
    senses.add_argument("--api", default=API, help="interface of another Wikibase")
    forms = commands.add_parser("forms", help="forms of names in languages with cases")
    forms.add_argument("names", nargs="+", help="names in their basic form")
    forms.add_argument("--lang", type=_codes, required=True, help="languages of the forms: pl,ru")
    options = parser.parse_args(arguments)
    try:
        if options.command == "forms":
            for name in options.names:
                found = {code: Endings.of(code).forms(name) for code in options.lang}
                print("\n".join(_names_as_toml(Brand(name, found), frozenset())))
        elif options.command == "names":
            for brand in read_wikidata(options.export, lang=options.lang):
                print("\n".join(_names_as_toml(brand, frozenset(options.only))))
        else:
            found = asyncio.run(_fetched_senses(options.name, options.lang, options.item, options.api))
            print("\n".join(_senses_as_toml(options.name, found)))
    except BlockfeatError as error:
        print(error, file=sys.stderr)
        return 126
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
