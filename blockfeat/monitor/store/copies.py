"""Finding the original of a copy by keys that the store holds, across runs."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, delete, insert, or_, select

from blockfeat.monitor.config.settings import CopySettings
from blockfeat.monitor.copies import bands_of, containment, runs_of_words
from blockfeat.monitor.store.records import PageRecord
from blockfeat.monitor.store.schema import band, page

_CANDIDATES = 12
_SHORT, _SHORT_SIMILARITY = 250, 0.9


def original_of(connection: Connection, number: int, record: PageRecord, settings: CopySettings) -> int | None:
    """Return the page that a page is a copy of, the most alike of those in the store; None where it is an original."""
    if not record.bands:
        return None
    alike = or_(*((band.c.number == place) & (band.c.hash == key) for place, key in enumerate(record.bands)))
    shared = select(band.c.page_id).where(alike, band.c.page_id != number).distinct()
    # Originals only: a copy is no candidate, it is as near to its own original.
    query = (
        select(page.c.id, page.c.text)
        .where(page.c.id.in_(shared), page.c.copy_of.is_(None), page.c.text.is_not(None))
        .order_by(page.c.id)
        .limit(_CANDIDATES)
    )
    runs = runs_of_words(record.text)
    # Short texts that share a template are alike too, but not so much as copies are.
    least = max(settings.similarity, _SHORT_SIMILARITY) if runs.size < _SHORT else settings.similarity
    best, most = None, least
    for candidate in connection.execute(query).all():
        share = containment(runs, runs_of_words(candidate.text))
        if share > most or (best is None and share == most):
            best, most = candidate.id, share
    return best


def save_bands(connection: Connection, number: int, bands: Sequence[int]) -> None:
    """Replace the keys of a page."""
    connection.execute(delete(band).where(band.c.page_id == number))
    if bands:
        rows = [{"number": place, "hash": key, "page_id": number} for place, key in enumerate(bands)]
        connection.execute(insert(band), rows)


def renew_bands(connection: Connection) -> None:
    """Compute the keys of all pages that have some anew, after a change of how they are made."""
    numbers = connection.scalars(select(band.c.page_id).distinct()).all()
    for number in numbers:
        words = connection.scalar(select(page.c.text).where(page.c.id == number)) or ""
        save_bands(connection, number, bands_of(runs_of_words(words), min_words=1))
