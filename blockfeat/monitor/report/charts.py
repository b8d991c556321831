"""Plots for the report page: SVG whose bars are shares of the width, with labels that stay text at any width."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from html import escape

_HEIGHT = 160
# Each step with the longest span in days that it is taken for, and the first day of the step that a day is in.
_STEPS: tuple[tuple[str, float, Callable[[date], date]], ...] = (
    ("day", 92, lambda day: day),
    ("week", 730, lambda day: day - timedelta(days=day.weekday())),
    ("month", float("inf"), lambda day: day.replace(day=1)),
)


def bars(rows: Sequence[tuple[str, Sequence[int]]], parts: Sequence[str]) -> str:
    """Return horizontal bars, each stacked from parts.

    Parameters
    ----------
    rows : sequence of (str, sequence of int)
        Label and size of each part.
    parts : sequence of str
        Name of each part; the classes ``part-0``, ``part-1`` … give the colours.
    """
    most = max((sum(sizes) for _, sizes in rows), default=0)
    if not most:
        return '<p class="none">Nothing yet.</p>'
    drawn = []
    for label, sizes in rows:
        start, rects = 0.0, []
        for place, size in enumerate(sizes):
            width = 100 * size / most
            hint = f"{label}: {size} {parts[place]}"
            rects.append(
                f'<rect class="part-{place}" x="{start:.3f}%" width="{width:.3f}%" height="100%">'
                f"<title>{escape(hint)}</title></rect>"
            )
            start += width
        values = " + ".join(str(size) for size in sizes)
        drawn.append(
            f'<div class="row"><span class="label" title="{escape(label)}">{escape(label)}</span>'
            f'<svg class="bar" role="img" aria-label="{escape(label)}: {values}">{"".join(rects)}</svg>'
            f'<span class="value">{sizes[0]}</span></div>'
        )
    return f'<div class="bars">{"".join(drawn)}</div>'


def in_steps(series: Mapping[str, Mapping[str, int]]) -> tuple[str, list[str], dict[str, dict[str, int]]]:
    """Return numbers by day as numbers by day, week or month, as few columns as stay readable.

    Parameters
    ----------
    series : mapping of str to mapping
        Name of each series, and its number by day (``2026-11-22``); one day at least.

    Returns
    -------
    str, list of str, dict
        ``"day"``, ``"week"`` or ``"month"``; all steps from the first to the last, each by its first day; the series.
    """
    days = sorted({day for values in series.values() for day in values})
    first, last = date.fromisoformat(days[0]), date.fromisoformat(days[-1])
    span = (last - first).days
    step, start = next((name, begin) for name, most, begin in _STEPS if span <= most)
    all_days = (first + timedelta(days=number) for number in range(span + 1))
    steps = list(dict.fromkeys(start(day).isoformat() for day in all_days))
    summed: dict[str, dict[str, int]] = {}
    for name, values in series.items():
        summed[name] = {}
        for day, number in values.items():
            key = start(date.fromisoformat(day)).isoformat()
            summed[name][key] = summed[name].get(key, 0) + number
    return step, steps, summed


def daily(days: Sequence[str], series: Mapping[str, Mapping[str, int]]) -> str:
    """Return a column for each day or longer step, stacked from series.

    Parameters
    ----------
    days : sequence of str
        All steps that are shown, in order.
    series : mapping of str to mapping
        Name of each series, and its number by step.
    """
    totals = [sum(values.get(day, 0) for values in series.values()) for day in days]
    most = max(totals, default=0)
    if not most:
        return '<p class="none">Nothing yet.</p>'
    step, gap = 100 / len(days), 0.15
    rects = []
    for number, day in enumerate(days):
        bottom = float(_HEIGHT)
        for place, (name, values) in enumerate(series.items()):
            height = _HEIGHT * values.get(day, 0) / most
            if height:
                bottom -= height
                rects.append(
                    f'<rect class="series-{place}" x="{step * (number + gap / 2):.3f}%" y="{bottom:.2f}" '
                    f'width="{step * (1 - gap):.3f}%" height="{height:.2f}">'
                    f"<title>{escape(f'{day}, {name}: {values[day]}')}</title></rect>"
                )
    heights = (_HEIGHT * 0.005, _HEIGHT * 0.5)
    lines = "".join(f'<line x1="0" x2="100%" y1="{height:.1f}" y2="{height:.1f}"/>' for height in heights)
    middle = f"<span>{days[len(days) // 2]}</span>" if len(days) > 4 else ""
    last = f"<span>{days[-1]}</span>" if len(days) > 1 else ""
    return (
        f'<div class="plot"><div class="scale"><span>{most}</span><span>0</span></div>'
        f'<svg class="daily" height="{_HEIGHT}" role="img" aria-label="mentions over time">{lines}'
        f"{''.join(rects)}</svg>"
        f'<div class="days"><span>{days[0]}</span>{middle}{last}</div></div>'
    )
