"""Site profiles in the store, one for each host: what its last pages say."""

from __future__ import annotations

import logging

from sqlalchemy import Connection, Engine, select

from blockfeat.errors import InputError
from blockfeat.extraction.site_profile import SitePage, SiteProfile
from blockfeat.monitor.store.engine import insert_or
from blockfeat.monitor.store.schema import site

_logger = logging.getLogger("blockfeat.monitor.store")


def packed_profile(connection: Connection, host: str) -> str | None:
    """Return the profile of a host as `SiteProfile.to_bytes` gives it; None where there is none."""
    found: str | None = connection.scalar(select(site.c.profile).where(site.c.host == host))
    return found


def add_to_site(engine: Engine, connection: Connection, host: str, page: SitePage) -> None:
    """Add a page to the profile of its host; a profile of another model is begun anew."""
    packed = packed_profile(connection, host)
    profile = SiteProfile()
    if packed is not None:
        try:
            profile = SiteProfile.from_bytes(packed.encode(), where=f"the site profile of {host}")
        except InputError as error:
            _logger.warning("%s; it is begun anew", error, extra={"event": "site profile lost"})
    if profile.model not in (None, page.model):
        profile = SiteProfile()
    text = profile.add(page).to_bytes().decode()
    statement = insert_or(engine, site).values(host=host, profile=text)
    connection.execute(statement.on_conflict_do_update(index_elements=[site.c.host], set_={"profile": text}))
