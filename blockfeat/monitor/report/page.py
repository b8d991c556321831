"""The report: one page of HTML with charts as SVG, that needs nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from html import escape
from importlib.resources import files
from typing import Any

from blockfeat import __version__
from blockfeat.lang.scripts import direction_of
from blockfeat.monitor.report.counts import Count, Selection, counts
from blockfeat.monitor.store.store import Store

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


_PARTS = ("counted", "in copies", "in clutter and comments")
_HOW_IT_COUNTS = (
    "Counted are mentions in articles, each article once: a copy of an article counts only as a copy, "
    "and what stands in menus, teasers, link lists and comments is no mention."
)
_MOST_BARS = 15
_MOST_SERIES = 6
_LATEST = 40
_LONGEST_SENTENCE = 300
_PAGES = "SELECT count(*) AS pages, coalesce(sum(CASE WHEN copy_of IS NULL THEN 0 ELSE 1 END), 0) AS copies FROM pages"


def report_page(store: Store, selection: Selection = Selection(), *, title: str = "Brand mentions") -> str:  # noqa: B008
    """Return a page with the counts of a store as plots and tables, and the latest mentions.

    Parameters
    ----------
    selection : Selection
        Which mentions.
    title : str
        Heading of the page.
    """
    style = files("blockfeat.monitor.report").joinpath("style.css").read_text(encoding="utf-8")
    body = "\n".join(_sections(store, selection))
    facts = "".join(f"<div><dt>{name}</dt><dd>{value:,}</dd></div>" for name, value in _facts(store, selection))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        f'<header><h1>{escape(title)}</h1><p class="about">{escape(_period(store, selection))}</p>'
        f"<dl>{facts}</dl></header>\n<main>\n{body}\n</main>\n"
        f"<footer><p>{_HOW_IT_COUNTS} blockfeat {__version__}.</p></footer>\n"
        "</body>\n</html>\n"
    )


def _facts(store: Store, selection: Selection) -> Iterator[tuple[str, int]]:
    """Yield the numbers at the head of the page."""
    (all_of_it,) = counts(store, (), selection)
    pages = store.query(_PAGES)[0]
    yield "mentions", all_of_it.mentions
    yield "articles that name a brand", all_of_it.articles
    yield "mentions in copies", all_of_it.with_copies - all_of_it.mentions
    yield "in clutter and comments", all_of_it.everything - all_of_it.with_copies
    yield "ruled out", all_of_it.ruled_out
    yield "pages seen", int(pages["pages"])
    yield "of these copies", int(pages["copies"])


def _period(store: Store, selection: Selection) -> str:
    condition, values = selection.condition()
    (found,) = store.query(
        f"SELECT min(day) AS first, max(day) AS last FROM mentions WHERE counted = 1 AND {condition}", values
    )
    if found["first"] is None:
        return "No mentions yet."
    return found["first"] if found["first"] == found["last"] else f"{found['first']} to {found['last']}"


def _sections(store: Store, selection: Selection) -> Iterator[str]:
    by_brand = sorted(counts(store, ("brand",), selection), key=_size)
    heading, plot = _over_time(store, selection, [str(count.values[0]) for count in by_brand])
    yield _section(heading, plot, wide=True)
    yield _section("By brand", _stacked(by_brand))
    places = sorted(counts(store, ("place",), selection), key=lambda count: -count.everything)
    rows = [(_label(count.values[0]), (count.everything,)) for count in places]
    yield _section("By place on the page, copies too", bars(rows, ("mentions",)))
    yield _section("Latest mentions", _latest(store, selection), wide=True)
    for name, heading in (("lang", "By language"), ("source", "By source")):
        yield _section(heading, _stacked(sorted(counts(store, (name,), selection), key=_size)))
    yield _section("Counts", _table(by_brand), wide=True)


def _section(heading: str, content: str, *, wide: bool = False) -> str:
    return f"<section{' class=wide' if wide else ''}><h2>{escape(heading)}</h2>{content}</section>"


def _size(count: Count) -> tuple[int, int, str]:
    return (-count.mentions, -count.everything, str(count.values[0] or ""))


def _label(value: str | None) -> str:
    """Return how a value is shown: addresses without their scheme."""
    return (value or "unknown").removeprefix("https://").removeprefix("http://")


def _legend(names: Sequence[str], colours: str) -> str:
    items = "".join(
        f'<li style="--colour: var(--{colours}-{number})">{escape(name)}</li>' for number, name in enumerate(names)
    )
    return f'<ul class="legend">{items}</ul>'


def _stacked(found: Sequence[Count]) -> str:
    """Return a bar for each row: what counts, what copies add, what clutter adds."""
    rows = [
        (
            _label(count.values[0]),
            (count.mentions, count.with_copies - count.mentions, count.everything - count.with_copies),
        )
        for count in found[:_MOST_BARS]
    ]
    more = f'<p class="none">and {len(found) - _MOST_BARS} more</p>' if len(found) > _MOST_BARS else ""
    return _legend(_PARTS, "part") + bars(rows, _PARTS) + more


def _over_time(store: Store, selection: Selection, brands: Sequence[str]) -> tuple[str, str]:
    """Return heading and plot of the mentions over time; brands after the sixth are taken together."""
    series: dict[str, dict[str, int]] = {brand: {} for brand in brands[:_MOST_SERIES]}
    rest: dict[str, int] = {}
    for count in counts(store, ("brand", "day"), selection):
        brand, day = str(count.values[0]), str(count.values[1])
        if count.mentions:
            numbers = series.get(brand, rest)
            numbers[day] = numbers.get(day, 0) + count.mentions
    if rest:
        series["other brands"] = rest
    if not any(series.values()):
        return "Mentions by day", '<p class="none">Nothing yet.</p>'
    step, steps, summed = in_steps(series)
    return f"Mentions by {step}", _legend(list(series), "series") + daily(steps, summed)


def _table(found: Sequence[Count]) -> str:
    heads = ("mentions", "with copies", "with clutter", "with both", "articles", "articles with copies", "ruled out")
    head = "".join(f'<th class="number">{name}</th>' for name in heads)
    rows = []
    for count in found:
        numbers = (
            count.mentions,
            count.with_copies,
            count.with_clutter,
            count.everything,
            count.articles,
            count.articles_with_copies,
            count.ruled_out,
        )
        cells = "".join(f'<td class="number">{number:,}</td>' for number in numbers)
        rows.append(f"<tr><td>{escape(_label(count.values[0]))}</td>{cells}</tr>")
    return f'<div class="scroll"><table><tr><th>brand</th>{head}</tr>{"".join(rows)}</table></div>'


def _latest(store: Store, selection: Selection) -> str:
    condition, values = selection.condition()
    columns = 'url, brand, place, lang, day, title, sentence, match, "from"'
    rows = store.query(
        f"SELECT {columns} FROM mentions WHERE counted = 1 AND {condition} AND url IN "
        f"(SELECT url FROM mentions WHERE counted = 1 AND {condition} GROUP BY url "
        f"ORDER BY max(coalesce(published, fetched_at)) DESC, url LIMIT {_LATEST}) "
        "ORDER BY coalesce(published, fetched_at) DESC, url, block, start",
        values,
    )
    if not rows:
        return '<p class="none">Nothing yet.</p>'
    # Each article stands once, with the first sentence that names a brand.
    articles: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        articles.setdefault(row["url"], []).append(row)
    drawn = "".join(map(_article, articles.values()))
    head = "".join(f"<th>{name}</th>" for name in ("day", "brand", "language", "place", "sentence"))
    return f'<div class="scroll"><table class="latest"><tr>{head}</tr>{drawn}</table></div>'


def _article(mentions: Sequence[Mapping[str, Any]]) -> str:
    row, more = mentions[0], len(mentions) - 1
    lang, url = row["lang"] or "", row["url"]
    sentence = _marked(row["sentence"], row["match"])
    title = escape(row["title"] or url)
    # Only what was fetched is linked, and that is http or https.
    link = f'<a href="{escape(url)}" rel="noreferrer">{title}</a>'
    text = "<br>".join(
        f'<span lang="{escape(lang)}" dir="{direction_of(lang, shown)}">{part}</span>'
        for part, shown in ((sentence, row["sentence"]), (link, row["title"] or url))
    )
    brands = ", ".join(dict.fromkeys(str(mention["brand"]) for mention in mentions))
    text += f'<br><span class="more">{more} more in the article</span>' if more else ""
    cells = (brands, lang, f"{row['place']}, in the feed" if row["from"] == "feed" else row["place"])
    return (
        f'<tr><td class="day">{escape(row["day"])}</td>'
        + "".join(f"<td>{escape(cell)}</td>" for cell in cells)
        + f'<td class="sentence">{text}</td></tr>'
    )


def _marked(sentence: str, match: str) -> str:
    """Return a sentence, cut around the name where it is long, with the name marked."""
    at = sentence.find(match)
    if at < 0:
        return escape(sentence[:_LONGEST_SENTENCE])
    start = max(0, at - _LONGEST_SENTENCE // 2)
    end = min(len(sentence), start + _LONGEST_SENTENCE)
    before, after = sentence[start:at], sentence[at + len(match) : end]
    left, right = "…" if start else "", "…" if end < len(sentence) else ""
    return f"{left}{escape(before)}<mark>{escape(match)}</mark>{escape(after)}{right}"
