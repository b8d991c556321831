"""Golden columns: what the blocks of every demo page measured on the day they were written."""

import json

from golden_columns import FILE, fingerprints


def test_columns_are_those_of_the_golden_file() -> None:
    golden = json.loads(FILE.read_text(encoding="utf-8"))
    found = fingerprints()
    assert found.keys() == golden.keys()
    changed = {
        page: [name for name, value in columns.items() if golden[page][name] != value]
        for page, columns in found.items()
        if columns != golden[page]
    }
    assert not changed
