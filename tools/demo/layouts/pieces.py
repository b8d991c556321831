"""Pieces that several layouts share: parts of an article, the head of a page, clutter."""

from __future__ import annotations

import json
from collections.abc import Mapping

from demo.article import Article, Part, gold_paragraphs, gold_text
from demo.page import Page

__all__ = [
    "MODERN_FORMS",
    "head",
    "icon",
    "json_ld",
    "newsletter_box",
    "noscript",
    "part_html",
    "parts_html",
    "share_row",
    "teaser_cards",
    "tracking_script",
]

MODERN_FORMS: Mapping[str, str] = {
    "paragraph": "<p>{text}</p>",
    "heading": "<h2>{text}</h2>",
    "quote": "<blockquote>\n<p>{text}</p>\n</blockquote>",
    "list": "<ul>\n{items}\n</ul>",
    "steps": "<ol>\n{items}\n</ol>",
    "item": "<li>{text}</li>",
    "code": "<pre><code>{text}</code></pre>",
    "table": "<table>\n{items}\n</table>",
    "caption": (
        '<figure role="group">\n<img src="/media/{name}-1280.webp" alt="" loading="lazy">'
        "\n<figcaption>{text}</figcaption>\n</figure>"
    ),
    "time": "<time>{text}</time>",
}


def parts_html(page: Page, forms: Mapping[str, str]) -> list[str]:
    """HTML of each part of the article, by templates for each kind of part."""
    return [part_html(page, part, forms) for part in page.article.parts]


def part_html(page: Page, part: Part, forms: Mapping[str, str]) -> str:
    """HTML of one part of the article."""
    form = forms[part.kind]
    if part.kind in {"list", "steps"}:
        items = [forms["item"].format(text=page.rich(line)) for line in part.lines]
        return form.format(items="\n".join(items))
    if part.kind == "table":
        rows = [_row(page, line, "td" if index else "th") for index, line in enumerate(part.lines)]
        return form.format(items="\n".join(rows))
    if part.kind == "code":
        return form.format(text=page.text("\n".join(part.lines)))
    return form.format(text=page.rich(part.line), name=page.article.slug)


def _row(page: Page, line: str, cell: str) -> str:
    cells = "\n".join(f"<{cell}>{page.rich(value)}</{cell}>" for value in line.split(" | "))
    return f"<tr>\n{cells}\n</tr>"


def head(page: Page, style: str, *, extra: str = "") -> str:
    """Write the head of a modern page, with the clutter that such heads hold."""
    article = page.article
    title = page.attribute(article.title)
    description = page.attribute(_description(article))
    return f"""<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} | {page.attribute(page.site.name)}</title>
<meta name="description" content="{description}">
<meta name="author" content="{page.attribute(article.author)}">
<meta property="og:title" content="{title}">
<meta property="og:description" content="{description}">
<meta property="og:type" content="article">
<meta property="og:url" content="{page.url}">
<meta property="article:published_time" content="{article.date}T06:00:00+00:00">
<link rel="canonical" href="{page.url}">
<link rel="preload" as="font" href="/static/fonts/serif-var.woff2" crossorigin>
<style>{style}</style>
{extra}
</head>"""


def _description(article: Article) -> str:
    """Return the standfirst, or the beginning of the text."""
    paragraphs = gold_paragraphs(article)
    return paragraphs[1][:180]


def json_ld(page: Page, *, body: bool = False) -> str:
    """Structured data as search engines ask for it; some sites put the whole text there."""
    article = page.article
    data = {
        "@context": "https://schema.org",
        "@type": "NewsArticle",
        "headline": article.title.replace("¬", ""),
        "datePublished": f"{article.date}T06:00:00+00:00",
        "author": [{"@type": "Person", "name": article.author}],
        "publisher": {"@type": "Organization", "name": page.site.name},
        "mainEntityOfPage": page.url,
    }
    if body:
        data["articleBody"] = gold_text(article).replace("\n", " ")
    return f'<script type="application/ld+json">{json.dumps(data, ensure_ascii=False)}</script>'


def tracking_script(page: Page) -> str:
    """Write an inline script such as every site carries."""
    section = page.attribute(page.language.chrome["sections"][1])
    return f"""<script>
window.dataLayer = window.dataLayer || [];
dataLayer.push({{"pageType": "article", "id": {48213 + page.number},
  "section": "{section}", "paywall": false}});
(function (d, s) {{ var j = d.createElement(s); j.async = true; j.src = "https://metrics.invalid/t.js";
  if (!/bot|crawl/i.test(navigator.userAgent)) {{ d.head.appendChild(j); }} }})(document, "script");
</script>"""


def icon(name: str) -> str:
    """Draw a small inline picture, with a title that is no content."""
    return (
        f'<svg width="18" height="18" viewBox="0 0 24 24" aria-hidden="true">'
        f"<title>{name}</title>"
        '<path d="M4 12h16M12 4v16" stroke="currentColor" fill="none"/></svg>'
    )


def share_row(page: Page) -> str:
    """Buttons for social networks that do not exist."""
    items = "\n".join(
        f'<li><a href="https://{name.lower()}.invalid/share?u={page.url}" rel="nofollow">{icon(name)}'
        f"<span>{name}</span></a></li>"
        for name in ("Chirrup", "Pinnbord", "Mail", "Link")
    )
    return f"""<div {page.css("share")} role="group" aria-label="{page.word("share")}">
<ul>
{items}
</ul>
</div>"""


def newsletter_box(page: Page) -> str:
    """Write the box that asks for an address, in the middle of the text."""
    newsletter = page.language.chrome["newsletter"]
    return f"""<div {page.css("letter")}>
<div {page.css("letter-head")}>{page.text(newsletter["heading"])}</div>
<p>{page.text(newsletter["text"])}</p>
<form action="/letter" method="post">
<label>{page.word("email")} <input type="email" name="address"></label>
<button type="submit">{page.word("subscribe")}</button>
</form>
</div>"""


def teaser_cards(page: Page, first: int, last: int, *, heading: str = "h3") -> str:
    """Cards of other stories: picture, title, and a full sentence or two."""
    return "\n".join(
        f"""<div {page.css("card")}>
<a href="/s/{71400 + index}"><img src="/media/teaser-{index}.webp" alt="" loading="lazy"></a>
<{heading}><a href="/s/{71400 + index}">{page.text(teaser.title)}</a></{heading}>
<p>{page.text(teaser.text)} <a href="/s/{71400 + index}">{page.word("more")}</a></p>
</div>"""
        for index, teaser in enumerate(page.teasers[first:last], start=first)
    )


def noscript(page: Page) -> str:
    """Tell readers without scripts what they miss."""
    return f"<noscript><div>{page.text(page.language.chrome['noscript'])}</div></noscript>"
