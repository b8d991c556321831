"""What an extraction says of its blocks, and the fingerprint of its text."""

import pickle
from dataclasses import FrozenInstanceError, fields, replace
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree, html

from blockfeat import Block, Extractor
from blockfeat.errors import InputError
from blockfeat.extraction.extraction import fingerprint, fingerprint_keys, fingerprint_similarity

PAGE = """<html lang="en"><body><h2>Tools</h2><ol><li>One <a href="/a">first  link</a> and
<a href="/b">second</a>.<ul><li>Inner</li></ul></li></ol><blockquote>Said</blockquote><pre>a
  b</pre><table><tr><td>cell</td></tr></table><figure><figcaption>Seen</figcaption></figure><p>Plain <a>no link</a></p>
</body></html>"""


def blocks(page: str = PAGE) -> tuple[Block, ...]:
    return Extractor.load("thresholds").extract(page).blocks


@pytest.mark.parametrize("model", ["default", "thresholds"])
def test_blocks_whose_values_are_made_when_they_are_read_are_blocks_as_others(model: str) -> None:
    def fresh() -> tuple[Block, ...]:
        return Extractor.load(model).extract(PAGE).blocks

    found, names = fresh(), [field.name for field in fields(Block)]
    plain = tuple(Block(**{name: getattr(block, name) for name in names}) for block in fresh())
    # One by one, the last first, in place of all at once.
    assert [found[place].reason for place in reversed(range(len(found)))] == [block.reason for block in plain][::-1]
    assert found == plain == fresh()
    assert (fresh()[2:4], pickle.loads(pickle.dumps(fresh()))) == (plain[2:4], plain)
    assert fresh()[0] != replace(fresh()[0], reason="another")
    assert not hasattr(fresh()[0], "role")
    with pytest.raises(FrozenInstanceError):
        fresh()[0].reason = ""  # type: ignore[misc]


def test_a_block_that_is_pickled_leaves_its_page_behind() -> None:
    long = Extractor.load("default").extract(PAGE.replace("</body>", "<p>" + "More words. " * 9000)).blocks
    assert len(pickle.dumps(long[0])) < 50_000


def test_kinds_levels_and_order() -> None:
    found = ", ".join(f"{block.kind} {block.level}{' ordered' if block.ordered else ''}" for block in blocks())
    lists = "list_item 1 ordered, list_item 2"
    assert found == f"heading 2, {lists}, quote 0, preformatted 0, table_cell 0, caption 0, paragraph 0"
    assert blocks()[4].text == "a\n  b"


def test_links_point_at_their_words_and_end_with_their_block() -> None:
    item = blocks()[1]
    found = [(item.text[link.start : link.end], link.href) for link in item.links]
    assert (found, blocks()[-1].links) == ([("first link", "/a"), ("second", "/b")], ())
    first = blocks("<p>Before <a href='/x'>inside<p>next</a> rest</p>")[0]
    assert [first.text[link.start : link.end] for link in first.links] == ["inside"]


def test_xpaths_find_the_elements_and_every_verdict_has_its_reason() -> None:
    root = html.fromstring(PAGE)
    for block in blocks():
        found = root.getroottree().xpath(block.xpath)
        assert isinstance(found, list)
        assert len(found) == 1
        assert isinstance(found[0], etree._Element)
        assert block.text.split()[0] in "".join(found[0].itertext())
        assert block.reason.startswith("kept" if block.kept else "dropped")
        if block.failed:
            assert "at most" in block.reason or "at least" in block.reason


TEXT = (
    "The harbour council met on Tuesday and agreed, after a long debate, to repair the old lighthouse before winter. "
    "Work begins in May, said the mayor, and the Nestlé café stays open; nobody spoke against it but the keeper's cat."
)


def found(text: str) -> str:
    made = fingerprint(text)
    assert made is not None
    return made


def test_the_value_of_a_text_never_changes_and_form_and_signs_do_not_count() -> None:
    assert found("One two three four five.").startswith("3ffd31b78a06c781a8ea9590cf0edf78")
    assert found(TEXT) == found(normalize("NFD", TEXT)) == found(TEXT.upper()) == found(TEXT.replace(" ", "\n  "))


def test_the_same_text_in_other_charsets_and_other_chrome() -> None:
    extractor = Extractor.load("default")
    body = "".join(f"<p>{TEXT} {number}.</p>" for number in range(4))
    plain = extractor.extract(f'<html lang="en"><body><article>{body}</article></body></html>'.encode())
    menu = "<nav><ul><li><a href=/>Home</a></li><li><a href=/b>News</a></li></ul></nav>"
    page = f'<html lang="en"><meta charset="iso-8859-1"><body>{menu}<article>{body}</article><footer>Imprint</footer>'
    other = extractor.extract(page.encode("iso-8859-1"))
    assert (plain.text, plain.fingerprint) == (other.text, other.fingerprint)


def test_near_copies_are_alike_and_other_texts_are_not() -> None:
    long = " ".join(f"{TEXT} {number}" for number in range(20))
    near = long.replace("Tuesday", "Friday", 2) + " One more line at the end."
    other = " ".join(f"Another text speaks of bread and ovens, of flour {number} and salt." for number in range(40))
    assert fingerprint_similarity(found(long), found(near)) > 0.7
    assert fingerprint_similarity(found(long), found(other)) < 0.15
    assert fingerprint_similarity(found(long), found(long)) == 1.0


@pytest.mark.parametrize("value", ["", "zz" * 64, "ab"])
def test_what_is_no_fingerprint_is_refused(value: str) -> None:
    with pytest.raises(InputError):
        fingerprint_similarity(value, found(TEXT))


@given(text=st.text())
def test_any_text_has_one_of_fixed_length_or_none_where_it_has_no_words(text: str) -> None:
    made = fingerprint(text)
    assert made is None or len(made) == 128
    assert (fingerprint(""), fingerprint(" … "), len(found("two words"))) == (None, None, 128)


def test_copies_share_all_keys_near_copies_one_and_others_none() -> None:
    words = [f"word{number}" for number in range(400)]
    whole = fingerprint_keys(found(" ".join(words)))
    assert len(whole) == len(set(whole)) == 10
    assert all(len(key.partition(":")[2]) == 12 for key in whole)
    assert fingerprint_keys(found(" ".join(words).upper())) == whole
    assert set(fingerprint_keys(found(" ".join([*words[:380], "and", "some", "more"])))) & set(whole)
    assert not set(fingerprint_keys(found(" ".join(f"other{number}" for number in range(400))))) & set(whole)
    assert fingerprint_keys(None) == ()
    with pytest.raises(InputError, match="128 digits, not 4"):
        fingerprint_keys("abcd")
    with pytest.raises(InputError, match="from 1 to 64 keys, not 65"):
        fingerprint_keys(found(TEXT), keys=65)
