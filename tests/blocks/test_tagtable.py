"""Tag tables: the bundled ones, mistakes with their lines, and the way through plain values."""

import json
from pathlib import Path

import pytest

from blockfeat.blocks.tagtable import BUNDLED_TABLES, TagTable, load_table
from blockfeat.errors import TableError

GOOD = """\
# Every other element is a boundary; the guards and roles follow. Prune wins over br.
schema = 1
name = "mine"
description = "other names, a prune list and a br"
other = "boundary"
boundary = ["p", "div"]
remove_with_space = ["br"]
remove_without_space = [
  "a",
  "b",
]
prune = ["script"]

[roles]
anchor = ["a"]
format = ["b"]

[guards]
split_at_breaks = 2
keep_if_it_holds_paragraphs = ["button"]
prune_hidden = true
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_good_table(tmp_path: Path) -> None:
    table = load_table(write(tmp_path, GOOD))
    assert (table.name, table.other) == ("mine", "boundary")
    operations = {"p": "boundary", "div": "boundary", "br": "remove_with_space", "script": "prune"}
    assert table.operations == operations | {"a": "remove_without_space", "b": "remove_without_space"}
    roles = {"anchor": {"a"}, "format": {"b"}, "list": set(), "structure": set()}
    assert table.roles == {role: frozenset(tags) for role, tags in roles.items()}
    assert (table.guards.split_at_breaks, table.guards.prune_hidden) == (2, True)
    assert table.guards.keep_if_it_holds_paragraphs == frozenset({"button"})
    assert table.guards.noscript_rescue is False


@pytest.mark.parametrize("name", BUNDLED_TABLES)
def test_round_trip_through_json(name: str) -> None:
    table = load_table(name)
    document = table.to_dict()
    assert TagTable.from_dict(json.loads(json.dumps(document))) == table
    assert document == TagTable.from_dict(document).to_dict()


def replaced(old: str, new: str) -> str:
    assert GOOD.count(old) == 1
    return GOOD.replace(old, new)


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        (replaced("schema = 1", "schema = 2"), 2, "'schema' must be 1, not 2"),
        (replaced('name = "mine"', "name = 7"), 3, "'name' must be a name, not 7"),
        (replaced('name = "mine"', 'name = ""'), 3, "'name' must be a name, not ''"),
        (replaced('other = "boundary"', 'other = "keep"'), 5, "'other' must be one of boundary"),
        (replaced('other = "boundary"', "other = []"), 5, "'other' must be one of boundary"),
        (replaced('["p", "div"]', '"p"'), 6, "'boundary' must be a list of tags, not 'p'"),
        (replaced('["p", "div"]', '["p", "DIV"]'), 6, "'DIV' in 'boundary' is not a lower-case tag"),
        (replaced('["p", "div"]', '["p", "<i>"]'), 6, "'<i>' in 'boundary' is not a lower-case tag"),
        (replaced('["p", "div"]', '["p", 3]'), 6, "3 in 'boundary' is not a lower-case tag"),
        (replaced('  "b",\n', '  "b",\n  "B",\n'), 11, "'B' in 'remove_without_space'"),
        (replaced('["script"]', '["script", "br"]'), 12, "'br' stands in 'remove_with_space' and in 'prune'"),
        (replaced('prune = ["script"]', "prune = true"), 12, "'prune' must be a list of tags"),
        (replaced("[roles]", "spare = 1\n[roles]"), 14, "unknown key 'spare'; known are boundary"),
        (replaced('anchor = ["a"]', 'ancor = ["a"]'), 15, "unknown role 'ancor'; known are anchor"),
        (replaced('format = ["b"]', 'format = "b"'), 16, "'format' must be a list of tags, not 'b'"),
        (replaced('format = ["b"]', 'format = ["B b"]'), 16, "'B b' in 'format'"),
        (replaced("split_at_breaks = 2", "split_at_breaks = -1"), 19, "'split_at_breaks' must be a number"),
        (replaced("split_at_breaks = 2", "split_at_breaks = 101"), 19, "'split_at_breaks' must be a number"),
        (replaced("split_at_breaks = 2", "split_at_breaks = true"), 19, "'split_at_breaks' must be a number"),
        (replaced("split_at_breaks = 2", "split_at = 2"), 19, "unknown guard 'split_at'; known are"),
        (replaced('["button"]', '["Button"]'), 20, "'Button' in 'keep_if_it_holds_paragraphs'"),
        (replaced("prune_hidden = true", "prune_hidden = 1"), 21, "'prune_hidden' must be true or false"),
        (replaced("prune_hidden = true", "prune_hidden = true\nprune_hidden = true"), 22, ""),
        (replaced("[guards]", "[guards"), 18, ""),
        ('schema = 1\nname = "x"\nother = "boundary"\nroles = 4\n', 4, "'roles' must be a section"),
        ('schema = 1\nname = "x"\nother = "boundary"\nguards = 4\n', 4, "'guards' must be a section"),
    ],
)
def test_a_mistake_names_file_line_and_reason(tmp_path: Path, text: str, line: int, reason: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(TableError) as caught:
        load_table(path)
    message = str(caught.value)
    assert message.startswith(str(path))
    assert f"line {line}" in message.replace(",", "").replace(":", " ") + " "
    assert reason in message


@pytest.mark.parametrize("missing", ["schema = 1\n", 'name = "mine"\n', 'other = "boundary"\n'])
def test_a_missing_key_names_file_and_key_and_no_line(tmp_path: Path, missing: str) -> None:
    path = write(tmp_path, replaced(missing, ""))
    with pytest.raises(TableError, match=rf"mine\.toml: '{missing.split()[0]}' must be"):
        load_table(path)


def test_values_without_a_source_have_no_line() -> None:
    document = load_table("html5").to_dict() | {"schema": 9}
    with pytest.raises(TableError, match=r"^model\.json: 'schema' must be 1, not 9$"):
        TagTable.from_dict(document, where="model.json")


def test_unknown_and_unreadable_tables(tmp_path: Path) -> None:
    with pytest.raises(TableError, match=r"html4: not a bundled table \(html5, ziegler2007\)"):
        load_table("html4")
    with pytest.raises(TableError, match="not readable"):
        load_table(tmp_path)
    (tmp_path / "latin.toml").write_bytes(b'name = "\xe9"')
    with pytest.raises(TableError, match=r"latin\.toml"):
        load_table(tmp_path / "latin.toml")


# Ziegler & Skubacz (2007), Fig. 2, column by column; "H.L" is a scanning error for the headings.
WITH_SPACE = """BR CAPTION CENTER CITE DD DIV DL DT FRAME FRAMESET HR H1 H2 H3 H4 H5 H6 LABEL LI NOBR OL P
PRE S SAMP U UL WBR XMP"""
WITHOUT_SPACE = "A B BIG BLINK EM FONT FORM I SMALL SPAN STRIKE STRONG SUB SUP VAR"
PRUNED = """ADDRESS APPLET AREA BASE BGSOUND BUTTON CITE COL COLGROUP COMMENT DEL DIR EMBED SAMP FIELDSET FRAMESET
HEAD IMG INPUT INS LISTING MAP OPTION SCRIPT STYLE TEXTAREA"""
IN_TWO_COLUMNS = {"cite", "samp", "frameset"}


def test_ziegler2007_is_figure_2_to_the_letter() -> None:
    table = load_table("ziegler2007")
    expected = dict.fromkeys(PRUNED.lower().split(), "prune")
    assert expected.keys() & set(WITH_SPACE.lower().split()) == IN_TWO_COLUMNS
    expected |= dict.fromkeys(WITH_SPACE.lower().split(), "remove_with_space")
    expected |= dict.fromkeys(WITHOUT_SPACE.lower().split(), "remove_without_space")
    assert (table.operations, table.other) == (expected, "boundary")
    guards = table.guards
    assert (guards.split_at_breaks, guards.noscript_rescue, guards.prune_hidden) == (0, False, False)
    assert guards.keep_if_it_holds_paragraphs == frozenset()


@pytest.mark.parametrize("name", BUNDLED_TABLES)
def test_roles_name_elements_whose_start_is_seen(name: str) -> None:
    table = load_table(name)
    for tags in table.roles.values():
        assert not {tag for tag in tags if table.operations.get(tag, table.other) == "prune"}


def test_html5_bounds_block_level_elements_and_merges_inline_ones() -> None:
    table = load_table("html5")
    expected = dict.fromkeys(("p", "div", "li", "td", "h1", "section", "blockquote"), "boundary")
    expected |= dict.fromkeys(("a", "b", "em", "span", "code"), "remove_without_space")
    expected |= dict.fromkeys(("script", "style", "noscript", "svg", "head"), "prune") | {"br": "remove_with_space"}
    assert (table.operations | expected, table.other) == (table.operations, "remove_without_space")
