"""Inputs of many kinds that are broken or hostile give their text, or a documented error."""

from blockfeat import Extractor
from tools.bad_inputs import cases


def test_bad_inputs_give_what_they_hold() -> None:
    extractor = Extractor.load("default")
    assert [f"{case.kind}: {case.name}" for case in cases() if not case.holds(extractor)] == []
