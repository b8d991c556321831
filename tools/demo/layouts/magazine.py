"""A magazine that writes no P: its paragraphs are DIVs with spans, and so is everything around them."""

from __future__ import annotations

from demo.layouts.pieces import head, json_ld, part_html
from demo.page import Page

__all__ = ["render"]


def render(page: Page) -> str:
    """Render the page."""
    article = page.article
    body = "\n".join(_body(page))
    title_role = page.pick('role="heading" aria-level="1"', 'style="font-size:44px"')
    return f"""<!DOCTYPE html>
<html lang="{page.language.code}">
{head(page, _style(page), extra=json_ld(page))}
<body>
<div {page.css("shell")}>
{_top(page)}
<div {page.css("story")} role="{page.pick("main", "presentation")}">
<div {page.css("title")} {title_role}><span>{page.rich(article.title)}</span></div>
<div {page.css("deck")}><span>{page.rich(article.standfirst)}</span></div>
<div {page.css("credit")}><span>{page.word("by")} {page.text(article.author)}</span>
<span>{page.date}</span></div>
{body}
</div>
{_bottom(page)}
</div>
</body>
</html>
"""


def _style(page: Page) -> str:
    return f"""body{{font:20px/1.6 "Cormorant",Garamond,serif;margin:0;background:#fbf8f3}}
body>div{{max-width:740px;margin:auto}}div{{margin-bottom:14px}}.cap{{font-size:60px;float:left;line-height:.9;color:{page.site.colour}}}"""


def _forms(page: Page) -> dict[str, str]:
    return {
        "paragraph": f"<div {page.css('line')}><span>{{text}}</span></div>",
        "heading": f"<div {page.css('break')}><span><b>{{text}}</b></span></div>",
        "quote": f"<div {page.css('voice')}><span><i>{{text}}</i></span></div>",
        "caption": f"<div {page.css('legend')}><img src='/i/{{name}}.avif' alt=''>\n<span>{{text}}</span></div>",
    }


def _body(page: Page) -> list[str]:
    """Write the text, its first letter set large, with an offer in the middle."""
    forms = _forms(page)
    parts = []
    for index, part in enumerate(page.article.parts):
        if index == 0:
            first, rest = part.line[0], part.line[1:]
            text = f'<span class="cap">{page.text(first)}</span>{page.rich(rest)}'
            parts.append(f"<div {page.css('line')}><span>{text}</span></div>")
        else:
            parts.append(part_html(page, part, forms))
    newsletter = page.language.chrome["newsletter"]
    parts.insert(
        len(parts) // 2,
        f"""<div {page.css("line")} data-kind="offer"><span><b>{page.text(newsletter["heading"])}</b></span>
<span>{page.text(newsletter["text"])}</span> <span role="button">{page.word("subscribe")}</span></div>""",
    )
    return parts


def _top(page: Page) -> str:
    links = "\n".join(f'<span><a href="/{i}">{name}</a></span>' for i, name in enumerate(page.sections[:6]))
    return f"""<div {page.css("crown")}><a href="/"><span>{page.text(page.site.name)}</span></a></div>
<div {page.css("links")}>
{links}
</div>"""


def _bottom(page: Page) -> str:
    stories = "\n".join(
        f"""<div {page.css("line")}><a href="/n/{i}"><span><b>{page.text(teaser.title)}</b></span></a>
<span>{page.text(teaser.text)}</span></div>"""
        for i, teaser in enumerate(page.teasers[:4])
    )
    voices = "\n".join(
        f"<div {page.css('letter')}><span>{page.text(comment['text'])}</span>\n"
        f"<i>{page.text(comment['author'])}</i></div>"
        for comment in page.comments[:4]
    )
    cookie = " ".join(page.cookie["text"])
    return f"""<div {page.css("person")}><span>{page.text(page.article.bio)}</span></div>
<div {page.css("next")}><span>{page.word("related")}</span>
{stories}
</div>
<div {page.css("letters")}><span>{page.word("comments")}</span>
{voices}
</div>
<div {page.css("offer")}><span>{page.text(page.advertisement["text"])}</span></div>
<div {page.css("small")}><span>{page.text(page.footer)}</span> <a href="/i">{page.word("imprint")}</a></div>
<div {page.css("small")}><span>{page.text(cookie)}</span>
<span role="button">{page.word("accept")}</span></div>"""
