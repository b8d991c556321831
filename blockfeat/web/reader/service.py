"""What the routes of the reader share: worker processes, kept pages, fetching."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

from blockfeat._tasks import Task
from blockfeat.errors import InputError, LimitExceeded
from blockfeat.io.http.fetch import fetch
from blockfeat.web.problems import Problem
from blockfeat.web.reader.kept import KeptPages, PageSource
from blockfeat.web.reader.loaded import LoadedExtractors, load_extractors, model_names
from blockfeat.web.reader.tasks import describe_models
from blockfeat.web.reader.workers import Turns, Workers
from blockfeat.web.settings import ServeSettings

Result = TypeVar("Result")
_FETCHES_AT_ONCE, _FETCHES_OF_ONE_CLIENT = 32, 8


@dataclass
class Service:
    """The reader without its routes.

    Attributes
    ----------
    settings : ServeSettings
        Limits.
    workers : Workers
        What extracts.
    kept : KeptPages
        Pages that are kept for the next request.
    fetches : Turns
        Who may fetch.
    models : list of dict
        Descriptions of the models that are offered.
    client : str
        Who asks; each request has a copy of the service with its client.
    """

    settings: ServeSettings
    workers: Workers[LoadedExtractors]
    kept: KeptPages
    names: tuple[str, ...]
    fetches: Turns
    models: list[dict[str, Any]] = field(default_factory=list)
    client: str = ""

    @classmethod
    def of(cls, settings: ServeSettings) -> Service:
        """Make a service that is not yet started.

        Raises
        ------
        ModelError
            A model file cannot be used.
        """
        from blockfeat.models.store import load_model

        sources = model_names(settings.models)
        for file in settings.models:
            load_model(file)
        workers = Workers(
            partial(load_extractors, sources, settings.max_bytes),
            jobs=settings.jobs,
            seconds=settings.deadline,
            waiting=settings.waiting,
        )
        kept = KeptPages(settings.kept_bytes, settings.kept_seconds)
        fetches = Turns(_FETCHES_AT_ONCE, _FETCHES_OF_ONE_CLIENT)
        return cls(settings, workers, kept, tuple(sources), fetches)

    def of_client(self, client: str) -> Service:
        """Return the same service for a client."""
        return replace(self, client=client)

    async def describe_models(self) -> list[dict[str, Any]]:
        """Return the descriptions of the models, made at first use."""
        if not self.models:
            self.models[:] = await self.do(partial(describe_models, names=self.names))
        return self.models

    async def do(self, task: Task[LoadedExtractors, Result]) -> Result:
        """Do a task in a worker process; see `Workers.do`."""
        return await self.workers.do(task, client=self.client)

    async def source(self, *, html: str | None = None, url: str | None = None, page: str | None = None) -> PageSource:
        """Return a page: as it was sent, kept, or fetched.

        Raises
        ------
        Problem
            The page is kept no longer (404).
        InputError
            The page is too large, or cannot be fetched.
        """
        if page is not None:
            found = self.kept.get(page)
            if found is None:
                raise Problem(404, f"page {page[:40]!r} is not kept any more; send it again")
            return found
        if html is not None:
            return self.checked(PageSource(html, url or None))
        if not url:
            raise InputError("an address is needed, such as https://www.example.org/")
        return await self.fetched(url)

    def checked(self, source: PageSource) -> PageSource:
        """Return a page; raise LimitExceeded for one that is too large."""
        if source.size > self.settings.max_bytes:
            raise LimitExceeded(
                f"the page has {source.size:,} bytes, more than the limit of {self.settings.max_bytes:,}"
            )
        return source

    async def fetched(self, url: str) -> PageSource:
        """Fetch a page; nothing of the client's request goes along."""
        from anyio import to_thread

        address = url.strip()
        if "://" not in address:
            # What people type.
            address = f"https://{address}"

        def fetch_page() -> PageSource:
            document = fetch(
                address,
                timeout=self.settings.fetch_deadline,
                max_bytes=self.settings.max_bytes,
                allow_private=self.settings.allow_private,
                networks=self.settings.networks,
            )
            return PageSource(document.data or b"", document.url or address, document.charset)

        async with self.fetches.turn(self.client):
            return await to_thread.run_sync(fetch_page, abandon_on_cancel=True)
