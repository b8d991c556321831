"""Charts of the live page as SVG, without a style in them: the page's policy allows none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from markupsafe import Markup

_HEIGHT, _WIDTH = 100.0, 10.0
_GAP = 1.5


def columns(
    steps: Sequence[str], series: Mapping[str, Mapping[str, int]], before: Mapping[str, int], *, links: Sequence[str]
) -> Markup:
    """Return a stacked column for each step, and a line for the same steps one period earlier.

    Parameters
    ----------
    steps : sequence of str
        First day of each step.
    series : mapping
        Numbers by name and step; the classes ``series-0`` … give the colours.
    before : mapping
        Numbers one period earlier, by the step that they are compared with.
    links : sequence of str
        Where each column leads.
    """
    totals = [sum(numbers.get(step, 0) for numbers in series.values()) for step in steps]
    most = max([*totals, *before.values()], default=0)
    if not most:
        return Markup('<p class="none">No mentions in these days.</p>')
    drawn = []
    for number, (step, link) in enumerate(zip(steps, links, strict=True)):
        bottom, rects = _HEIGHT, []
        for place, numbers in enumerate(series.values()):
            height = _HEIGHT * numbers.get(step, 0) / most
            bottom -= height
            if height:
                rects.append(
                    f'<rect class="series-{place}" x="{number * _WIDTH + _GAP / 2:.2f}" y="{bottom:.2f}" '
                    f'width="{_WIDTH - _GAP:.2f}" height="{height:.2f}"/>'
                )
        parts = ", ".join(f"{name} {numbers[step]}" for name, numbers in series.items() if numbers.get(step))
        hint = f"{step}: {parts or 'none'}; before: {before.get(step, 0)}"
        area = f'<rect class="area" x="{number * _WIDTH:.2f}" y="0" width="{_WIDTH:.2f}" height="{_HEIGHT:.0f}"/>'
        drawn.append(f'<a href="{escape(link)}"><title>{escape(hint)}</title>{area}{"".join(rects)}</a>')
    line = " ".join(
        f"{(number + 0.5) * _WIDTH:.2f},{_HEIGHT - _HEIGHT * before.get(step, 0) / most:.2f}"
        for number, step in enumerate(steps)
    )
    return Markup(  # all that is filled in is escaped above
        f'<svg class="columns" viewBox="0 0 {len(steps) * _WIDTH:.0f} {_HEIGHT:.0f}" preserveAspectRatio="none" '
        f'role="group" aria-label="mentions over time, at most {most}">{"".join(drawn)}'
        f'<polyline class="before" points="{line}"/></svg>'
    )
