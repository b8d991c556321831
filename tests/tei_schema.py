"""The schema of the part of TEI P5 that is written."""

from functools import cache
from pathlib import Path

from lxml import etree

TEI = "{http://www.tei-c.org/ns/1.0}"


@cache
def _schema() -> etree.RelaxNG:
    return etree.RelaxNG(etree.parse(str(Path(__file__).with_name("tei_subset.rng"))))


def validate_tei(root: etree._Element) -> None:
    """Fail unless a document, or a corpus of them, is valid TEI P5."""
    schema = _schema()
    assert schema.validate(root), list(schema.error_log)
