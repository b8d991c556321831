"""What the experiments on time share: the pages that they read, and the CPU time that has gone by."""

from __future__ import annotations

import resource

from experiments.corpora import Corpora

__all__ = ["TIMED", "cpu_seconds", "sampled_bytes"]

TIMED = ("fundus", "daniel", "l3s-gn1", "wcxb-dev")
"""The corpora that are read."""


def sampled_bytes(corpora: Corpora) -> list[bytes]:
    """Return each n-th page of four corpora, as bytes."""
    return [page.html.encode("utf-8", "replace") for name in TIMED for page in corpora.sample(corpora.pages(name))]


def cpu_seconds() -> float:
    """Return the CPU time of this process and of those that it started and that have ended."""
    used = (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)
