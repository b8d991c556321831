"""A blog engine: header, post, tags, share row, comments with a form, and a sidebar of widgets."""

from __future__ import annotations

from demo.layouts.pieces import MODERN_FORMS, head, noscript, parts_html, share_row
from demo.page import Page

__all__ = ["render"]

_PLAIN_FORMS = {
    **MODERN_FORMS,
    "heading": "<h3>{text}</h3>",
    "paragraph": '<p style="text-align: justify;">{text}</p>',
    "quote": '<blockquote class="wp-quote">{text}</blockquote>',
}


def render(page: Page) -> str:
    """Render the page; the sidebar stands before the post on every second site."""
    main, aside = _main(page), _sidebar(page)
    columns = f"{aside}\n{main}" if page.site.variant % 2 else f"{main}\n{aside}"
    return f"""<!DOCTYPE html>
<html lang="{page.language.code}">
{head(page, _style(page))}
<body class="single single-post postid-{910 + page.number}">
<a href="#main" style="position:absolute;left:-9999px">{page.word("skip")}</a>
<div id="wrap">
{_header(page)}
{columns}
{_footer(page)}
</div>
{_cookie(page)}
<!-- 43 queries in 0.318 seconds -->
</body>
</html>
"""


def _style(page: Page) -> str:
    return f"""body{{font:17px/1.6 Georgia,serif;margin:0;background:#f6f3ee}}
#wrap{{max-width:1040px;margin:auto;background:#fff;padding:24px}}
#masthead{{border-bottom:4px solid {page.site.colour}}}
#side{{float:right;width:250px;font-size:14px}}#main{{width:700px}}nav li{{display:inline;margin-right:14px}}
.screen-reader{{display:none}}"""


def _header(page: Page) -> str:
    items = "\n".join(f'<li><a href="/c/{i}/">{name}</a></li>' for i, name in enumerate(page.sections[:5]))
    return f"""<header id="masthead" role="banner">
<p {page.css("site-title")}><a href="/" rel="home">{page.text(page.site.name)}</a></p>
<nav role="navigation">
<h2 class="screen-reader">{page.word("menu")}</h2>
<ul>
{items}
</ul>
</nav>
{noscript(page)}
</header>"""


def _main(page: Page) -> str:
    article = page.article
    parts = "\n".join(parts_html(page, MODERN_FORMS if page.site.variant % 2 else _PLAIN_FORMS))
    standfirst = f"<p><strong>{page.rich(article.standfirst)}</strong></p>" if article.standfirst else ""
    wrapper = page.pick("div", "article")
    return f"""<div id="main" role="main">
<{wrapper} id="post-{910 + page.number}" {page.css("post")}>
<h1 {page.css("entry-title")}>{page.rich(article.title)}</h1>
<div {page.css("entry-meta")}>{page.date} &middot; {page.word("by")}
<a rel="author" href="/a/1">{page.text(article.author)}</a>
&middot; <a href="#comments">{len(page.comments)} {page.word("comments")}</a></div>
<div {page.css("entry")}>
<p><img src="/uploads/{article.slug}.jpg" alt="" width="680" height="420"></p>
{standfirst}
{parts}
</div>
{_after_post(page)}
</{wrapper}>
{_comments(page)}
</div>"""


def _after_post(page: Page) -> str:
    tags = ", ".join(f'<a rel="tag" href="/t/{i}">{page.text(tag)}</a>' for i, tag in enumerate(page.article.tags))
    related = "\n".join(
        f'<li><a href="/p/{i}">{page.text(teaser.title)}</a> <span>{page.text(teaser.text)}</span></li>'
        for i, teaser in enumerate(page.teasers[:2])
    )
    return f"""<div {page.css("tags")}>{page.word("tags")}: {tags}</div>
{share_row(page)}
<div {page.css("related")}>
<h3>{page.word("related")}</h3>
<ul>
{related}
</ul>
</div>
<div {page.css("adjacent")}>
<a href="/p/1">&laquo; {page.word("previous")}</a>
<a href="/p/2">{page.word("next")} &raquo;</a></div>"""


def _comments(page: Page) -> str:
    items = "\n".join(
        f"""<li id="comment-{i}" {page.css("comment")}>
<div {page.css("comment-author")}>
<img src="/avatar/{i}.png" alt="" width="40" height="40">
<cite>{page.text(comment["author"])}</cite></div>
<div {page.css("comment-text")}>
<p>{page.text(comment["text"])}</p>
</div>
<div><a href="#respond" rel="nofollow">{page.word("reply")}</a></div>
</li>"""
        for i, comment in enumerate(page.comments[:4])
    )
    return f"""<div id="comments">
<h3>{page.word("comments")}</h3>
<ol {page.css("thread")}>
{items}
</ol>
<form id="respond" action="/comment" method="post">
<p><label>{page.word("email")} <input name="email" type="text"></label></p>
<p><textarea name="comment" cols="50" rows="6"></textarea></p>
<p><input type="submit" value="{page.word("reply")}"></p>
</form>
</div>"""


def _sidebar(page: Page) -> str:
    months = "\n".join(
        f'<li><a href="/m/{i}">{page.text(m)}</a> (3)</li>' for i, m in enumerate(page.language.chrome["months"][:6])
    )
    latest = "\n".join(
        f'<li><a href="/p/{i}">{page.text(teaser.title)}</a></li>' for i, teaser in enumerate(page.teasers[2:5])
    )
    recent = "\n".join(
        f"<li>{page.text(comment['author'])}: {page.text(comment['text'])}</li>" for comment in page.comments[1:3]
    )
    return f"""<div id="side" role="complementary">
<div {page.css("widget")}><h4>{page.word("about")}</h4>
<p>{page.text(page.article.bio)}</p></div>
<div {page.css("widget")}><h4>{page.word("most_read")}</h4>
<ul>
{latest}
</ul></div>
<div {page.css("widget")}><h4>{page.word("comments")}</h4>
<ul>
{recent}
</ul></div>
<div {page.css("widget")}><h4>{page.word("archive")}</h4>
<ul>
{months}
</ul></div>
<div {page.css("widget")} aria-label="{page.word("advertisement")}">
<p><b>{page.text(page.advertisement["text"])}</b></p></div>
</div>"""


def _footer(page: Page) -> str:
    return f"""<footer role="contentinfo" style="clear:both">
<p>&copy; {page.article.date[:4]} {page.text(page.site.name)}. {page.text(page.footer)}</p>
<p><a href="/imprint">{page.word("imprint")}</a> <a href="/privacy">{page.word("privacy")}</a></p>
</footer>"""


def _cookie(page: Page) -> str:
    text = " ".join(page.cookie["text"])
    return f"""<div id="cookie-note" style="position:fixed;bottom:0;background:#222;color:#eee;padding:10px">
<span>{page.text(text)}</span> <a href="#" role="button">{page.word("accept")}</a>
</div>"""
