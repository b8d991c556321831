"""The example for Wikidata: exports as brands, words for a name and its namesakes from what the interface answers."""

import asyncio
import json
import tomllib
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

pytest.importorskip("protego", reason="needs the extra monitor")

from blockfeat.errors import BrandError, InputError
from blockfeat.monitor.mentions.brand import Brand
from examples.wikidata_brands import main, read_wikidata, wikidata_senses


def _values(**names: str) -> dict[str, dict[str, str]]:
    """Return names as an item has them, by language."""
    return {lang.replace("_", "-"): {"language": lang.replace("_", "-"), "value": name} for lang, name in names.items()}


ITEM = {
    "id": "Q1",
    "labels": _values(en="Norvik", ru="Норвик", zh_hans="诺维克", tlh="norvIq"),
    "aliases": {"en": [_values(en=name)["en"] for name in ("Norvik Ltd", "—")], "mul": [*_values(mul="NRVK").values()]},
}
BRAND = Brand("Norvik", {"en": ("Norvik Ltd",), "ru": ("Норвик",), "zh": ("诺维克",), "*": ("NRVK",)})


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("export.json", json.dumps({"entities": {"Q1": ITEM}})),
        ("item.json", json.dumps(ITEM)),
        ("dump.json", json.dumps([ITEM])),
        ("dump.jsonl", "[\n" + json.dumps(ITEM) + ",\n" + json.dumps({**ITEM, "id": "Q2"}) + "\n]\n"),
    ],
)
def test_json(tmp_path: Path, name: str, text: str) -> None:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    assert read_wikidata(file) == (BRAND,)


def test_table_of_the_query_service(tmp_path: Path) -> None:
    file = tmp_path / "query.tsv"
    entity = "<http://www.wikidata.org/entity/Q1>"
    lines = ["?item\t?label\t?alias", f'{entity}\t"Norvik"@en\t"Norvik \\"N\\" Ltd"@en', f'{entity}\t"Норвик"@ru\t']
    file.write_text("\n".join(lines), encoding="utf-8")
    assert read_wikidata(file) == (Brand("Norvik", {"en": ('Norvik "N" Ltd',), "ru": ("Норвик",)}),)


def test_table_with_a_column_of_languages(tmp_path: Path) -> None:
    file = tmp_path / "names.tsv"
    file.write_text("item\tlang\tname\nQ1\ten\tNorvik\nQ1\tru\tНорвик\nQ2\tru\tБрелан\n", encoding="utf-8")
    assert read_wikidata(file) == (Brand("Norvik", {"ru": ("Норвик",)}), Brand("Брелан"))


def test_name_in_another_language(tmp_path: Path) -> None:
    file = tmp_path / "item.json"
    file.write_text(json.dumps(ITEM), encoding="utf-8")
    assert read_wikidata(file, lang="ru")[0].name == "Норвик"


@pytest.mark.parametrize(
    ("name", "text"), [("a.json", "{"), ("b.tsv", "x\ty\n"), ("c.json", "[]"), ("d.json", '{"entities": {"Q1": 3}}')]
)
def test_bad_files_are_named(tmp_path: Path, name: str, text: str) -> None:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    with pytest.raises(BrandError, match=name):
        read_wikidata(file)


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BrandError, match=r"none\.json"):
        read_wikidata(tmp_path / "none.json")


def test_forms_of_names_are_toml(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["forms", "Orlen", 'Lot "Air"', "--lang", "pl,ru"]) == 0
    first, second = tomllib.loads(capsys.readouterr().out)["brands"]
    assert ("Orlenu" in first["aliases"]["pl"], [*first["aliases"]]) == (True, ["pl"])
    assert (first["name"], second["name"]) == ("Orlen", 'Lot "Air"')
    assert main(["forms", "Orlen", "--lang", "ja"]) == 126


def test_names_in_some_languages_are_toml(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "item.json"
    file.write_text(json.dumps({"id": "Q1", "labels": _values(en="Norvik", ru="Норвик")}), encoding="utf-8")
    assert main(["names", str(file)]) == 0
    assert tomllib.loads(capsys.readouterr().out) == {"brands": [{"name": "Norvik", "aliases": {"ru": ["Норвик"]}}]}
    assert main(["names", str(file), "--only", "de"]) == 0
    assert tomllib.loads(capsys.readouterr().out) == {"brands": [{"name": "Norvik"}]}
    assert main(["names", str(tmp_path / "none.json")]) == 126
    assert "none.json" in capsys.readouterr().err


def _item(number: str, label: str, description: str, aliases: list[str], **claims: str) -> dict[str, object]:
    return {
        "id": number,
        "labels": _values(en=label),
        "descriptions": _values(en=description) if description else {},
        "aliases": {"en": [_values(en=alias)["en"] for alias in aliases]},
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
