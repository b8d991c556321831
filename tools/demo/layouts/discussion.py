"""A column with a long thread of comments, which holds more words than the column."""

from __future__ import annotations

from demo.article import gold_paragraphs
from demo.layouts.pieces import MODERN_FORMS, head, json_ld, parts_html, share_row
from demo.page import Page

__all__ = ["render"]


def render(page: Page) -> str:
    """Render the page; every second site writes plain DIVs where the others use elements of HTML5."""
    article = page.article
    wrapper = page.pick("article", "div")
    parts = "\n".join(parts_html(page, MODERN_FORMS))
    return f"""<!DOCTYPE html>
<html lang="{page.language.code}">
{head(page, _style(page), extra=json_ld(page))}
<body>
{_header(page)}
<{wrapper} {page.css("piece")}>
<p {page.css("rubric")}>{page.sections[-1]} &middot; {page.date}</p>
<h1>{page.rich(article.title)}</h1>
<p {page.css("lead")}><em>{page.rich(article.standfirst)}</em></p>
<p {page.css("signature")}>{page.word("by")} <a href="/authors/3">{page.text(article.author)}</a></p>
<div {page.css("text")}>
{parts}
</div>
</{wrapper}>
{_author(page)}
{_thread(page)}
{_elsewhere(page)}
{_footer(page)}
</body>
</html>
"""


def _style(page: Page) -> str:
    return f"""body{{font:19px/1.6 Charter,Georgia,serif;max-width:720px;margin:0 auto;padding:16px}}
h1{{color:{page.site.colour};font-size:40px;line-height:1.1}}nav a{{margin-right:12px;font-size:14px}}
li{{margin-bottom:10px}}ol ol{{border-left:3px solid #ddd;padding-left:16px}}
ol{{list-style:none;padding-left:0}}"""


def _header(page: Page) -> str:
    links = "\n".join(f'<a href="/r/{i}">{name}</a>' for i, name in enumerate(page.sections))
    return f"""<div {page.css("top")}>
<a href="/"><b>{page.text(page.site.name)}</b></a>
<nav>
{links}
</nav>
</div>"""


def _author(page: Page) -> str:
    return f"""{share_row(page)}
<div {page.css("bio")}>
<h4>{page.word("about")}</h4>
<p>{page.text(page.article.bio)}</p>
</div>"""


def _thread(page: Page) -> str:
    """All comments, each third one with an answer below it; the first quotes the text."""
    comments = list(page.comments)
    quoted = gold_paragraphs(page.article)[2]
    items: list[str] = []
    while comments:
        comment = comments.pop(0)
        quote = f"<blockquote>{page.text(quoted)}</blockquote>\n" if not items else ""
        answer = ""
        if len(items) % 3 == 1 and comments:
            answer = f"<ol>\n{_comment(page, comments.pop(0), len(items) + 100)}\n</ol>"
        items.append(_comment(page, comment, len(items), before=quote, after=answer))
    thread = "\n".join(items)
    return f"""<section id="thread" {page.css("thread")}>
<h2>{page.word("comments")} ({len(page.comments)})</h2>
<ol>
{thread}
</ol>
<button type="button">{page.word("more")}</button>
</section>"""


def _comment(page: Page, comment: dict[str, str], number: int, *, before: str = "", after: str = "") -> str:
    return f"""<li id="c{number}" {page.css("comment")}>
<div><b>{page.text(comment["author"])}</b>
<a href="#c{number}">{page.date}, {8 + number % 12}:{10 + number % 49}</a></div>
{before}<p>{page.text(comment["text"])}</p>
<div><button>+{(number * 7) % 23}</button>
<a href="#reply">{page.word("reply")}</a> <a href="#flag">{page.word("report")}</a></div>
{after}
</li>"""


def _elsewhere(page: Page) -> str:
    items = "\n".join(
        f'<p><a href="/x/{i}">{page.text(teaser.title)}</a><br>\n{page.text(teaser.text)}</p>'
        for i, teaser in enumerate(page.teasers[:4])
    )
    return f"""<div {page.css("elsewhere")}>
<h3>{page.word("related")}</h3>
{items}
</div>"""


def _footer(page: Page) -> str:
    cookie = " ".join(page.cookie["text"])
    return f"""<div {page.css("legal")}>
<p>{page.text(page.footer)}</p>
<p><a href="/imprint">{page.word("imprint")}</a> | <a href="/privacy">{page.word("privacy")}</a> |
<a href="/terms">{page.word("terms")}</a></p>
</div>
<div {page.css("notice")} style="font-size:13px">{page.text(cookie)}
<button>{page.word("accept")}</button></div>"""
