"""What becomes of elements in the tree of content, seen in its formats."""

from __future__ import annotations

from golden_formats import all_kept


def test_a_list_of_sections_is_no_list() -> None:
    page = "<ul><li><section><h3>start</h3><p>Starts the pump.</p></section><li>Stops it.</ul><p>All.</p>"
    found = all_kept(page)
    assert found.to_markdown() == "### start\n\nStarts the pump.\n\nStops it.\n\nAll."
    assert "<li>" not in found.to_html()
    assert "<item>" not in found.to_xml()


def test_a_list_of_headings_alone_stays_one() -> None:
    assert all_kept("<ul><li><h4>one</h4><li>two</ul>").to_markdown() == "- #### one\n- two"


def test_a_table_of_keys_and_values_has_no_empty_header() -> None:
    page = "<p>x<table><tr><th>Height</th><td>9 m</td></tr><tr><th>Built</th><td>1911</td></tr></table><p>y"
    assert "| Height | 9 m |\n| --- | --- |\n| Built | 1911 |" in all_kept(page).to_markdown()
