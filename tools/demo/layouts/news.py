"""A news site of today: teasers, a letter box in the text, a most-read list, inline scripts and drawings."""

from __future__ import annotations

from demo.layouts.pieces import (
    MODERN_FORMS,
    head,
    icon,
    json_ld,
    newsletter_box,
    noscript,
    parts_html,
    share_row,
    teaser_cards,
    tracking_script,
)
from demo.page import Page

__all__ = ["render"]

_BOXED_FORMS = {
    **MODERN_FORMS,
    "paragraph": '<div data-component="text-block"><p>{text}</p></div>',
    "heading": '<div data-component="subheadline"><h3><span>{text}</span></h3></div>',
    "quote": '<div data-component="quote-block"><blockquote><span>{text}</span></blockquote></div>',
}


def render(page: Page) -> str:
    """Render the page; every second site puts the side column first and the body into section elements."""
    main, aside = _main(page), _aside(page)
    columns = f"{aside}\n{main}" if page.site.variant % 2 else f"{main}\n{aside}"
    clutter = f"{json_ld(page, body=page.site.variant == 2)}\n{tracking_script(page)}"
    return f"""<!DOCTYPE html>
<html lang="{page.language.code}" prefix="og: https://ogp.me/ns#">
{head(page, _style(page), extra=clutter)}
<body {page.css("article-page")}>
{noscript(page)}
{_header(page)}
<div {page.css("layout")}>
{columns}
</div>
{_more(page)}
{_footer(page)}
{_consent(page)}
<script>document.querySelectorAll("[data-lazy]").forEach(function (e) {{ e.src = e.dataset.lazy; }});</script>
</body>
</html>
"""


def _style(page: Page) -> str:
    return f"""*{{box-sizing:border-box}}
body{{font:18px/1.55 "Source Serif",Georgia,serif;margin:0;color:#1b1b1b}}
header{{background:{page.site.colour};color:#fff;padding:12px 24px}}header a{{color:#fff}}
header li{{display:inline;margin-right:16px}}main,[role=main]{{max-width:680px;margin:24px auto}}
aside{{font-size:15px;max-width:680px;margin:auto}}
figure img{{width:100%;background:#ccc;height:240px}}[hidden]{{display:none}}
footer{{background:#eee;padding:24px}}"""


def _header(page: Page) -> str:
    items = "\n".join(f'<li><a href="/s{i}">{name}</a></li>' for i, name in enumerate(page.sections))
    breaking = page.teasers[-1]
    return f"""<header {page.css("header")}>
<a href="#content" {page.css("skip")}>{page.word("skip")}</a>
<button type="button" aria-expanded="false">{icon("menu")} {page.word("menu")}</button>
<a href="/" {page.css("logo")}>{page.text(page.site.name)}</a>
<nav aria-label="{page.word("menu")}">
<ul>
{items}
</ul>
</nav>
<form role="search" action="/search"><input type="search" name="q" placeholder="{page.word("search")}">
<button>{icon("search")}</button></form>
<a href="/login">{page.word("login")}</a>
<div {page.css("breaking")}><b>{page.word("live")}</b>
<a href="/s/71399">{page.text(breaking.title)}</a></div>
<div hidden aria-hidden="true"><p>{page.text(breaking.text)} {page.word("login")}!</p></div>
</header>"""


def _main(page: Page) -> str:
    article = page.article
    outer, inner = page.pick("main", "section"), page.pick("article", "div")
    role = "" if outer == "main" else ' role="main"'
    return f"""<{outer} id="content"{role}>
<{inner} {page.css("article")} itemscope itemtype="https://schema.org/NewsArticle">
<ol {page.css("breadcrumb")}>
<li><a href="/">{page.word("home")}</a></li>
<li><a href="/s1">{page.sections[1]}</a></li>
</ol>
<span {page.css("kicker")}>{page.text(article.tags[0])}</span>
<h1 itemprop="headline">{page.rich(article.title)}</h1>
<{page.pick("p", "div")} {page.css("standfirst")}>{page.rich(article.standfirst)}</{page.pick("p", "div")}>
<div {page.css("byline")}>{page.word("by")} <a href="/staff/7" rel="author">{page.text(article.author)}</a>
<time datetime="{article.date}">{page.date}</time> <span>{page.word("updated")}: 09:42</span></div>
{share_row(page)}
<div {page.css("body")} itemprop="articleBody">
{_body(page)}
</div>
{_after(page)}
</{inner}>
</{outer}>"""


