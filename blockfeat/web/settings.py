"""What the service allows and how it is limited, as values."""

from __future__ import annotations

from dataclasses import dataclass

from blockfeat.errors import ConfigError
from blockfeat.io.http import Network


@dataclass(frozen=True)
class ServeSettings:
    """Settings of the service.

    Attributes
    ----------
    models : tuple of str
        Model files beside the bundled models, offered by their names without suffix.
    allowed_hosts : tuple of str
        Names under which the service may be asked for, beside ``localhost`` and IP addresses; ``"*"`` for any.
    allow_private : bool
        Fetch from addresses of this machine and of private networks too.
    networks : tuple of IPv4Network or IPv6Network
        Networks that are fetched from although they are not public.
    max_bytes : int
        Largest page and largest request, in bytes.
    deadline : float
        Seconds that one page may take; its worker process is then replaced.
    fetch_deadline : float
        Seconds that fetching a page may take.
    jobs : int
        Worker processes.
    waiting : int
        Most requests that wait for a worker; further ones are refused with 503.
    requests_per_minute : int
        Most requests of one client to what fetches or extracts; 0 for no limit. Further ones are refused with 429.
    connections_per_client : int
        Most connections of one client at a time; a trusted proxy has no limit.
    header_seconds : float
        Seconds in which the head of a request has to come.
    kept_bytes : int
        Room for pages that are kept for the next request, in bytes; the oldest go first.
    kept_seconds : float
        How long a page is kept after its last use.
    """

    models: tuple[str, ...] = ()
    allowed_hosts: tuple[str, ...] = ()
    allow_private: bool = False
    networks: tuple[Network, ...] = ()
    max_bytes: int = 5_000_000
    deadline: float = 20.0
    fetch_deadline: float = 20.0
    jobs: int = 2
    waiting: int = 200
    requests_per_minute: int = 240
    connections_per_client: int = 100
    header_seconds: float = 15.0
    kept_bytes: int = 64_000_000
    kept_seconds: float = 1800.0

    def __post_init__(self) -> None:
        """Check the ranges."""
        for name in (
            "max_bytes",
            "deadline",
            "fetch_deadline",
            "jobs",
            "connections_per_client",
            "header_seconds",
            "kept_seconds",
        ):
            if not getattr(self, name) > 0:
                raise ConfigError(f"'{name}' must be above 0, not {getattr(self, name)}")
        for name in ("waiting", "requests_per_minute", "kept_bytes"):
            if getattr(self, name) < 0:
                raise ConfigError(f"'{name}' must be 0 or more, not {getattr(self, name)}")
