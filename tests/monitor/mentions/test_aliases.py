"""Brands from exports of Wikidata: JSON of entities, lines of a dump, tables of the query service."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from blockfeat.errors import BrandError
from blockfeat.monitor.mentions.aliases import read_wikidata
from blockfeat.monitor.mentions.brand import Brand

ITEM = {
    "id": "Q1",
    "labels": {
        "en": {"language": "en", "value": "Norvik"},
        "ru": {"language": "ru", "value": "Норвик"},
        "zh-hans": {"language": "zh-hans", "value": "诺维克"},
        "tlh": {"language": "tlh", "value": "norvIq"},
    },
    "aliases": {
        "en": [{"language": "en", "value": "Norvik Ltd"}, {"language": "en", "value": "—"}],
        "mul": [{"language": "mul", "value": "NRVK"}],
    },
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
