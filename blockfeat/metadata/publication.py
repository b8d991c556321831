"""Which of several dates is that of publication, where the sources of a page contradict each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import date

from blockfeat.metadata.moment import Moment

Dated = tuple[Moment, str]
"""A moment and its source."""

# It is still yesterday in America before this hour of UTC, and tomorrow in the east of Asia from this one.
_WEST, _EAST = 8, 12


def choose_publication(
    declared: list[Dated], modified: list[Dated], url_day: date | None, seen: Callable[[], Iterable[Dated]]
) -> Dated | None:
    """Return the moment of publication of a page that declares any.

    The first that is declared counts, with three exceptions. Where sources contradict each other, the one counts that
    readers see. A date that is not before that of the last change is often a stamp of the system, and gives way to an
    earlier visible one. Of an instant in UTC, the day is that of the page where the page shows it.

    Parameters
    ----------
    declared, modified : list of (Moment, str)
        Declared moments of publication and of the last change.
    url_day : date or None
        The day in the address.
    seen : callable
        Returns the visible dates of publication, the nearest first. It is called only where declarations leave doubt,
        and read up to the first that agrees.
    """
    if not declared:
        return None
    days = {moment.day for moment, _ in declared}
    may_be_stamp = bool(modified) and declared[0][0].day >= modified[0][0].day and declared[0][0].day != url_day
    visible = _until(declared[0][0].day, seen()) if len(days) > 1 or may_be_stamp else []
    chosen = most_precise(_by_visible(declared, visible), declared)
    local = url_day or (visible[0][0].day if visible else None)
    if local is not None and _is_elsewhere(chosen[0], local):
        return _on_day(chosen[0], local), chosen[1]
    is_seen = any(moment.day == chosen[0].day for moment, _ in visible)
    if may_be_stamp and visible and not is_seen and visible[0][0].day < chosen[0].day:
        return visible[0]
    return chosen


def _until(day: date, seen: Iterable[Dated]) -> list[Dated]:
    """Return the visible dates up to the first of a day."""
    visible: list[Dated] = []
    for each in seen:
        visible.append(each)
        if each[0].day == day:
            break
    return visible


def _by_visible(declared: list[Dated], visible: list[Dated]) -> Dated:
    """Return the first declared date, or another declared one where readers see that and not the first."""
    seen = {moment.day for moment, _ in visible}
    return next((each for each in declared if each[0].day in seen), declared[0])


def _is_elsewhere(moment: Moment, local: date) -> bool:
    """Return whether a day may be the one of an instant in UTC in a zone where people live."""
    if moment.time is None or moment.instant is None or moment.time.utcoffset():
        return False
    ahead = (moment.day - local).days
    return (ahead == 1 and moment.time.hour < _WEST) or (ahead == -1 and moment.time.hour >= _EAST)


def _on_day(moment: Moment, local: date) -> Moment:
    """Return the same instant with the day that it has on the page."""
    return replace(moment, day=local, ahead=(moment.day - local).days)


def most_precise(first: Dated, given: list[Dated]) -> Dated:
    """Return a date, or a more precise one of the same day from another source."""
    for other in given:
        # In another zone the same instant may be of the day before or behind.
        days = 1 if other[0].instant is not None else 0
        if other[0].precision > first[0].precision and abs((other[0].day - first[0].day).days) <= days:
            first = other
    return first
