from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.data.labels import ROLES
from blockfeat.errors import CorpusError
from blockfeat.web.labelling.journal import STATES, Change, LabelLog, PageLabels

changes = st.builds(
    Change,
    page=st.sampled_from("abc"),
    cut=st.just("cut"),
    roles=st.dictionaries(st.integers(0, 5), st.sampled_from([None, *ROLES]), max_size=4),
    state=st.sampled_from([None, *STATES]),
    at=st.integers(0, 1000).map(float),
)


@given(changes)
def test_a_change_comes_back_from_its_value(change: Change):
    assert Change.from_value(change.to_value()) == change


@pytest.mark.parametrize(
    "value",
    [{}, {"page": "a", "cut": "c", "roles": {"title": [1]}, "at": 0}, {"page": "a", "cut": "c", "roles": [], "at": 0}],
)
def test_what_is_no_change_is_an_error(value):
    with pytest.raises(CorpusError):
        Change.from_value(value)


@given(st.lists(changes, max_size=12), st.integers(0, 15))
def test_undo_goes_back_to_what_was_and_redo_forward_again(made: list[Change], steps: int):
    log = LabelLog()
    states = [{}]
    for change in made:
        log.apply(change)
        states.append(dict(log.pages))
    back = min(steps, len(made))
    undone = [log.undo() for _ in range(steps)]
    assert undone == [change.page for change in made[::-1][:back]] + [None] * (steps - back)
    there = {page: labels for page, labels in log.pages.items() if labels != PageLabels()}
    assert there == {page: labels for page, labels in states[len(made) - back].items() if labels != PageLabels()}
    assert [log.redo() for _ in range(back)] == [change.page for change in made[len(made) - back :]]
    assert log.pages == states[-1]
    assert not log.can_redo


def test_a_new_change_ends_what_could_be_redone():
    log = LabelLog()
    log.apply(Change("a", "cut", {0: "content"}))
    log.undo()
    log.apply(Change("a", "cut", {1: "content"}))
    assert log.redo() is None
    assert log.labels("a").roles == {1: "content"}


def test_roles_of_another_cut_are_forgotten_when_the_page_is_labelled_anew():
    log = LabelLog()
    log.apply(Change("a", "old", {0: "content", 7: "byline"}))
    log.apply(Change("a", "new", {1: "headline"}))
    assert log.labels("a").roles == {1: "headline"}
    log.undo()
    assert log.labels("a").roles == {0: "content", 7: "byline"}
