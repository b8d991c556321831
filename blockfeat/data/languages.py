"""The language of labelled pages: by their record, or else identified."""

from __future__ import annotations

from collections.abc import Sequence

from blockfeat.data.corpus import LabelledPage, select_languages
from blockfeat.errors import BlockfeatError
from blockfeat.lang.identify import identify
from blockfeat.page.page import Page


def pages_of_languages(pages: Sequence[LabelledPage], langs: Sequence[str] | None) -> list[LabelledPage]:
    """Return the pages of some languages, by their ``lang`` or else identified; all for None or no language.

    Raises
    ------
    LanguageError
        There is no page of one of the languages; the message lists the languages that there are.
    """
    return select_languages(pages, langs or None, identify=identified_language)


def identified_language(page: LabelledPage) -> str | None:
    """Identify the language of a labelled page by its gold text, or by all of its text."""
    if page.text:
        return identify(page.text).lang
    try:
        parsed = Page.parse(page.html)
    except BlockfeatError:
        return None
    return identify(parsed.all_text(), declared=parsed.declared_lang).lang
