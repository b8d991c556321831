"""Documents are plain values."""

from __future__ import annotations

import dataclasses

import pytest

from blockfeat.page.document import Document


def test_only_id_and_data_are_needed() -> None:
    document = Document("a", b"<p>x")
    assert (document.url, document.lang, document.charset, document.error) == (None, None, None, None)


def test_a_document_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Document("a", b"").id = "b"  # type: ignore[misc]
