"""The report as one HTML page that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from blockfeat import __version__
from blockfeat.monitor.report.charts import bars, daily, in_steps
from blockfeat.monitor.report.counts import Count, Selection, counts
from blockfeat.monitor.report.style import STYLE
from blockfeat.monitor.store.store import Store

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
    body = "\n".join(_sections(store, selection))
    facts = "".join(f"<div><dt>{name}</dt><dd>{value:,}</dd></div>" for name, value in _facts(store, selection))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
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
    yield "pages seen", int(pages["pages"])
    yield "of these copies", int(pages["copies"])


def _period(store: Store, selection: Selection) -> str:
    condition, values = selection.condition()
    (found,) = store.query(f"SELECT min(day) AS first, max(day) AS last FROM mentions WHERE {condition}", values)
    if found["first"] is None:
        return "No mentions yet."
    return found["first"] if found["first"] == found["last"] else f"{found['first']} to {found['last']}"


def _sections(store: Store, selection: Selection) -> Iterator[str]:
    by_brand = sorted(counts(store, ("brand",), selection), key=_size)
    heading, plot = _over_time(store, selection, [str(count.values[0]) for count in by_brand])
    yield _section(heading, plot, wide=True)
    yield _section("By brand", _stacked(by_brand))
    for name, heading in (("lang", "By language"), ("source", "By source")):
        yield _section(heading, _stacked(sorted(counts(store, (name,), selection), key=_size)))
    places = sorted(counts(store, ("place",), selection), key=lambda count: -count.everything)
    rows = [(_label(count.values[0]), (count.everything,)) for count in places]
    yield _section("By place on the page, copies too", bars(rows, ("mentions",)))
    yield _section("Counts", _table(by_brand), wide=True)
    yield _section("Latest mentions", _latest(store, selection), wide=True)


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
    heads = ("mentions", "with copies", "with clutter", "with both", "articles", "articles with copies")
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
        )
        cells = "".join(f'<td class="number">{number:,}</td>' for number in numbers)
        rows.append(f"<tr><td>{escape(_label(count.values[0]))}</td>{cells}</tr>")
    return f'<div class="scroll"><table><tr><th>brand</th>{head}</tr>{"".join(rows)}</table></div>'


def _latest(store: Store, selection: Selection) -> str:
    condition, values = selection.condition()
    columns = "url, brand, place, lang, day, title, sentence, match"
    rows = store.query(
        f"SELECT {columns} FROM mentions WHERE counted = 1 AND {condition} "
        f"ORDER BY coalesce(published, fetched_at) DESC, url, block, start LIMIT {_LATEST}",
        values,
    )
    if not rows:
        return '<p class="none">Nothing yet.</p>'
    drawn = "".join(map(_mention, rows))
    head = "".join(f"<th>{name}</th>" for name in ("day", "brand", "language", "place", "sentence"))
    return f'<div class="scroll"><table class="latest"><tr>{head}</tr>{drawn}</table></div>'


def _mention(row: Mapping[str, Any]) -> str:
    lang, url = row["lang"] or "", row["url"]
    sentence = _marked(row["sentence"], row["match"])
    title = escape(row["title"] or url)
    # Only what was fetched is linked, and that is http or https.
    link = f'<a href="{escape(url)}" rel="noreferrer">{title}</a>'
    text = "<br>".join(f'<span lang="{escape(lang)}" dir="auto">{part}</span>' for part in (sentence, link))
    cells = (row["brand"], lang, row["place"])
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
