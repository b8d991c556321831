"""Fetching pages and feeds: robots.txt, turns at a host, redirects, retries."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import TYPE_CHECKING, Self

from blockfeat.io import http
from blockfeat.monitor.fetching.options import Fetched, FetchOptions
from blockfeat.monitor.fetching.politeness import Clock, HostTurns, RobotsRules, retry_at
from blockfeat.monitor.fetching.urls import netloc_of

if TYPE_CHECKING:
    import httpx2


_logger = logging.getLogger("blockfeat.monitor.fetching")
_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
_OF_A_PART = 0.1
_PERMANENT_REDIRECTS = frozenset({301, 308})
# Seconds that a host is left alone which answers 429 without saying for how long.
_QUIET_SECONDS = 300.0


class Fetcher:
    """Fetches over http and https; an asynchronous context manager.

    No cookies are kept beyond the redirects of one fetch; proxies and credentials of the environment are not used.

    Parameters
    ----------
    options : FetchOptions, optional
        Limits and politeness.
    clock : Clock, optional
        What waits for a host's turn; that of the machine by default.
    resolver : callable, optional
        ``(host, port)`` to IP addresses; the system's by default. What it returns is checked all the same.

    Raises
    ------
    InputError
        An entry of ``options.allow_networks`` is no network.
    """

    def __init__(
        self,
        options: FetchOptions | None = None,
        *,
        clock: Clock | None = None,
        resolver: http.Resolver = http.ask_resolver,
    ) -> None:
        self._options = options = options or FetchOptions()
        self._clock = clock or Clock()
        self._networks = tuple(map(http.parse_network, options.allow_networks))
        self._resolver = resolver
        self._turns = HostTurns(per_host=options.per_host, concurrency=options.concurrency, clock=self._clock)
        self._robots = RobotsRules(lambda url: self._with_retries(url, {}, "robots"), self._clock)
        self._client: httpx2.AsyncClient | None = None
        self._tried_again: set[str] = set()

    async def __aenter__(self) -> Self:
        """Open the pool of connections."""
        import httpx2

        options = self._options
        refuses_cookies = CookieJar(DefaultCookiePolicy(allowed_domains=[]))
        self._client = httpx2.AsyncClient(
            transport=http.checked_transport(
                max_bytes=options.max_bytes,
                networks=self._networks,
                max_connections=options.concurrency * 2,
                resolver=self._resolver,
            ),
            timeout=httpx2.Timeout(options.read_timeout, connect=options.connect_timeout, pool=None),
            headers={"User-Agent": options.agent_header},
            cookies=refuses_cookies,
            trust_env=False,
        )
        return self

    async def __aexit__(self, *error: object) -> None:
        """Close all connections."""
        await self._robots.aclose()
        if self._client is not None:
            await self._client.aclose()
        self._client = None

    def hold(self, host: str, until: float) -> None:
        """Leave a host alone until a time in epoch seconds, as an earlier run was asked to."""
        self._turns.hold(host, until)

    async def fetch(
        self, url: str, *, etag: str | None = None, last_modified: str | None = None, kind: str = "page"
    ) -> Fetched:
        """Fetch one address; what goes wrong stands in the answer, and nothing is raised.

        Parameters
        ----------
        url : str
            Address, http or https.
        etag, last_modified : str, optional
            Those of the last answer: an address that has not changed since answers 304.
        kind : str
            ``"page"``, ``"feed"`` or ``"part"``, what a page's scripts ask for. Robots.txt is not asked for feeds: they
            are there to be polled. Parts follow each other ten times as fast as pages.
        """
        conditions = {"If-None-Match": etag, "If-Modified-Since": last_modified}
        return await self._with_retries(url, {name: value for name, value in conditions.items() if value}, kind)

    async def _with_retries(self, url: str, headers: Mapping[str, str], kind: str) -> Fetched:
        import stamina

        options = self._options
        attempts = stamina.retry_context(
            on=_TryAgain,
            attempts=options.attempts,
            timeout=None,
            wait_initial=options.first_wait,
            wait_max=options.max_wait,
            wait_jitter=options.first_wait,
        )
        try:
            async for attempt in attempts:
                with attempt:
                    if attempt.num > 1:
                        self._say_once(netloc_of(url))
                    return await self._attempt(url, headers, kind)
        except _TryAgain as error:
            return self._given_up(error.fetched)
        raise AssertionError("stamina ends by an answer or by the last error")

    def _say_once(self, host: str) -> None:
        """Say once for each host that it is tried again."""
        if host not in self._tried_again:
            self._tried_again.add(host)
            _logger.warning("%s: tried again after failures that can pass", host, extra={"event": "tried again"})

    async def _attempt(self, url: str, headers: Mapping[str, str], kind: str) -> Fetched:
        """Fetch once; raise _TryAgain where another try may help."""
        chain = _Chain(url, self._options.timeout)
        try:
            answer = await self._follow(chain, headers, kind)
        except http.ExchangeError as error:
            if error.passing:
                raise _TryAgain(chain.broken(error)) from error
            return chain.broken(error)
        return self._judged(chain.fetched(answer, conditional=bool(headers)))

    async def _follow(self, chain: _Chain, headers: Mapping[str, str], kind: str) -> http.Answer:
        """Follow redirects one by one, so that each new address passes the same checks as the first."""
        assert self._client is not None, "a fetcher is used as an asynchronous context manager"
        request = http.get_request(self._client, chain.url, kind=kind, headers=headers)
        for _ in range(self._options.max_redirects + 1):
            chain.enter(request)
            answer = await self._hop(request, kind, chain)
            if answer.redirect is None:
                return answer
            request = answer.redirect
            chain.redirected(answer)
        raise http.ExchangeError(f"more than {self._options.max_redirects} redirects", permanent=True)

    async def _hop(self, request: httpx2.Request, kind: str, chain: _Chain) -> http.Answer:
        """Send one request when the host's robots.txt and its turn allow it."""
        assert self._client is not None
        host = netloc_of(chain.where)
        self._check_held(host)
        obeys_robots = kind in ("page", "part") and self._options.robots
        delay = max(await self._allowed_delay(chain.where) if obeys_robots else 0.0, self._options.delay)
        async with self._turns.turn(host, delay=delay * (_OF_A_PART if kind == "part" else 1.0)):
            self._check_held(host)
            started = time.monotonic()
            try:
                return await http.exchange(
                    self._client,
                    request,
                    kind=kind,
                    max_bytes=self._options.max_bytes,
                    seconds=self._options.timeout,
                    left=chain.left,
                    cookies=chain.cookies,
                )
            finally:
                chain.left -= time.monotonic() - started

    def _check_held(self, host: str) -> None:
        until = self._turns.held_until(host)
        if until is not None:
            shown = datetime.fromtimestamp(until, UTC).isoformat(timespec="seconds")
            raise http.ExchangeError(f"{host} is to be left alone until {shown}", retry_at=until)

    async def _allowed_delay(self, url: str) -> float:
        """Return the host's crawl delay; raise ExchangeError where its robots.txt does not allow the page."""
        rules = await self._robots.of(url)
        failure = rules.failure
        if failure is not None:
            reason = (failure.error or "").removeprefix(f"{failure.url}: ")
            if failure.permanent:
                raise http.ExchangeError(reason, permanent=True)
            reason = f"robots.txt of {netloc_of(url)} cannot be read: {reason}"
            until = self._clock.time() + rules.until - self._clock.monotonic()
            raise http.ExchangeError(reason, retry_at=until, is_fault=failure.is_fault)
        if not rules.allows(url, self._options.robots_token):
            raise http.ExchangeError("robots.txt does not allow it", permanent=True)
        return min(rules.crawl_delay(self._options.robots_token), self._options.max_delay)

    def _judged(self, fetched: Fetched) -> Fetched:
        """Return an answer, with the time of the next try if it names one; raise _TryAgain where one may help now."""
        if fetched.status not in _PASSING:
            return fetched
        until = retry_at(fetched.headers.get("retry-after"), now=self._clock.time())
        if until is None:
            raise _TryAgain(fetched)
        self._turns.hold(fetched.host, until)
        return replace(fetched, retry_at=until)

    def _given_up(self, fetched: Fetched) -> Fetched:
        """Return the answer of the last try; a host that answers 429 to the end is left alone for some minutes."""
        _logger.debug("given up: %s", fetched.error)
        if fetched.status != 429:
            return fetched
        until = self._clock.time() + _QUIET_SECONDS
        self._turns.hold(fetched.host, until)
        return replace(fetched, retry_at=until)


