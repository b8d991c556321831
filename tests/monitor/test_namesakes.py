"""Words for a name and its namesakes, from answers as Wikidata gives them."""

from __future__ import annotations

import asyncio
import json
from urllib.parse import parse_qs, urlsplit

import pytest

from blockfeat.errors import InputError
from blockfeat.monitor.namesakes import wikidata_senses


def _item(number: str, label: str, description: str, aliases: list[str], **claims: str) -> dict[str, object]:
    return {
        "id": number,
        "labels": {"en": {"language": "en", "value": label}},
        "descriptions": {"en": {"language": "en", "value": description}} if description else {},
        "aliases": {"en": [{"language": "en", "value": alias} for alias in aliases]},
        "claims": {
            name: [{"mainsnak": {"datavalue": {"value": {"id": kind}}}}, {"mainsnak": {"snaktype": "novalue"}}]
            for name, kind in claims.items()
        },
    }


_ITEMS = {
    one["id"]: one
    for one in (
        _item("Q1", "Shell", "hard outer layer of an animal", [], P31="Q10"),
        _item("Q2", "Shell", "British oil and gas company", ["Royal Dutch Shell", "Shell plc"], P452="Q11"),
        _item("Q3", "shell", "command interpreter of a computer", ["command shell"]),
        _item("Q10", "anatomical structure", "", []),
        _item("Q11", "petroleum industry", "", []),
    )
}


class _Wikidata:
    """Answers as the interface does."""

    def __init__(self, found: list[str]) -> None:
        self.found = found
        self.asked: list[str] = []

    async def __call__(self, url: str) -> bytes:
        self.asked.append(url)
        values = {name: value[0] for name, value in parse_qs(urlsplit(url).query).items()}
        if values["action"] == "wbsearchentities":
            return json.dumps({"search": [{"id": number} for number in self.found]}).encode()
        numbers = values["ids"].split("|")
        missing = {"id": "Q9", "missing": ""}
        return json.dumps({"entities": {number: _ITEMS.get(number, missing) for number in numbers}}).encode()


def test_the_words_of_the_company_and_of_its_namesakes() -> None:
    wikidata = _Wikidata(["Q1", "Q2", "Q3", "Q9"])
    senses = asyncio.run(wikidata_senses("Shell", ["en"], wikidata))
    assert (senses.brand.item, senses.brand.description) == ("Q2", "British oil and gas company")
    assert [one.item for one in senses.namesakes] == ["Q1", "Q3"]
    assert {"oil", "gas", "british", "dutch", "petroleum"} <= set(senses.about)
    assert {"animal", "computer", "command", "anatomical"} <= set(senses.others)
    assert "shell" not in {*senses.about, *senses.others}
    assert not set(senses.about) & set(senses.others)
    assert all(url.startswith("https://www.wikidata.org/w/api.php?") for url in wikidata.asked)


def test_the_item_that_is_named() -> None:
    senses = asyncio.run(wikidata_senses("Shell", ["en"], _Wikidata(["Q1", "Q2"]), item="Q3"))
    assert senses.brand.item == "Q3"
    assert "oil" in senses.others


def test_no_company_is_an_error_that_names_what_there_is() -> None:
    with pytest.raises(InputError, match=r"Shell: no item of a company.*Q1 \(hard outer layer"):
        asyncio.run(wikidata_senses("Shell", ["en"], _Wikidata(["Q1", "Q3"])))
    with pytest.raises(InputError, match="found none"):
        asyncio.run(wikidata_senses("Shell", ["en"], _Wikidata([])))


@pytest.mark.parametrize("answer", [b"<html>", b"[]", b'{"error": {"code": "maxlag"}}', b'{"search": 3}', b"{}"])
def test_answers_that_are_none(answer: bytes) -> None:
    async def fetch(url: str) -> bytes:
        return answer

    with pytest.raises(InputError, match=r"Shell|wikidata"):
        asyncio.run(wikidata_senses("Shell", ["en"], fetch))


@pytest.mark.parametrize("entities", [[], {"Q1": 3}, {"Q1": {"claims": [], "labels": "x", "aliases": [3]}}])
def test_items_that_are_none(entities: object) -> None:
    async def fetch(url: str) -> bytes:
        found = {"search": [{"id": "Q1"}, 3, {}]} if "search" in url else {"entities": entities}
        return json.dumps(found).encode()

    with pytest.raises(InputError, match="no item of a company"):
        asyncio.run(wikidata_senses("Shell", ["en"], fetch))
