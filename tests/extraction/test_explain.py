"""Evidence of single blocks."""

from __future__ import annotations

from lxml import etree, html

from blockfeat import Block, Extractor

PAGE = """<html lang="en"><body><h2>Tools</h2><ol><li>One <a href="/a">first  link</a> and
<a href="/b">second</a>.<ul><li>Inner</li></ul></li></ol><blockquote>Said</blockquote><pre>a
  b</pre><table><tr><td>cell</td></tr></table><figure><figcaption>Seen</figcaption></figure><p>Plain <a>no link</a></p>
</body></html>"""


def blocks(page: str = PAGE) -> tuple[Block, ...]:
    return Extractor.load("thresholds").extract(page).blocks


def test_kinds_levels_and_order() -> None:
    found = [(block.kind, block.level, block.ordered) for block in blocks()]
    assert found == [
        ("heading", 2, False),
        ("list_item", 1, True),
        ("list_item", 2, False),
        ("quote", 0, False),
        ("preformatted", 0, False),
        ("table_cell", 0, False),
        ("caption", 0, False),
        ("paragraph", 0, False),
    ]


def test_links_point_at_their_words() -> None:
    item = blocks()[1]
    assert [(item.text[link.start : link.end], link.href) for link in item.links] == [
        ("first link", "/a"),
        ("second", "/b"),
    ]
    assert blocks()[-1].links == ()


def test_preformatted_text_keeps_its_lines() -> None:
    assert blocks()[4].text == "a\n  b"


def test_xpaths_find_the_elements() -> None:
    root = html.fromstring(PAGE)
    for block in blocks():
        found = root.getroottree().xpath(block.xpath)
        assert isinstance(found, list)
        assert len(found) == 1
        assert isinstance(found[0], etree._Element)
        assert block.text.split()[0] in "".join(found[0].itertext())


def test_every_verdict_has_its_reason() -> None:
    for block in blocks():
        assert block.reason.startswith("kept" if block.kept else "dropped")
        if block.failed:
            assert "at most" in block.reason or "at least" in block.reason


def test_a_link_across_blocks_is_cut_at_the_block() -> None:
    first = blocks("<p>Before <a href='/x'>inside<p>next</a> rest</p>")[0]
    assert [first.text[link.start : link.end] for link in first.links] == ["inside"]
