"""Found articles for people: what stands around the place that fulfils a query."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_AROUND = 120


def snippet(row: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return what stands before a found place, the place, and what stands behind it, in one line each.

    Parameters
    ----------
    row : mapping
        An article as `blockfeat.monitor.store.search.search` returns it; of its places the first in the text is shown.
    """
    title, body = row["title"] or "", row["text"] or ""
    start, end = next((span for span in row["spans"] if span[0] > len(title)), row["spans"][0])
    whole = f"{title}\n{body}"
    begin, stop = max(0, start - _AROUND), min(len(whole), end + _AROUND)
    if start > len(title):
        begin = max(begin, whole.rfind("\n", 0, start) + 1)
    line_end = whole.find("\n", end)
    stop = min(stop, line_end if line_end >= 0 else len(whole))
    before, match, behind = whole[begin:start], whole[start:end], whole[end:stop]
    left = "…" if begin and whole[begin - 1] != "\n" else ""
    right = "…" if stop < len(whole) and whole[stop] != "\n" else ""
    return f"{left}{before}", match, f"{behind}{right}"
