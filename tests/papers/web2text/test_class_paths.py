import pytest

from blockfeat.papers.web2text.class_paths import class_paths
from leaves_of import leaves_of


def paths(html):
    return class_paths(leaves_of(html).blocks).tolist()


@pytest.mark.parametrize(
    "pair",
    [
        ("<p>a</p>", "<p>b</p>"),
        ('<p class="one two">a</p>', '<p class="one two">b</p>'),
        ('<p id="x" class="k">a</p>', '<p class="k" title="y">b</p>'),
        ('<div class="k"><p>a</p></div>', '<div class="k"><p>b</p></div>'),
        (f'<p class="{"long" * 50}">a</p>', f'<p class="{"long" * 50}">b</p>'),
    ],
)
def test_same_paths(pair):
    one, two = paths("".join(pair))
    assert one == two


@pytest.mark.parametrize(
    "pair",
    [
        ("<p>a</p>", "<div>b</div>"),
        ('<p class="k">a</p>', "<p>b</p>"),
        ('<p class="k">a</p>', '<p class="l">b</p>'),
        ('<p class="abcdefgh1">a</p>', '<p class="abcdefgh2">b</p>'),
        ('<p class="1abcdefghijklmnopq">a</p>', '<p class="2abcdefghijklmnopq">b</p>'),
        ("<div><p>a</p></div>", "<p>b</p>"),
        ('<div class="k"><p class="l">a</p></div>', '<div class="l"><p class="k">b</p></div>'),
        ('<p class="k">a</p>', "<p title=' class=\"k\"'>b</p>"),
    ],
)
def test_different_paths(pair):
    one, two = paths("".join(pair))
    assert one != two


def test_the_place_on_the_page_does_not_matter():
    found = paths('<p>x class="k" y</p><div class="k">a<b>b</b>c</div><hr><div class="k">d</div>')
    assert found[1] == found[3] == found[4]
    assert found[2] not in (found[0], found[1])
