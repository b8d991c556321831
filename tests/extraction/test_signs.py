"""Signs prove that a rule changes nothing: where the bit of a rule is not set, it returns what it got."""

import re
import tomllib
from importlib.resources import files

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.extraction import signs
from blockfeat.extraction.options import DEFAULT_OPTIONS
from blockfeat.extraction.postprocess import RULES, Choice, Rule
from blockfeat.extraction.walls import asks_at_an_edge, begins_with, consent_begins
from blockfeat.models.model import Prediction
from blockfeat.page.page import Page
from blocks_of import blocks_of
from property_examples import examples
from uncompiled import load_uncompiled

_SENTENCE = "The ferry to the island was late, and the people on the pier began to sing, as they do when it rains."
_ASKS = "We and our 842 partners store cookies; withdraw your consent to personal data at any time."
_PARTS = (
    f"<p>{_SENTENCE}",
    f"<p>{_SENTENCE * 4}",
    "<p>Read also: <a href=/1>The keeper</a>",
    "<p><a href=/1>All ferries of the week</a>",
    "<h1>The ferry is late</h1>",
    "<h3>At night</h3>",
    f"<dl><dt>Oak<dd>{_SENTENCE}</dl>",
    "<table><tr><td>One<td>Two<tr><td>Three<td>Four</table>",
    f"<table><td>{_SENTENCE * 8}<tr><th>One<th>Two<tr><td>{_SENTENCE * 4}<td>Four</table>",
    f"<table><tr><td>One<td>Two<tr><td>{_SENTENCE * 4}<td><table><tr><td>1<td>2<tr><td>3<td>4</table></table>",
    "<div><div>python</div><pre class=language-python>pump()</pre></div>",
    "<p>Run <code>pump</code>, <code>tank</code> or <kbd>valve</kbd>.",
    f"<article><p>{_SENTENCE}</article>",
    f"<div id=klaro><p>{_ASKS}<p>{_ASKS}</div>",
)
_pages = st.lists(st.tuples(st.sampled_from(_PARTS), st.booleans(), st.floats(-9, 9)), min_size=1, max_size=14)


def _choice(parts: list[tuple[str, bool, float]]) -> Choice:
    """Return the choice of a page whose parts are kept or not, and as likely as is said."""
    head = f'<title>The ferry is late</title><meta name=description content="{_SENTENCE}">'
    page = Page.parse(f"<html lang=en>{head}<main>{' '.join(part for part, _, _ in parts)}</main>")
    blocks = blocks_of(page.data)
    kept, odds = (np.resize([part[place] for part in parts], len(blocks)) for place in (1, 2))
    prediction = Prediction(odds, kept, log_odds=odds)
    found = signs.signs_of(blocks, kept, odds, consent_begins())
    return Choice(blocks, prediction, page, DEFAULT_OPTIONS, page.title, kept, found, {})


# Doubt is a condition of its rule: it proves nothing.
@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.sign != signs.DOUBT], ids=lambda rule: rule.name)
@given(_pages)
@examples(60)
def test_a_rule_without_its_sign_changes_nothing(rule: Rule, parts: list[tuple[str, bool, float]]) -> None:
    choice = _choice(parts)
    if not choice.signs.bits & rule.sign:
        found = rule.apply(choice)
        assert np.array_equal(found.kept, choice.kept)
        assert not found.tables


@pytest.mark.parametrize("kind", ["read_also", "error_page"])
def test_a_text_begins_with_a_phrase_as_one_compared_with_each_would(kind: str) -> None:
    listed = tomllib.loads((files("blockfeat.extraction") / f"phrase_lists/{kind}.toml").read_text("utf-8"))["phrases"]
    phrases = [phrase.replace("’", "'") for phrase in listed]
    for text in (form for one in phrases for form in (one, f"{one}: X", one[1:], one[:-1], f"a {one}")):
        begin = re.sub(r"^[\W_]+", "", text.lower())
        assert begins_with(kind, f"→ {text}") == any(map(begin.startswith, phrases)), text


def test_every_phrase_of_consent_has_a_sign_in_any_case_and_at_any_edge() -> None:
    phrases = files("blockfeat.extraction").joinpath("phrase_lists/consent.toml").read_text("utf-8")
    for phrase in tomllib.loads(phrases)["phrases"]:
        for form in (phrase, phrase.upper(), phrase.title(), phrase.replace(" ", "<b> </b>")):
            blocks = blocks_of(f"<p>One<p>Two<p>Three<p>{'x ' * 60}({form})<p>Four".encode())
            found = signs.signs_of(blocks, np.ones(len(blocks), dtype=bool), None, consent_begins())
            assert found.bits & signs.CONSENT or not asks_at_an_edge(blocks, np.ones(len(blocks), dtype=bool)), form


@given(_pages)
@examples(60)
def test_words_are_those_of_arrays_compiled_or_not(parts: list[tuple[str, bool, float]]) -> None:
    choice = _choice(parts)
    kept, odds, measures = choice.kept, choice.prediction.log_odds, choice.blocks.measures
    assert odds is not None
    words = measures.words
    is_prose = measures.anchor_words <= 0.5 * words
    wanted = tuple(int(words[mask].sum()) for mask in (kept, kept & (odds > 0), is_prose))
    assert choice.signs[2:] == wanted
    likely = words / (1 + np.exp(-odds))
    found, both = 2 * likely[kept].sum(), words[kept].sum() + likely.sum()
    is_lost = found <= 2 * signs.MOST_FOUND * likely.sum()
    wanted_signs = {signs.DOUBT: found < signs.DOUBTFUL * both, signs.REST: found < signs.UNSURE * both and is_lost}
    assert {sign: bool(choice.signs.bits & sign) for sign in wanted_signs} == wanted_signs
    assert choice.signs.first == (int(kept.argmax()) if kept.any() else -1)
    plain = load_uncompiled("blockfeat.extraction.signs")
    assert tuple(plain.signs_of(choice.blocks, kept, odds, consent_begins())) == tuple(choice.signs)
    columns = choice.blocks.containers.columns
    held = [int(words[first:end][kept[first:end]].sum()) for first, end in columns[2:].T.tolist()]
    for module in (plain, signs):
        assert module.inside(choice.blocks, words, kept).tolist() == held
        most = np.array(held) <= 0.4 * words.sum()
        around = [any(most[(columns[2] <= block) & (columns[3] > block)]) for block in range(kept.size)]
        assert module.within(choice.blocks, most).tolist() == around
    for of_list in (False, True):
        headings = [module.section_headings(choice.blocks, kept, of_list=of_list) for module in (plain, signs)]
        assert np.array_equal(*headings)
    without = signs.signs_of(choice.blocks, kept, None, consent_begins())
    assert not without.bits & (signs.DOUBT | signs.STANDFIRST | signs.REST)
    assert without.likely == without.kept
