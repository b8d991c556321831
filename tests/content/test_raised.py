"""Raised and lowered text keeps its meaning in every format."""

from __future__ import annotations

import pytest
from lxml import etree

from golden_formats import all_kept
from tei_schema import validate_tei


@pytest.mark.parametrize(
    ("markup", "shown"),
    [
        ("10<sup>23</sup> atoms", "10²³ atoms"),
        ("10<sup>−3</sup> m", "10⁻³ m"),
        ("H<sub>2</sub>O", "H₂O"),
        ("x<sup>ab</sup> and x<sub>i,j</sub>", "x^{ab} and x_{i,j}"),
        ("a book<sup><a href=#n2>2</a></sup> of", "a book 2 of"),
        ("IP68<a href=#n><sup>2</sup></a> case", "IP68 2 case"),
        ("the 7<sup>th</sup> day", "the 7th day"),
        ("a name<sup>®</sup> here", "a name® here"),
        ("<sup>1</sup> See there", "1 See there"),
    ],
)
def test_plain_text_marks_it(markup: str, shown: str) -> None:
    assert all_kept(f"<p>{markup}<p>two").text == f"{shown}\n\ntwo"
    assert all_kept(f"<table><tr><td>a<td>b<tr><td>{markup}<td>d</table>").text == f"a\tb\n{shown}\td"


def test_preformatted_text_stays_as_it_is() -> None:
    assert all_kept("<p>one<pre>a<sup>2</sup>\n  b</pre><p>c<sup>2</sup>").text == "one\n\na2\n  b\n\nc²"


def test_other_formats_have_elements() -> None:
    found = all_kept("<p>10<sup>23</sup> or <b>x<sub>i*</sub></b> and <code>a<sup>2</sup></code></p><p>two</p>")
    assert found.to_markdown().startswith("10<sup>23</sup> or **x**<sub>i\\*</sub> and `a`<sup>`2`</sup>")
    assert "10<sup>23</sup> or <strong>x</strong><strong><sub>i*</sub></strong>" in found.to_html()
    assert '10<hi rend="superscript">23</hi>' in found.to_xml()
    assert '<hi rend="bold subscript">i*</hi>' in found.to_xml()
    validate_tei(etree.fromstring(found.to_xml().encode()))
