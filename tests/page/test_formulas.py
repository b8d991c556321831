"""Each formula is one element with its LaTeX, however the page shows it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.page import Page, Tags
from blockfeat.page.formulas import FORMULA

MATHML = "<math><semantics><mi>x</mi><annotation encoding=application/x-tex>x &lt; y^2</annotation></semantics></math>"


def formulas(markup: str) -> list[str]:
    tags = Page.parse(f"<p>Let {markup} be</p><p>two").tags
    assert tags is not None
    return [tags.text(element) for element in tags.named(FORMULA).tolist()]


@pytest.mark.parametrize(
    ("markup", "latex"),
    [
        ('<script type="math/tex">x^2 < 3</script>', "$x^2 < 3$"),
        (
            '<script type="math/tex; mode=display">% <![CDATA[\na &amp; b \\\\\n50\\% %]]></script>',
            r"$$a & b \\ 50\%$$",
        ),
        ("<span class=MathJax_Preview>x2</span><script type=math/tex>x^2</script>", "$x^2$"),
        (
            f"<span class=MathJax_Preview></span><span class=MathJax id=a><nobr>x2</nobr>{MATHML}</span>"
            "<script type=math/tex id=b>x^2</script>",
            "$x^2$",
        ),
        (
            "<div class=MathJax_Display><b class=MathJax>x</b></div>\n<script type='math/tex; mode=display'>x</script>",
            "$$x$$",
        ),
        (f"<mjx-container><svg/><mjx-assistive-mml>{MATHML}</mjx-assistive-mml></mjx-container>", "$x < y^2$"),
        (f"<mjx-container display=true><mjx-assistive-mml>{MATHML}</mjx-assistive-mml></mjx-container>", "$$x < y^2$$"),
        (
            f"<span class=katex><span class=katex-mathml>{MATHML}</span><span class=katex-html>x2</span></span>",
            "$x < y^2$",
        ),
        (
            f"<span class=katex-display><span class=katex><span class=katex-mathml>{MATHML}</span>"
            "<span class=katex-html>x2</span></span></span>",
            "$$x < y^2$$",
        ),
        (
            '<span class="mwe-math-element"><span class="mwe-math-mathml-inline mwe-math-mathml-a11y">'
            r'<math alttext="{\displaystyle {a}+{b}}"><mi>a</mi></math></span>'
            r'<img class="mwe-math-fallback-image-inline" alt="{\displaystyle {a}+{b}}"></span>',
            "${a}+{b}$",
        ),
        ('<math display="block" alttext="\\frac{a}{b}"><mi>a</mi></math>', r"$$\frac{a}{b}$$"),
        ('<math alttext="x to the n"><msup><mi>x</mi><mi>n</mi></msup></math>', "$x^{n}$"),
        ('<math alttext="n"></math>', "$n$"),
        (
            "<math><mfrac><mrow><mi>a</mi><mo>−</mo><mn>1</mn></mrow><msqrt><mi>sin</mi><mi>b</mi></msqrt></mfrac></math>",
            r"$\frac{a-1}{\sqrt{\mathrm{sin}b}}$",
        ),
        ("<math><msubsup><mrow><mi>a</mi><mi>b</mi></mrow><mi>i</mi><mn>2</mn></msubsup></math>", "${ab}_{i}^{2}$"),
        (
            "<math><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mi>a</mi></mtd></mtr>"
            "<mtr><mtd><mtext>if so</mtext></mtd></mtr></mtable></math>",
            r"$\begin{matrix} 1 & a \\ \text{if so} \end{matrix}$",
        ),
        ("<math><mover><mi>B</mi><mo>→</mo></mover></math>", r"$\overset{→}{B}$"),
    ],
)
def test_a_formula_is_its_latex_once(markup: str, latex: str) -> None:
    assert formulas(markup) == [latex]
    tags = Page.parse(f"<p>Let {markup} be</p><p>two").tags
    assert tags is not None
    assert tags.all_text().split() == ["Let", *latex.split(), "be", "two"]


def test_an_element_around_formulas_stays() -> None:
    tags = Page.parse("<div class=katex><p>All <math><mi>a</mi></math> and <math><mi>b</mi></math></div>").tags
    assert tags is not None
    assert tags.all_text().split() == ["All", "$a$", "and", "$b$"]


def test_what_has_no_latex_stays_as_it_is() -> None:
    assert formulas("<math></math><script type=math/tex></script>") == []
    assert formulas("<span class=katex><math></math>x</span>") == []
    levels = 5000
    assert formulas(f"<math>{'<mrow><mi>x</mi>' * levels}{'</mrow>' * levels}</math>") == []


def test_a_formula_within_another_is_part_of_it() -> None:
    assert formulas("<math><mi>x</mi><math><mi>y</mi></math></math><math><mi>z</mi></math>") == ["$xy$", "$z$"]


def test_other_scripts_hold_no_formulas() -> None:
    assert formulas("<script>x</script><script type=text/javascript src=/math/tex.js>y</script>") == []


def test_formulas_may_be_left_as_they_are() -> None:
    tags = Page.parse(f"<p>{MATHML}", keep_raw_text=True).tags
    assert tags is not None
    assert tags.named("math").size == 1


RENDERED = ["<span class=katex>", "<span class=MathJax>b</span>", "</span>", "<mjx-container>", "</mjx-container>"]
PIECES = [MATHML, "<script type=math/tex>a</script>", "<p>", "</p>", "text", "<br>", *RENDERED]


@given(st.lists(st.sampled_from(PIECES)))
def test_the_tags_are_those_of_the_page_that_they_write(pieces: list[str]) -> None:
    tags = Page.parse("<p>x" + "".join(pieces)).tags
    assert tags is not None
    again = Tags.of_markup(tags.source)
    assert again.source == tags.source
    for column in ("start", "stop", "opened", "closed", "key"):
        assert np.array_equal(getattr(tags, column), getattr(again, column)), column
    assert tags.origin.size == tags.start.size
