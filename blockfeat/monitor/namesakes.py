"""Words for an ambiguous name and for its namesakes, from their items in Wikidata: descriptions, aliases, kinds."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from blockfeat.errors import InputError
from blockfeat.lang.measures import tokenize
from blockfeat.lang.stopwords import stop_words_if_any

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
