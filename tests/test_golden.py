"""Golden outputs: every bundled model on every demo page, as on the day they were written."""

import json

import pytest

from blockfeat.models import bundled_models
from golden_outputs import golden_file, outcomes


@pytest.mark.parametrize("model", bundled_models())
def test_outputs_are_those_of_the_golden_file(model: str) -> None:
    golden = json.loads(golden_file(model).read_text(encoding="utf-8"))

    found = dict(outcomes(model))

    changed = {page: (golden.get(page), value) for page, value in found.items() if golden.get(page) != value}
    assert not changed
    assert found.keys() == golden.keys()
