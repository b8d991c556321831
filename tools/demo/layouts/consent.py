"""A site that opens with a consent dialog in long prose, purpose by purpose, before the text begins."""

from __future__ import annotations

from demo.layouts.pieces import MODERN_FORMS, head, newsletter_box, noscript, parts_html, teaser_cards, tracking_script
from demo.page import Page

__all__ = ["render"]

_FORMS = {
    **MODERN_FORMS,
    "heading": "<h2><strong>{text}</strong></h2>",
    "quote": '<aside role="note"><p><q>{text}</q></p></aside>',
}


def render(page: Page) -> str:
    """Render the page."""
    article = page.article
    parts = parts_html(page, _FORMS)
    parts.insert(len(parts) // 2 + 1, _notice(page))
    body = "\n".join(parts)
    return f"""<!doctype html>
<html lang="{page.language.code}">
{head(page, _style(page), extra=tracking_script(page))}
<body>
{_dialog(page)}
{noscript(page)}
{_header(page)}
<main>
<h1>{page.rich(article.title)}</h1>
<p {page.css("intro")}><b>{page.rich(article.standfirst)}</b></p>
<p {page.css("meta")}><span>{page.text(article.author)}</span>, <time>{page.date}</time></p>
{body}
{newsletter_box(page)}
<div {page.css("author")}>{page.text(article.bio)}</div>
</main>
<div {page.css("teasers")}>
<h3>{page.word("related")}</h3>
{teaser_cards(page, 0, 4, heading="h4")}
</div>
{_footer(page)}
</body>
</html>
"""


def _style(page: Page) -> str:
    return f"""body{{font:17px/1.5 system-ui,sans-serif;margin:0}}
main,.wide{{max-width:700px;margin:auto;padding:16px}}
#consent{{background:#f3f6fa;border:2px solid {page.site.colour};padding:20px;margin:12px;font-size:14px}}
#bar{{background:{page.site.colour};padding:14px}}#bar a{{color:#fff;margin-right:14px}}
table{{font-size:12px}}"""


def _dialog(page: Page) -> str:
    chrome = page.language.chrome
    paragraphs = "\n".join(f"<p>{page.text(text)}</p>" for text in page.cookie["text"])
    purposes = "\n".join(
        f"""<div {page.css("purpose")}>
<h3>{page.text(purpose["title"])}</h3>
<label><input type="checkbox" name="p{i}"> {page.word("accept" if i else "reject")}</label>
<p>{page.text(purpose["text"])}</p>
</div>"""
        for i, purpose in enumerate(chrome["purposes"])
    )
    vendors = "\n".join(
        f"<tr><td>{page.text(vendor)}</td>\n<td>{(i * 37) % 390 + 1} d</td></tr>"
        for i, vendor in enumerate(chrome["vendors"])
    )
    return f"""<div id="consent" role="dialog" aria-modal="true" aria-labelledby="consent-title">
<h2 id="consent-title">{page.text(page.cookie["heading"])}</h2>
{paragraphs}
{purposes}
<table>
{vendors}
</table>
<button>{page.word("accept")}</button> <button>{page.word("reject")}</button>
<a href="/privacy">{page.word("privacy")}</a>
</div>"""


def _header(page: Page) -> str:
    links = "\n".join(f'<a href="/{i}">{name}</a>' for i, name in enumerate(page.sections))
    return f"""<div id="bar">
<a href="/"><b>{page.text(page.site.name)}</b></a>
{links}
<input type="text" value="{page.word("search")}">
</div>"""


def _notice(page: Page) -> str:
    """Put an advertisement and a pointer between two paragraphs."""
    teaser = page.teasers[4]
    return f"""<div {page.css("promo")}>
<small>{page.word("advertisement")}</small>
<p>{page.text(page.advertisement["text"])}</p>
<p><a href="/t">{page.text(teaser.title)}</a>: {page.text(teaser.text)}</p>
</div>"""


def _footer(page: Page) -> str:
    return f"""<footer {page.css("wide")}>
<p>{page.text(page.footer)}</p>
<p>&copy; {page.article.date[:4]} {page.text(page.site.name)} &ndash;
<a href="/imprint">{page.word("imprint")}</a> &ndash;
<a href="#consent">{page.word("settings")}</a></p>
</footer>"""
