"""Which story an article belongs to: that of the article that is most like it, names its brands, and is as old."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import Connection, func, select

from blockfeat.monitor.store.records import PageRecord
from blockfeat.monitor.store.schema import mention, page
from blockfeat.monitor.stories import DAYS, OPENING, SIMILARITY, story_profile, story_similarity

_CANDIDATES = 40


def story_of(connection: Connection, number: int, original: int | None, record: PageRecord, moment: str) -> int | None:
    """Return the first article of the story that a page tells; None where it is the first, or names no brand.

    Parameters
    ----------
    number, original : int, int or None
        The page, and the page that it copies.
    moment : str
        When it was published, or found.
    """
    if original is not None:
        first: int | None = connection.scalar(
            select(func.coalesce(page.c.story, page.c.id)).where(page.c.id == original)
        )
        return first
    brands = {item.brand for item in record.mentions if item.counted}
    if not brands:
        return None
    near = datetime.fromisoformat(moment)
    since, until = ((near + timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ") for days in (-DAYS, DAYS))
    naming = select(mention.c.page_id).where(mention.c.brand.in_(brands), mention.c.counted)
    appeared = func.coalesce(page.c.published, page.c.first_seen)
    columns = (page.c.id, page.c.story, page.c.title, func.substr(page.c.text, 1, OPENING).label("opening"))
    query = (
        select(*columns)
        .where(page.c.id.in_(naming), page.c.id != number, appeared.between(since, until), page.c.lang == record.lang)
        .order_by(page.c.id.desc())
        .limit(_CANDIDATES)
    )
    rows = connection.execute(query).all()
    if not rows:
        return None
    own = story_profile(record.title or "", record.text, lang=record.lang)
    scored = (
        (story_similarity(own, story_profile(row.title or "", row.opening or "", lang=record.lang)), row)
        for row in rows
    )
    most, best = max(scored, key=lambda pair: pair[0])
    return int(best.story or best.id) if most >= SIMILARITY else None