class _Chain:
    """The redirects of one fetch: where it stands, its cookies, the seconds left, where permanent redirects lead."""

    def __init__(self, url: str, seconds: float) -> None:
        import httpx2

        self.url = self.where = url
        self.left = seconds
        self.cookies = httpx2.Cookies()
        self._status: int | None = None
        self._moved: str | None = None
        self._all_permanent = True
        self._seen: set[tuple[str, str]] = set()

    def enter(self, request: httpx2.Request) -> None:
        """Check the address of the next request, and give it the cookies set on the way."""
        self.where = http.clean_address(request)
        if self._status is not None and self._all_permanent:
            self._moved = self.where
        # A cookie that cannot be sent is not sent.
        if self.cookies:
            with suppress(UnicodeError):
                self.cookies.set_cookie_header(request)
        state = (self.where, request.headers.get("cookie", ""))
        if state in self._seen:
            raise http.ExchangeError("its redirects lead in a circle", permanent=True)
        self._seen.add(state)

    def redirected(self, answer: http.Answer) -> None:
        """Note a redirect."""
        self._status = answer.status
        self._all_permanent = self._all_permanent and answer.status in _PERMANENT_REDIRECTS

    def broken(self, error: http.ExchangeError) -> Fetched:
        """Return what came of a fetch that ended without an answer."""
        at = "" if self.where == self.url or self._status is None else f"redirected to {self.where}: "
        return Fetched(
            url=self.url,
            final_url=self.where,
            status=self._status,
            error=f"{self.url}: {at}{error}",
            retry_at=error.retry_at,
            permanent=error.permanent,
            is_fault=error.is_fault,
            host=netloc_of(self.where),
        )

    def fetched(self, answer: http.Answer, *, conditional: bool) -> Fetched:
        """Return an answer with its error, if its status or its content type is one."""
        unchanged = answer.status == 304 and conditional
        return Fetched(
            url=self.url,
            final_url=self.where,
            status=answer.status,
            headers=answer.headers,
            data=b"" if answer.error else answer.data,
            charset=answer.charset,
            etag=answer.headers.get("etag"),
            last_modified=answer.headers.get("last-modified"),
            not_modified=unchanged,
            moved_permanently_to=self._moved if answer.is_success or unchanged else None,
            error=f"{self.url}: {answer.error}" if answer.error and not unchanged else None,
            permanent=bool(answer.refusal) or (301 <= answer.status < 500 and answer.status not in (304, *_PASSING)),
            host=netloc_of(self.where),
        )


class _TryAgain(Exception):
    """An answer that may be better at the next try."""

    def __init__(self, fetched: Fetched) -> None:
        super().__init__(fetched.error)
        self.fetched = fetched
