"""Each formula is one element with its LaTeX, however the page shows it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.page import Page, Tags
from blockfeat.page.formulas import FORMULA

MATHML = "<math><semantics><mi>x</mi><annotation encoding=application/x-tex>x &lt; y^2</annotation></semantics></math>"


def tags_of(markup: str, **options: bool) -> Tags:
    tags = Page.parse(markup, **options).tags
    assert tags is not None
    return tags


def formulas(markup: str) -> list[str]:
    tags = tags_of(f"<p>Let {markup} be</p><p>two")
    return [tags.text(element) for element in tags.named(FORMULA).tolist()]


SHOWN = f"<span class=katex><span class=katex-mathml>{MATHML}</span><span class=katex-html>x2</span></span>"
ASSISTIVE = f"<mjx-assistive-mml>{MATHML}</mjx-assistive-mml>"
IN_CDATA = '<script type="math/tex; mode=display">% <![CDATA[\na &amp; b \\\\\n50\\% %]]></script>'
RENDERED = f"<span class=MathJax_Preview></span><span class=MathJax id=a><nobr>x2</nobr>{MATHML}</span>"
DISPLAYED = "<div class=MathJax_Display><b class=MathJax>x</b></div>\n<script type='math/tex; mode=display'>x</script>"
OF_WIKIPEDIA = (
    '<span class="mwe-math-element"><span class="mwe-math-mathml-inline mwe-math-mathml-a11y">'
    r'<math alttext="{\displaystyle {a}+{b}}"><mi>a</mi></math></span>'
    r'<img class="mwe-math-fallback-image-inline" alt="{\displaystyle {a}+{b}}"></span>'
)
FRACTION = "<mfrac><mrow><mi>a</mi><mo>−</mo><mn>1</mn></mrow><msqrt><mi>sin</mi><mi>b</mi></msqrt></mfrac>"
TABLE = "<mtr><mtd><mn>1</mn></mtd><mtd><mi>a</mi></mtd></mtr><mtr><mtd><mtext>if so</mtext></mtd></mtr>"


@pytest.mark.parametrize(
    ("markup", "latex"),
    [
        ('<script type="math/tex">x^2 < 3</script>', "$x^2 < 3$"),
        (IN_CDATA, r"$$a & b \\ 50\%$$"),
        ("<span class=MathJax_Preview>x2</span><script type=math/tex>x^2</script>", "$x^2$"),
        (f"{RENDERED}<script type=math/tex id=b>x^2</script>", "$x^2$"),
        (DISPLAYED, "$$x$$"),
        (f"<mjx-container><svg/>{ASSISTIVE}</mjx-container>", "$x < y^2$"),
        (f"<mjx-container display=true>{ASSISTIVE}</mjx-container>", "$$x < y^2$$"),
        (SHOWN, "$x < y^2$"),
        (f"<span class=katex-display>{SHOWN}</span>", "$$x < y^2$$"),
        (OF_WIKIPEDIA, "${a}+{b}$"),
        ('<math display="block" alttext="\\frac{a}{b}"><mi>a</mi></math>', r"$$\frac{a}{b}$$"),
        ('<math alttext="x to the n"><msup><mi>x</mi><mi>n</mi></msup></math>', "$x^{n}$"),
        ('<math alttext="n"></math>', "$n$"),
        (f"<math>{FRACTION}</math>", r"$\frac{a-1}{\sqrt{\mathrm{sin}b}}$"),
        ("<math><msubsup><mrow><mi>a</mi><mi>b</mi></mrow><mi>i</mi><mn>2</mn></msubsup></math>", "${ab}_{i}^{2}$"),
        (f"<math><mtable>{TABLE}</mtable></math>", r"$\begin{matrix} 1 & a \\ \text{if so} \end{matrix}$"),
        ("<math><mover><mi>B</mi><mo>→</mo></mover></math>", r"$\overset{→}{B}$"),
    ],
)
def test_a_formula_is_its_latex_once(markup: str, latex: str) -> None:
    assert formulas(markup) == [latex]
    assert tags_of(f"<p>Let {markup} be</p><p>two").all_text().split() == ["Let", *latex.split(), "be", "two"]


def test_an_element_around_formulas_stays() -> None:
    tags = tags_of("<div class=katex><p>All <math><mi>a</mi></math> and <math><mi>b</mi></math></div>")
    assert tags.all_text().split() == ["All", "$a$", "and", "$b$"]


def test_what_has_no_latex_stays_as_it_is() -> None:
    too_deep = f"<math>{'<mrow><mi>x</mi>' * 5000}{'</mrow>' * 5000}</math>"
    of_others = "<script>x</script><script type=text/javascript src=/math/tex.js>y</script>"
    empty = ("<math></math><script type=math/tex></script>", "<span class=katex><math></math>x</span>")
    assert [formulas(markup) for markup in (*empty, too_deep, of_others)] == [[]] * 4


def test_a_formula_within_another_is_part_of_it() -> None:
    assert formulas("<math><mi>x</mi><math><mi>y</mi></math></math><math><mi>z</mi></math>") == ["$xy$", "$z$"]


def test_a_script_that_nobody_closes_is_no_formula() -> None:
    words = "<p>one two three</p>" * 4_000
    assert formulas(f"<script type=math/tex>{words}") == []
    assert formulas(f"<script type=math/tex>{words[:200]}</script>") == [f"${words[:200]}$"]


def test_formulas_that_repeat_are_the_same() -> None:
    assert formulas("<math><mi>x</mi></math> and <math><mi>y</mi></math> " * 3) == ["$x$", "$y$"] * 3


def test_formulas_may_be_left_as_they_are() -> None:
    assert tags_of(f"<p>{MATHML}", keep_raw_text=True).named("math").size == 1


RENDERED_PARTS = [
    "<span class=katex>",
    "<span class=MathJax>b</span>",
    "</span>",
    "<mjx-container>",
    "</mjx-container>",
]
PIECES = [MATHML, "<script type=math/tex>a</script>", "<p>", "</p>", "text", "<br>", *RENDERED_PARTS]


@given(st.lists(st.sampled_from(PIECES)))
def test_the_tags_are_those_of_the_page_that_they_write(pieces: list[str]) -> None:
    tags = tags_of("<p>x" + "".join(pieces))
    again = Tags.of_markup(tags.source)
    assert again.source == tags.source
    for column in ("start", "stop", "opened", "closed", "key"):
        assert np.array_equal(getattr(tags, column), getattr(again, column)), column
    assert tags.origin.size == tags.start.size
