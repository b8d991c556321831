"""Names from Wikidata exports: labels and aliases of items, as brands with aliases by language."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from blockfeat.errors import BrandError
from blockfeat.lang.identify import normalise_code
from blockfeat.monitor.mentions.brand import ANY_LANGUAGE, Brand

# What the query service writes in TSV: "Apple"@en and <http://www.wikidata.org/entity/Q312>.
_LITERAL = re.compile(r'^"(.*)"(?:@([A-Za-z-]+)|\^\^<.*>)?$', re.DOTALL)
_ITEM = re.compile(r"Q\d+")
_MULTILINGUAL = "mul"
_LANGUAGE_COLUMNS = ("lang", "language")


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
        merged[brand.name] = merged[brand.name].with_aliases(brand.aliases) if brand.name in merged else brand
    return list(merged.values())
