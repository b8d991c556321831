"""A demo site that shows what a monitor meets: a copy, a login, and a correction after the first look."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html import escape

from blockfeat.data.corpus import demo_pages
from examples.demo.sites import DOMAIN, DemoPage, DemoSite, corpus_sites

_NAME, _TITLE = "islandwire", "Island Wire"
_COPIED = "/2024/06/02/tolmet-bank-last-branch"
_DATE = datetime(2024, 7, 10, 6, tzinfo=UTC)
_STORY = (
    "Quillstack has opened a repair shop for old phones in the harbour of Ostermole, in what was the customs house.",
    "Islanders used to send a broken phone to the mainland and wait three weeks. Now the ferryman takes it across the "
    "street, and by the time his boat has been loaded it works again, or he knows that it never will.",
    "The shop is run by two sisters who learnt the trade from their grandfather. He repaired ships' radios, and still "
    "comes in every morning to say that these were better made.",
    "A spokesman of Quillstack said that five more shops are to folow before the winter.",
)
_LOGIN = f"""<!DOCTYPE html>
<html lang="en"><head><title>Log in | {_TITLE}</title></head><body><h1>Log in to read on</h1>
<p>What Quillstack plans next is for our subscribers.</p>
<form action="/login" method="post"><input type="email" name="user"><input type="password" name="password">
<button>Log in</button></form></body></html>
"""


def lesson_site() -> DemoSite:
    """Return the site: one article is a copy, one page asks to log in, one is corrected once it was read."""
    (copied,) = (page for site in corpus_sites() for page in site.pages if page.path == _COPIED)
    (labelled,) = (page for page in demo_pages() if page.title == copied.title)
    copy_path, story_path = "/agency/last-branch", "/2024/07/old-phones"
    title = "Old phones find a harbour"
    story = DemoPage(story_path, "en", title, "", _DATE, _page(title, _STORY, story_path), brands=("Quillstack",))
    corrected = (*_STORY[:-1], _STORY[-1].replace("folow", "follow"))
    later = replace(story, html=_page(title, corrected, story_path), date=_DATE + timedelta(hours=1))
    text = _page(copied.title, (labelled.text or "").split("\n\n")[1:], copy_path)
    return DemoSite(
        name=_NAME,
        title=_TITLE,
        lang="en",
        feed_kind="atom",
        pages=(
            DemoPage(copy_path, "en", copied.title, "", _DATE, text, brands=copied.brands),
            replace(story, corrected=later),
            DemoPage("/subscribers", "en", "For subscribers", "", _DATE, _LOGIN, around=("Quillstack",)),
        ),
    )


def _page(title: str, paragraphs: Sequence[str], path: str) -> str:
    text = "".join(f"<p>{escape(paragraph)}</p>\n" for paragraph in paragraphs)
    url = f"http://{_NAME}.{DOMAIN}{{port}}{path}"
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><title>{escape(title)} | {_TITLE}</title>'
        f'<link rel="canonical" href="{url}"></head><body><header><a href="/">{_TITLE}</a></header>'
        f"<main><article><h1>{escape(title)}</h1>\n{text}</article></main>"
        f"<footer><p>© {_TITLE}</p></footer></body></html>\n"
    )
