"""Style sheets without what could load or run."""

from __future__ import annotations

import re
import time

import pytest

from blockfeat.web.safe.markup import safe_declarations, safe_style_sheet


def test_harmless_styles_stay() -> None:
    css = "@media (max-width: 40em) { p > a:hover::before { content: '\\201C'; color: #fff; margin: 0 auto } }"
    assert safe_style_sheet(css) == css
    assert safe_declarations("color: red; width: calc(100% - 2px)") == "color: red; width: calc(100% - 2px)"


@pytest.mark.parametrize(
    "css",
    [
        "width: expression(alert(1))",
        "width: exp/**/ression(alert(1))",
        "width: e\\78pression(alert(1))",
        "width: e\\000078 pression (alert(1))",
        "background: url(javascript:alert(1))",
        "-moz-binding: url(x)",
        "behavior: url(x)",
        "b\\65havior: url(x)",
    ],
)
def test_active_declarations_go(css: str) -> None:
    assert safe_declarations(css) == ""


def test_imports_go_and_the_rest_stays() -> None:
    assert safe_style_sheet('@import "http://e.invalid/"; @IMPORT url(x);p{color:red}').strip() == "p{color:red}"
    assert safe_style_sheet('@\\69mport "http://e.invalid/";') == ""


def test_addresses_are_taken_out() -> None:
    css = "p{background:url(http://e.invalid/a.png)}b{background:url('data:image/png;base64,AA==')}"
    assert safe_style_sheet(css) == "p{background:none}b{background:url('data:image/png;base64,AA==')}"
    assert "http://e.invalid/a.png" in safe_style_sheet(css, loads=True)
    assert safe_style_sheet("p{background:url('http://e.invalid/", loads=True) == "p{background:none"
    assert safe_declarations("background: url(data:image/svg+xml,<svg/>)") == "background: none"


def test_an_end_tag_cannot_stand_in_a_sheet() -> None:
    assert "<" not in safe_style_sheet("p::before{content:'</style><script>'}")


@pytest.mark.parametrize(
    "css",
    [
        "background: u\\72l(http://e.invalid/a)",
        "filter: progid:DXImageTransform.Microsoft.AlphaImageLoader(src='http://e.invalid/a')",
        "background: \\75rl(http://e.invalid/a)",
        "background: image-set('http://e.invalid/a' 1x)",
        "background: -webkit-image-set('http://e.invalid/a' 1x)",
        "background: src('http://e.invalid/a')",
        "background: i\\6d age-set('http://e.invalid/a' 1x)",
    ],
)
def test_addresses_in_disguise_are_not_loaded(css: str) -> None:
    assert safe_declarations(css) in (
        "",
        "background: none('http://e.invalid/a' 1x)",
        "background: none('http://e.invalid/a')",
    )


def test_white_space_in_an_address_takes_no_quadratic_time() -> None:
    # Two minutes and more where each space is tried as the end of the first run of them.
    assert safe_declarations(f"background: url({' ' * 300_000}x)") == "background: none"


_HIDDEN = "u\\72l(http://e.invalid/x)"


@pytest.mark.parametrize(
    "css",
    [
        f"a:\\66 url(); background:{_HIDDEN}",
        f"a:\\66url(); background:{_HIDDEN}",
        f"a:furl(); b:\\66 image(); c:\\66 src(); background:{_HIDDEN}",
        f"--x: {_HIDDEN}; background: var(--x)",
        "background: \\69mage-set('http://e.invalid/x' 1x); a: \\66image-set()",
        "a:\\66 url(); background:u\\72l('http://e.invalid/x')",
        "a: url(x y); background: u\\000072\nl(http://e.invalid/x)",
        "background: -moz-image-set('http://e.invalid/x' 1x)",
    ],
)
def test_no_address_hides_behind_the_escapes_of_another_name(css: str) -> None:
    for safe in (safe_declarations(css), safe_style_sheet(f"p{{{css}}}")):
        assert not re.search(r"e\.invalid", re.sub(r"none\([^)]*\)", "", safe))


def test_what_only_looks_like_an_address_stays() -> None:
    css = "p::before{content:'url(http://e.invalid/x)'}"
    assert "{content:" in safe_style_sheet("p::before{content:'see e.example'}")
    assert "url(http" not in safe_style_sheet(css)


@pytest.mark.parametrize("css", ["a:\\66 url();", "(", "a{", "[(", '"\n', "\\72", "url(x y", "--x:{"])
def test_hostile_sheets_take_linear_time(css: str) -> None:
    seconds = []
    for times in (4_000, 16_000):
        began = time.process_time()
        safe_style_sheet(css * times)
        seconds.append(time.process_time() - began)
    assert seconds[1] < 12 * seconds[0] + 0.5
