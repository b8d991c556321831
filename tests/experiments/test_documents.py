import argparse
from pathlib import Path

import pytest

from blockfeat.errors import InputError
from experiments.documents import add_page_options, fill, kept_sections, write_page

TEMPLATE = "# Title\n\n{one}\n\nText with {braces} in it.\n\n{two}\n"


def options(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_page_options(parser, ("one", "two"))
    return parser.parse_args(arguments)


def test_slots_are_filled() -> None:
    text = fill(TEMPLATE, {"one": lambda: "| a |\n", "two": lambda: "{one}"})
    assert text == (
        "# Title\n\n<!-- section one -->\n| a |\n<!-- end of one -->\n\nText with {braces} in it.\n\n"
        "<!-- section two -->\n{one}\n<!-- end of two -->\n"
    )
    assert kept_sections(text) == {"one": "| a |", "two": "{one}"}


def test_every_slot_has_a_section_and_every_section_a_slot() -> None:
    for sections, wrong in ((("one",), "two"), (("one", "two", "three"), "three")):
        with pytest.raises(InputError, match=wrong):
            fill(TEMPLATE, dict.fromkeys(sections, str))


def test_a_page_is_written_to_a_file_or_to_standard_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "page.md").write_text("{one}\n", encoding="utf-8")
    for arguments in (("--output", str(tmp_path / "out.md")), ()):
        write_page(options(*arguments), tmp_path / "page.md", {"one": lambda: "ü"})
    assert (tmp_path / "out.md").read_text(encoding="utf-8") == capsys.readouterr().out
    assert kept_sections((tmp_path / "out.md").read_text(encoding="utf-8")) == {"one": "ü"}


def test_some_sections_of_a_page_are_computed_anew(tmp_path: Path) -> None:
    template, output = tmp_path / "page.md", tmp_path / "out.md"
    template.write_text(TEMPLATE, encoding="utf-8")
    for file, reason in (((), "--only needs --output"), (("--output", str(output)), "two")):
        with pytest.raises(SystemExit, match=reason):
            write_page(options("--only", "one", *file), template, {"one": pytest.fail, "two": pytest.fail})
    write_page(options("--output", str(output)), template, {"one": lambda: "A", "two": lambda: "B"})
    write_page(options("--only", "one", "--output", str(output)), template, {"one": lambda: "C", "two": pytest.fail})
    assert kept_sections(output.read_text(encoding="utf-8")) == {"one": "C", "two": "B"}
