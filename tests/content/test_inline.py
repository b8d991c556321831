"""Raised and lowered text keeps its meaning in every format."""

import pytest
from lxml import etree

from blockfeat.content import inline
from blockfeat.errors import LimitExceeded
from cases import CASES
from golden_formats import all_kept
from tei_schema import validate_tei
from timing import seconds_of


@pytest.mark.parametrize(("markup", "shown"), CASES["plain_text_marks_it"])
def test_plain_text_marks_it(markup: str, shown: str) -> None:
    assert all_kept(f"<p>{markup}<p>two").text == f"{shown}\n\ntwo"
    assert all_kept(f"<table><tr><td>a<td>b<tr><td>{markup}<td>d</table>").text == f"a\tb\n{shown}\td"


def test_preformatted_text_stays_as_it_is() -> None:
    assert all_kept("<p>one<pre>a<sup>2</sup>\n  b</pre><p>c<sup>2</sup>").text == "one\n\na2\n  b\n\nc²"


def test_other_formats_have_elements() -> None:
    found = all_kept("<p>10<sup>23</sup> or <b>x<sub>i*</sub></b> and <code>a<sup>2</sup></code></p><p>two</p>")
    assert found.to_markdown().startswith("10<sup>23</sup> or **x**<sub>i*</sub> and `a`<sup>`2`</sup>")
    assert "10<sup>23</sup> or <strong>x</strong><strong><sub>i*</sub></strong>" in found.to_html()
    assert '10<hi rend="superscript">23</hi>' in found.to_xml()
    assert '<hi rend="bold subscript">i*</hi>' in found.to_xml()
    validate_tei(etree.fromstring(found.to_xml().encode()))


DISPLAYED = r'<math display="block" alttext="\sum_{i=1}^n a_i"><mi>a</mi></math>'


def test_every_format_has_its_own_marks() -> None:
    found = all_kept(f"<p>Let <b>all <math alttext='x_i^2'><mi>x</mi></math></b> be.</p><p>{DISPLAYED}</p>")
    assert found.text == "Let all $x_i^2$ be.\n\n$$\\sum_{i=1}^n a_i$$"
    assert found.to_markdown() == "Let **all** $x_i^2$ be.\n\n$$\\sum_{i=1}^n a_i$$"
    assert r'<strong>all </strong><span class="math">\(x_i^2\)</span> be.' in found.to_html()
    assert r'<span class="math">\[\sum_{i=1}^n a_i\]</span>' in found.to_html()
    assert '<formula notation="TeX" rend="inline">x_i^2</formula>' in found.to_xml()
    validate_tei(etree.fromstring(found.to_xml().encode()))


@pytest.mark.parametrize(("text", "markdown"), CASES["latex_in_the_text_of_a_page_is_a_formula"])
def test_latex_in_the_text_of_a_page_is_a_formula(text: str, markdown: str) -> None:
    assert all_kept(f"<p>{text}</p>").to_markdown() == markdown


def test_formulas_cannot_become_markup() -> None:
    latex = "[a](javascript:b) &lt;b&gt; `c` &amp;lt; |"
    cells = f"<td><math alttext='\\x {latex}'><mi>x</mi></math><td><math alttext='n'></math>"
    page = f"<table><tr><th>a<th>b<tr>{cells}</table>"
    assert r"| $\x [a] (javascript:b) < b> 'c' & lt; \vert$ | $n$ |" in all_kept(page).to_markdown()
    assert "<b>" not in all_kept(page).to_html()


@pytest.mark.parametrize(
    "text", [r"\(", r"\[", "$", "$a ", r"\(a\\", "<math>", "<math><mrow>", "<script type=math/tex>"]
)
def test_time_is_linear(text: str) -> None:
    page = "<p>x" + text * 20_000
    assert seconds_of(lambda: all_kept(page).to_markdown()) < 20


def test_images_that_take_too_much_are_refused_before_all_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[object] = []
    monkeypatch.setattr("blockfeat.page.page._FREE_BYTES", 0)
    monkeypatch.setattr(inline, "Image", lambda *values: made.append(values))
    found = all_kept(f"<p>{'a<img src=b alt=c>' * 3000}")
    with pytest.raises(LimitExceeded, match="the parts of the text"):
        found.to_html(images=True)
    assert 0 < len(made) < 3000
