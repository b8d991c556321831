"""Every format of small pages written for the project is what was looked at once."""

from pathlib import Path

import pytest
from lxml import etree

from golden_formats import outputs, pages
from tei_schema import validate_tei


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.stem)
def test_formats_are_those_of_the_golden_files(page: Path) -> None:
    for suffix, text in outputs(page).items():
        assert text == page.with_suffix(suffix).read_text(encoding="utf-8"), suffix
        if suffix == ".xml":
            validate_tei(etree.fromstring(text.encode()))
