"""A guide: lists, listings and a table are content; the tree of pages and the contents list are not."""

from __future__ import annotations

from demo.layouts.pieces import MODERN_FORMS, head, part_html
from demo.page import Page

__all__ = ["render"]

_FORMS = {
    **MODERN_FORMS,
    "heading": '<h2 id="{name}">{text} <a aria-hidden="true" href="#{name}">#</a></h2>',
    "code": (
        '<div role="region"><button type="button">Copy</button>\n'
        '<pre tabindex="0"><code class="language-console">{text}</code></pre></div>'
    ),
}


def render(page: Page) -> str:
    """Render the page."""
    article = page.article
    parts = "\n".join(part_html(page, part, _FORMS) for part in article.parts)
    return f"""<!DOCTYPE html>
<html lang="{page.language.code}" data-theme="light">
{head(page, _style(page))}
<body>
{_top(page)}
<div id="columns">
{_tree(page)}
<main {page.css("content")}>
<div {page.css("crumbs")}><a href="/">{page.word("home")}</a> / <a href="/guide">{page.sections[0]}</a></div>
{page.pick("", _contents(page))}
<h1>{page.rich(article.title)}</h1>
<p>{page.rich(article.standfirst)}</p>
{parts}
{_feedback(page)}
</main>
{page.pick(_contents(page), "")}
</div>
{_footer(page)}
</body>
</html>
"""


def _style(page: Page) -> str:
    return f"""body{{font:16px/1.6 Inter,system-ui,sans-serif;margin:0}}
#columns{{display:flex;gap:32px;padding:24px}}
#tree{{width:220px;font-size:14px}}main{{flex:1;max-width:720px}}pre{{background:#f4f4f8;padding:12px;overflow:auto}}
a{{color:{page.site.colour}}}th,td{{border-bottom:1px solid #ddd;padding:6px;text-align:left}}"""


def _top(page: Page) -> str:
    return f"""<header>
<a href="/"><strong>{page.text(page.site.name)}</strong></a>
<select aria-label="version"><option>4.2</option><option>4.1</option><option>3.9</option></select>
<input type="search" placeholder="{page.word("search")}"> <a href="/login">{page.word("login")}</a>
<p {page.css("announce")}><a href="/s/1">{page.text(page.teasers[0].title)}</a>
{page.text(page.teasers[0].text)}</p>
</header>"""


def _tree(page: Page) -> str:
    """List the tree of pages, with this page's neighbours."""
    same_site = [other for other in page.language.articles if other.site == page.site.host]
    items = "\n".join(f'<li><a href="/guide/{other.slug}">{page.text(other.title)}</a></li>' for other in same_site)
    sections = "\n".join(f'<li><a href="/{i}">{name}</a></li>' for i, name in enumerate(page.sections[1:]))
    return f"""<nav id="tree" aria-label="{page.word("menu")}">
<ul>
{sections}
<li>{page.word("archive")}
<ul>
{items}
</ul></li>
</ul>
</nav>"""


def _contents(page: Page) -> str:
    headings = [part.line for part in page.article.parts if part.kind == "heading"]
    items = "\n".join(f'<li><a href="#{page.article.slug}">{page.text(heading)}</a></li>' for heading in headings)
    return f"""<div {page.css("toc")} role="navigation">
<b>{page.word("contents")}</b>
<ul>
{items}
</ul>
</div>"""


def _feedback(page: Page) -> str:
    comment = page.comments[0]
    return f"""<div {page.css("feedback")}>
<h4>{page.word("helpful")}</h4>
<button>{page.word("yes")}</button> <button>{page.word("no")}</button>
<p>{page.text(comment["author"])}: {page.text(comment["text"])}</p>
</div>
<div {page.css("pager")}>
<a href="/guide/1">&larr; {page.word("previous")}</a>
<a href="/guide/2">{page.word("next")} &rarr;</a></div>
<p {page.css("edited")}>{page.word("updated")}: {page.date}, {page.text(page.article.author)}</p>"""


def _footer(page: Page) -> str:
    newsletter = page.language.chrome["newsletter"]
    cookie = " ".join(page.cookie["text"])
    teasers = "\n".join(
        f"<li><b>{page.text(teaser.title)}</b><br>\n{page.text(teaser.text)}</li>" for teaser in page.teasers[1:3]
    )
    return f"""<footer>
<h5>{page.text(newsletter["heading"])}</h5>
<p>{page.text(newsletter["text"])}</p>
<ul>
{teasers}
</ul>
<p>{page.text(page.footer)}</p>
<p>&copy; {page.article.date[:4]} {page.text(page.site.name)} <a href="/terms">{page.word("terms")}</a></p>
</footer>
<div id="cookies" style="display:none">{page.text(cookie)}</div>"""
