"""A live ticker: many entries with a clock, which are the content, and boxes between them, which are not."""

from __future__ import annotations

from demo.layouts.pieces import MODERN_FORMS, head, icon, newsletter_box, part_html, teaser_cards, tracking_script
from demo.page import Page

__all__ = ["render"]


def render(page: Page) -> str:
    """Render the page."""
    article = page.article
    entries = _entries(page)
    entries.insert(3, newsletter_box(page) if page.site.variant else _promotion(page))
    stream = "\n".join(entries)
    return f"""<!DOCTYPE html>
<html lang="{page.language.code}">
{head(page, _style(page), extra=tracking_script(page))}
<body>
{_header(page)}
<div {page.css("columns")}>
<div {page.css("stage")}>
<span {page.css("badge")}>{icon("live")} {page.word("live")}</span>
<h1>{page.rich(article.title)}</h1>
<p {page.css("standfirst")}>{page.rich(article.standfirst)}</p>
<div {page.css("meta")}>{page.text(article.author)} &middot; {page.date} &middot;
{page.word("updated")}: 23:59</div>
<label><input type="checkbox" checked> auto-refresh</label>
<{page.pick("div", "ol")} {page.css("stream")}>
{stream}
</{page.pick("div", "ol")}>
<button type="button">{page.word("more")}</button>
</div>
<div {page.css("rail")}>
<h2>{page.word("most_read")}</h2>
{teaser_cards(page, 1, 5)}
</div>
</div>
{_footer(page)}
</body>
</html>
"""


def _style(page: Page) -> str:
    return f"""body{{font:16px/1.5 Helvetica,Arial,sans-serif;margin:0;background:#f2f2f2}}
h1{{font-size:32px}}
body>div{{max-width:1000px;margin:auto;background:#fff;padding:16px}}time{{color:{page.site.colour};font-weight:bold}}
ol{{list-style:none;padding:0}}nav a{{padding:8px;color:{page.site.colour}}}"""


def _entries(page: Page) -> list[str]:
    """Group the parts of the article into entries; an entry begins with its clock."""
    outer = page.pick("div", "li")
    groups: list[list[str]] = []
    forms = {**MODERN_FORMS, "heading": "<h3>{text}</h3>"}
    if page.site.variant:
        forms["paragraph"] = "<div><span>{text}</span></div>"
    for part in page.article.parts:
        if part.kind == "time":
            groups.append([])
        groups[-1].append(part_html(page, part, forms))
    return [
        f"""<{outer} id="e{i}" {page.css("entry")} data-author="nf{i % 3}">
{_lines(group)}
<div {page.css("tools")}><a href="#e{i}">{icon("link")} {page.word("share")}</a></div>
</{outer}>"""
        for i, group in enumerate(groups)
    ]


def _lines(group: list[str]) -> str:
    return "\n".join(group)


def _promotion(page: Page) -> str:
    """Point to another story in what looks like an entry."""
    teaser = page.teasers[0]
    return f"""<div {page.css("entry")}>
<span>{page.word("advertisement")}</span>
<h3><a href="/s/9">{page.text(teaser.title)}</a></h3>
<p>{page.text(teaser.text)}</p>
<p>{page.text(page.advertisement["text"])}</p>
</div>"""


def _header(page: Page) -> str:
    links = "\n".join(f'<a href="/{i}">{name}</a>' for i, name in enumerate(page.sections))
    return f"""<div {page.css("masthead")}>
<a href="/">{page.text(page.site.name)}</a>
<nav>
{links}
</nav>
</div>"""


def _footer(page: Page) -> str:
    cookie = "\n".join(f"<p>{page.text(text)}</p>" for text in page.cookie["text"])
    return f"""<div {page.css("bottom")}>
<p>{page.text(page.footer)}</p>
<a href="/imprint">{page.word("imprint")}</a> <a href="/privacy">{page.word("privacy")}</a>
<div {page.css("cmp")}><strong>{page.text(page.cookie["heading"])}</strong>
{cookie}
<button>{page.word("accept")}</button></div>
</div>"""
