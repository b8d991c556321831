"""A page around an article: menu, consent dialog, teasers, related stories, comments, footer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape


@dataclass(frozen=True, slots=True)
class Chrome:
    """What a site puts around each article, in its language."""

    title: str
    lang: str
    menu: tuple[str, ...]
    related: str
    comments: str
    comment: str
    footer: str
    consent: str
    accept: str
    teasers: tuple[str, ...]


def article_page(
    chrome: Chrome, *, title: str, paragraphs: Sequence[str], date: str, url: str, wall: bool = False, charset: str = ""
) -> str:
    """Return the HTML of an article.

    Parameters
    ----------
    url : str
        The address that the page names as its canonical one.
    wall : bool
        Put the consent dialog before everything else.
    charset : str
        What ``<meta charset>`` declares; "" for none.
    """
    direction = ' dir="rtl"' if chrome.lang == "ar" else ""
    meta = f'<meta charset="{charset}">' if charset else ""
    dialog = f"<p>{escape(chrome.consent)}</p><button>{escape(chrome.accept)}</button>"
    consent = f'<div class="consent" role="dialog">{dialog}</div>'
    menu = "".join(f'<li><a href="/{number}">{escape(word)}</a></li>' for number, word in enumerate(chrome.menu))
    text = "".join(f"<p>{escape(paragraph)}</p>\n" for paragraph in paragraphs)
    teasers = "".join(
        f'<li><a href="/t/{number}">{escape(word)}</a></li>' for number, word in enumerate(chrome.teasers)
    )
    return f"""<!DOCTYPE html>
<html lang="{chrome.lang}"{direction}><head>{meta}<title>{escape(title)} | {escape(chrome.title)}</title>
<link rel="canonical" href="{escape(url)}"><meta property="article:published_time" content="{date}"></head>
<body>{consent if wall else ""}
<header><a href="/">{escape(chrome.title)}</a><nav><ul>{menu}</ul></nav></header>
<main><article><h1>{escape(title)}</h1>
{text}</article>
<section class="comments"><h2>{escape(chrome.comments)}</h2><p>{escape(chrome.comment)}</p></section></main>
<aside class="related"><h2>{escape(chrome.related)}</h2><ul>{teasers}</ul></aside>
<footer><p>{escape(chrome.footer)}</p></footer>
{"" if wall else consent}</body></html>
"""
