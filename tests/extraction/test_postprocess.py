"""Every rule decides about the blocks of a page, says so, and decides nothing once it is left out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from blockfeat.extraction import postprocess
from blockfeat.extraction.options import DEFAULT_OPTIONS, ExtractionOptions
from blockfeat.extraction.postprocess import RULES, Choice
from blockfeat.models.model import Prediction
from blockfeat.page.page import Page
from blocks_of import blocks_of

SENTENCE = "The ferry to the island was late, and the people on the pier began to sing, as they do when it rains."
STANDFIRST = "The ferry to the northern islands leaves an hour later from Monday on, and the harbour master says why"
BODY = f"<p>{SENTENCE}</p>" * 3
ASKS = (
    "<p>We and our 842 partners store and access personal data, like browsing data, on your device.</p>"
    "<p>Selecting I Accept enables tracking technologies to support the purposes shown here.</p>"
    "<p>Your choices will have effect within this website, until you withdraw your consent in the menu.</p>"
)
CODE = "<p>Run <code>pump</code>, <code>tank</code> or <code>valve</code>.</p>"


@dataclass(frozen=True)
class Case:
    """A page, the blocks of it that are decided about, how likely the model takes it for content, and options."""

    html: str
    decided: tuple[int, ...]
    are_kept: bool
    odds: float = 5.0
    options: ExtractionOptions = DEFAULT_OPTIONS


CASES = {
    "named box": Case(f"<p>Aside</p><article>{BODY}</article><p>{SENTENCE}</p>", (0, 4), are_kept=False, odds=0.1),
    "standfirst": Case(f'<meta name=description content="{STANDFIRST}"><p>{STANDFIRST}</p>{BODY}', (0,), are_kept=True),
    "completed": Case(f"{BODY}<dl><dt>Oak<dd>{SENTENCE}<dt>Elm<dd>{SENTENCE}</dl>", (3, 5), are_kept=True),
    "technical text": Case(f"<main>{BODY}{CODE}<ul><li>one</ul></main>", (4,), are_kept=True),
    "section headings": Case(f"<main>{BODY}<h2>At night</h2>{BODY}</main>", (3,), are_kept=True),
    "options": Case(
        f"<h1>The ferry is late</h1>{BODY}", (0,), are_kept=False, options=ExtractionOptions(headline=False)
    ),
    "banners": Case(f"{BODY}<div id=klaro>{ASKS}</div>", (3, 4, 5), are_kept=False),
    "pointers": Case(f"{BODY}<p>Read also: <a href=/1>The keeper</a></p>{BODY}", (3,), are_kept=False),
    "code marks": Case(
        f"{BODY}<div><div>python</div><pre class=language-python>pump()</pre></div>", (3,), are_kept=False
    ),
}


def choice_of(case: Case) -> Choice:
    """Return what is kept of a case of which the model labels the blocks the other way."""
    page = Page.parse(f"<html lang=en><title>The ferry is late</title>{case.html}")
    blocks = blocks_of(page.data)
    kept = np.ones(len(blocks), dtype=np.bool_)
    kept[list(case.decided)] = not case.are_kept
    odds = np.full(len(blocks), case.odds)
    given = Prediction(odds, kept, log_odds=odds)
    title, options = page.title, case.options
    return postprocess.postprocess(blocks, given, page, title=title, options=options, model_kind="sequence")[0]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_rule_decides_and_says_why(rule: postprocess.Rule, monkeypatch: pytest.MonkeyPatch) -> None:
    case = CASES[rule.name]
    reason = f"kept: {rule.keeps}" if case.are_kept else f"dropped: {rule.drops}"
    found = choice_of(case)
    assert found.overruled == dict.fromkeys(case.decided, reason)
    assert set((found.kept == case.are_kept).nonzero()[0]) >= set(case.decided)
    monkeypatch.setattr(postprocess, "RULES", tuple(each for each in RULES if each is not rule))
    assert choice_of(case).overruled == {}


@pytest.mark.parametrize(("name", "side"), [(rule.name, rule.unless) for rule in RULES if rule.unless])
def test_some_rules_are_left_out_where_a_side_is_favoured(name: str, side: str) -> None:
    case = CASES[name]
    favoured = Case(case.html, case.decided, case.are_kept, case.odds, ExtractionOptions(favour=side))
    assert choice_of(favoured).overruled == {}
