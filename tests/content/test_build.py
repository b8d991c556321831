"""What becomes of elements in the tree of content, seen in its formats."""

import pytest
from lxml import etree

import blockfeat
from golden_formats import all_kept
from tei_schema import validate_tei


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


def test_a_first_row_in_bold_is_the_header() -> None:
    rows = "<tr><td><b>Name</b><td><p><strong>Size</strong></p><tr><td>A<td>9 m<tr><td><b>B</b><td>8 m"
    found = all_kept(f"<p>x<table>{rows}</table><p>y")
    assert "| Name | Size |\n| --- | --- |\n| A | 9 m |\n| **B** | 8 m |" in found.to_markdown()
    assert "<thead><tr><th>Name</th><th>Size</th></tr></thead>" in found.to_html()


def test_cells_span_rows_and_columns_in_html_and_xml() -> None:
    rows = "<tr><th rowspan=2>Name<th colspan=2>Size<tr><th>w<th>h<tr><td>A<td>1<td>2<tr><td colspan=3>whole"
    found = all_kept(f"<p>x<table>{rows}</table><p>y")
    assert found.text == "x\n\nName\tSize\t\n\tw\th\nA\t1\t2\nwhole\t\t\n\ny"
    assert (
        "| Name | Size |  |\n| --- | --- | --- |\n|  | w | h |\n| A | 1 | 2 |\n| whole |  |  |" in found.to_markdown()
    )
    head = '<thead><tr><th rowspan="2">Name</th><th colspan="2">Size</th></tr><tr><th>w</th><th>h</th></tr></thead>'
    assert f'{head}<tbody><tr><td>A</td><td>1</td><td>2</td></tr><tr><td colspan="3">whole</td></tr>' in found.to_html()
    assert '<cell role="label" rows="2">Name</cell>\n<cell role="label" cols="2">Size</cell>\n</row>' in found.to_xml()
    validate_tei(etree.fromstring(found.to_xml().encode()))


def test_a_row_without_text_is_left_out_and_no_longer_spanned() -> None:
    rows = "<tr><th>a<th>b<tr><td rowspan=3>A<td>1<tr><td> <tr><td>2<tr><td>B<td>3"
    assert '<td rowspan="2">A</td><td>1</td></tr><tr><td>2</td>' in all_kept(f"<table>{rows}</table>").to_html()


@pytest.mark.parametrize("page", ["<img src=a.png>", "<p><img src=a.png alt=boat></p>", "<table><img src=a.png>"])
def test_a_page_of_images_alone_has_no_content_to_write(page: str) -> None:
    found = blockfeat.extract(page)
    assert (found.status, found.to_markdown(images=True)) == ("empty", "")
    assert "<img" not in found.to_html(images=True)
    validate_tei(etree.fromstring(found.to_xml(images=True).encode()))


def test_a_caption_stands_with_its_figure() -> None:
    figure = "<figure><img src=a.png alt=boat><figcaption>The boat.</figcaption></figure>"
    found = all_kept(f"<ul><li>one{figure}<li>two</ul><table><caption>Times<tr><th>a<th>b<tr><td>1<td>2</table>")
    assert found.text == "one\n\nThe boat.\n\ntwo\n\nTimes\n\na\tb\n1\t2"
    image = '<img src="https://a.example/pages/a.png" alt="boat">'
    assert f"<li>one<figure>{image}<figcaption>The boat.</figcaption></figure></li>" in found.to_html(images=True)
    assert "<figure><figcaption>Times</figcaption><table>" in found.to_html()
    assert found.to_markdown().endswith("Times\n\n| a | b |\n| --- | --- |\n| 1 | 2 |")
    assert "<head>The boat.</head>" in found.to_xml()
    assert "<figure><head>Times</head>\n<table" in found.to_xml()
    validate_tei(etree.fromstring(found.to_xml(images=True).encode()))