def _body(page: Page) -> str:
    """Write the text, interrupted as such texts are: a letter box, an advertisement, a pointer."""
    parts = parts_html(page, _BOXED_FORMS if page.site.variant % 2 else MODERN_FORMS)
    pointer = page.teasers[0]
    parts.insert(
        len(parts) - 2,
        f"""<div {page.css("inline-teaser")}>
<span>{page.word("related")}</span>
<a href="/s/71400"><strong>{page.text(pointer.title)}</strong></a>
<p>{page.text(pointer.text)}</p>
</div>""",
    )
    parts.insert(
        len(parts) // 2,
        f"""<!-- ad slot: content_2 -->
<div {page.css("ad")} data-slot="content_2"><small>{page.word("advertisement")}</small>
<p>{page.text(page.advertisement["text"])}</p></div>""",
    )
    parts.insert(3, newsletter_box(page))
    return "\n".join(parts)


def _after(page: Page) -> str:
    article = page.article
    tags = "\n".join(f'<li><a href="/tag/{i}">{page.text(tag)}</a></li>' for i, tag in enumerate(article.tags))
    comments = "\n".join(
        f"<div {page.css('opinion')}><b>{page.text(comment['author'])}</b>\n<p>{page.text(comment['text'])}</p></div>"
        for comment in page.comments[:3]
    )
    return f"""<ul {page.css("tags")} aria-label="{page.word("tags")}">
{tags}
</ul>
<div {page.css("author-box")}>
<img src="/staff/7.webp" alt="{page.attribute(article.author)}" width="80" height="80">
<p><strong>{page.text(article.author)}</strong></p>
<p>{page.text(article.bio)}</p>
</div>
<section {page.css("opinions")}>
<h2>{page.word("comments")}</h2>
{comments}
<a href="/login">{page.word("login")}</a>
</section>"""


def _aside(page: Page) -> str:
    most_read = "\n".join(
        f'<li><a href="/s/{71400 + i}">{page.text(teaser.title)}</a></li>' for i, teaser in enumerate(page.teasers[1:5])
    )
    return f"""<aside {page.css("side")}>
<h2>{page.word("most_read")}</h2>
<ol>
{most_read}
</ol>
{teaser_cards(page, 2, 4)}
</aside>"""


def _more(page: Page) -> str:
    return f"""<section {page.css("more")}>
<h2>{page.word("related")}</h2>
{teaser_cards(page, 1, 5, heading="h4")}
</section>"""


def _footer(page: Page) -> str:
    links = "\n".join(
        f'<li><a href="/{name}">{page.word(name)}</a></li>'
        for name in ("contact", "imprint", "privacy", "terms", "archive")
    )
    return f"""<footer>
<ul>
{links}
</ul>
<p>&copy; {page.article.date[:4]} {page.text(page.site.name)}</p>
<p>{page.text(page.footer)}</p>
</footer>"""


def _consent(page: Page) -> str:
    paragraphs = "\n".join(f"<p>{page.text(text)}</p>" for text in page.cookie["text"])
    return f"""<div id="cmp" role="dialog" aria-label="{page.attribute(page.cookie["heading"])}">
<h2>{page.text(page.cookie["heading"])}</h2>
{paragraphs}
<button>{page.word("accept")}</button> <button>{page.word("reject")}</button>
<button>{page.word("settings")}</button>
</div>"""
