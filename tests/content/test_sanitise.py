"""Style sheets without what could load or run."""

import pytest

from blockfeat.content.links import Base
from blockfeat.content.sanitise import Sanitiser
from cases import CASES
from timing import seconds_of


def _css(css: str, *, web: bool = False) -> str:
    """Return a style of a page that may load the pictures in it, or those of the web."""
    return Sanitiser(Base("https://news.example/a/"), pictures="web" if web else "embedded").css(css)


def test_harmless_styles_stay() -> None:
    css = "@media (width<=40em) { p > a:hover::before { content: '“'; color: #fff; margin: 0 auto } }"
    assert _css(css) == css
    assert _css(f'\n<!--@charset "utf-8";{css}b{{-ms-filter: "progid:A(b=c)"!important}}-->') == f"{css}b{{}}"
    assert _css("html { scroll-behavior: smooth }") == "html { scroll-behavior: smooth }"
    assert _css("color: red; width: calc(100% - 2px)") == "color: red; width: calc(100% - 2px)"


@pytest.mark.parametrize("css", CASES["active_declarations_go"])
def test_active_declarations_go(css: str) -> None:
    assert _css(css) == ""


def test_imports_go_and_the_rest_stays() -> None:
    assert _css('@import "http://e.invalid/"; @IMPORT url(x);p{color:red}').strip() == "p{color:red}"
    assert _css('@\\69mport "http://e.invalid/";') == ""


def test_what_runs_goes_and_what_stands_beside_it_stays() -> None:
    assert _css("color: red; width: expression(alert(1)); margin: 0") == "color: red; margin: 0"
    assert _css("p{color:red}b{-moz-binding:url(x)}i{color:blue}") == "p{color:red}b{}i{color:blue}"


def test_addresses_are_taken_out() -> None:
    css = "p{background:url(http://e.invalid/a.png)}b{background:url('data:image/png;base64,AA==')}"
    assert _css(css) == 'p{background:none}b{background:url("data:image/png;base64,AA==")}'
    assert 'url("http://e.invalid/a.png")' in _css(css, web=True)
    assert _css("background: url(../b.png)", web=True) == 'background: url("https://news.example/b.png")'
    assert "e.invalid" not in _css("p{background:url('http://e.invalid/a")
    assert _css("background: url(data:image/svg+xml,<svg/>)", web=True) == "background: none"
    assert _css("background: url(javascript:a)", web=True) == "background: none"


def test_an_end_tag_cannot_stand_in_a_sheet() -> None:
    assert "<" not in _css("p::before{content:'</style><script>'}")
    assert _css("<!-- p{color:red} -->").strip() == "p{color:red}"


@pytest.mark.parametrize("css", CASES["addresses_in_disguise_are_not_loaded"])
def test_addresses_in_disguise_are_not_loaded(css: str) -> None:
    assert "e.invalid" not in _css(css)


def test_an_escape_before_a_sign_does_not_part_it_from_its_name_and_control_characters_stay_escaped() -> None:
    written = [_css(f"a:{signs}") for signs in ("\\<url(http://e.invalid/x)", "\\\\<url(x)", "\\e t '\\\\\\9f';src(1)")]
    assert written == ["a:\\3c url(http://e.invalid/x)", "a:\\\\\\3c none", 'a:\\e t "\\\\\\9f ";']


def test_no_address_leaves_its_quotes() -> None:
    written = Sanitiser(Base(None)).css("b: url('#\\22);c:url(http://e.invalid/a'); d: image-set('a' 1x, \"b\" 2x)")
    assert written == 'b: url("#\\");c:url(http://e.invalid/a"); d: image-set(url("a") 1x, url("b") 2x)'


def test_white_space_in_an_address_takes_no_quadratic_time() -> None:
    # Two minutes and more where each space is tried as the end of the first run of them.
    assert _css(f"background: url({' ' * 300_000}x)") == "background: none"


_HIDDEN = "u\\72l(http://e.invalid/x)"


@pytest.mark.parametrize(
    "css",
    [
        "a:url(x'y); b:c; background:url(http://e.invalid/x) 'z'",
        "a:'\n; background:url(http://e.invalid/x); b:'c'",
        "a:\"b'c\n; background:url(http://e.invalid/x); d:'e'",
        "a:b/*'*/; background:url(http://e.invalid/x); c:'d'",
        "a:'b/*'; background:url(http://e.invalid/x); c:'*/'",
        f"a:\\66 url(); background:{_HIDDEN}",
        f"a:\\66url(); background:{_HIDDEN}",
        f"a:furl(); b:\\66 image(); c:\\66 src(); background:{_HIDDEN}",
        f"--x: {_HIDDEN}; background: var(--x)",
        "background: \\69mage-set('http://e.invalid/x' 1x); a: \\66image-set()",
        "a:\\66 url(); background:u\\72l('http://e.invalid/x')",
        "a: url(x y); background: u\\000072\nl(http://e.invalid/x)",
        "background: -moz-image-set('http://e.invalid/x' 1x)",
        "a: \\'; background:url(http://e.invalid/x); b: \\'",
        "a: \\/* ; background:url(http://e.invalid/x); b: */",
        f"a: \\!url(x y); b: \\32 url(x y); background:{_HIDDEN}",
    ],
)
def test_no_address_hides_behind_the_escapes_of_another_name(css: str) -> None:
    for safe in (_css(css), _css(f"p{{{css}}}")):
        assert "e.invalid" not in safe


def test_signs_that_are_escaped_in_names_leave_a_style_as_it_is() -> None:
    css = ".md\\:p-1\\/2,.\\32xl,.\\33  b{content:'a'}"
    assert _css(css) == css


def test_what_only_looks_like_an_address_stays() -> None:
    assert _css("p::before{content:'url(http://e.example/x)'}") == "p::before{content:'url(http://e.example/x)'}"


@pytest.mark.parametrize("css", ["a:\\66 url();", "(", "a{", "[(", '"\n', "\\72", "url(x y", "--x:{", "f(", "{(a:b)}"])
@pytest.mark.parametrize("around", ["{}", "p{{background:url(a)}}{}"])
def test_hostile_sheets_take_linear_time(css: str, around: str) -> None:
    small, large = (around.format(css * times) for times in (4_000, 16_000))
    assert seconds_of(lambda: _css(large)) < 12 * seconds_of(lambda: _css(small)) + 0.5


@pytest.mark.parametrize("text", ["« a » ", "&amp;a ", "\ra", "&lt;", "a\u00a0"])
def test_long_texts_take_linear_time(text: str) -> None:
    sanitised = Sanitiser(Base(None)).markup
    small, large = (f"<p>{text * times}</p>" for times in (20_000, 80_000))
    assert seconds_of(lambda: sanitised(large)) < 12 * seconds_of(lambda: sanitised(small)) + 0.5
    assert sanitised(small).replace("&nbsp;", "\u00a0") == small.replace("\r", "\n")
