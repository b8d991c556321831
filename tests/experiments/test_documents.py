import argparse
from pathlib import Path

import pytest

from blockfeat.errors import InputError
from experiments.documents import add_page_options, fill, write_page

TEMPLATE = "# Title\n\n{one}\n\nText with {braces} in it.\n\n{two}\n"


def test_slots_are_filled() -> None:
    text = fill(TEMPLATE, {"one": lambda: "| a |\n", "two": lambda: "{one}"})
    assert text == "# Title\n\n| a |\n\nText with {braces} in it.\n\n{one}\n"


def test_only_some_sections_are_computed() -> None:
    def never() -> str:
        raise AssertionError

    assert fill(TEMPLATE, {"one": lambda: "A", "two": never}, frozenset({"one"})).endswith("\n\n{two}\n")


def test_every_slot_has_a_section_and_every_section_a_slot() -> None:
    with pytest.raises(InputError, match="two"):
        fill(TEMPLATE, {"one": lambda: ""})
    with pytest.raises(InputError, match="three"):
        fill(TEMPLATE, {"one": lambda: "", "two": lambda: "", "three": lambda: ""})


def test_a_page_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "page.md").write_text("{one}\n", encoding="utf-8")
    parser = argparse.ArgumentParser()
    add_page_options(parser, ("one",))
    for arguments in (["--output", str(tmp_path / "out.md")], []):
        write_page(parser.parse_args(arguments), tmp_path / "page.md", {"one": lambda: "ü"})
    assert (tmp_path / "out.md").read_text(encoding="utf-8") == capsys.readouterr().out == "ü\n"
