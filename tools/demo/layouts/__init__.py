"""Layouts of the demo: each turns a page's values into the HTML of a believable site of its kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from demo.layouts import blog, consent, discussion, howto, magazine, news, table2007, ticker
from demo.page import Page

__all__ = ["LAYOUTS"]

LAYOUTS: Mapping[str, Callable[[Page], str]] = {
    "table": table2007.render,
    "blog": blog.render,
    "news": news.render,
    "discussion": discussion.render,
    "consent": consent.render,
    "ticker": ticker.render,
    "howto": howto.render,
    "magazine": magazine.render,
}
