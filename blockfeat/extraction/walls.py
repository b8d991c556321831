"""Pages that a site shows instead of the one requested (errors, logins, bot checks, walls), and the phrases they have.

All such pages have little text; see docs/status.md. Phrases are in lower case, by kind in the data files of
``phrase_lists``, and compared with every run of white space as one space, from the start of a word on. Lines and boxes
beside the text are known by them too.
"""

from __future__ import annotations

import re
from dataclasses import KW_ONLY, dataclass
from functools import cache, cached_property

import numpy as np

from blockfeat._files import bundled_table
from blockfeat.blocks.element_codes import KEYS, TITLES, blocks_named
from blockfeat.blocks.table import Blocks, Mask
from blockfeat.extraction.signs import CONSENT, EDGE_CHARACTERS, PROSE_LINKS, Begins, Signs, begins_of
from blockfeat.models.model import Prediction
from blockfeat.page.json_ld import declared_free
from blockfeat.page.page import Page
from blockfeat.page.utf_8 import Marks

_START = re.compile(r"\A[\W_]+")
# Scripts from Thai on (Chinese, Japanese, Korean …) mostly do not part words; dashes and quotes between them do.
_UNSPACED = "[\u0e00-\u1dff\u2e80-\uffff]"
_NEVER = r"(?!)"
_LONGEST, _BEGUN = 100, 8


def has_any(kind: str, text: str) -> bool:
    """Return whether a text has a phrase of a kind: ``"error"``, ``"consent"``, ``"paywall"`` ….

    Linear in the length of the text.
    """
    return _says(kind, _plain(text))


def _says(kind: str, plain: str) -> bool:
    """Return whether one of some lines, each made plain, has a phrase of a kind: no phrase goes on in the next line."""
    return any(pattern.search(plain) for pattern in _patterns(kind, plain))


def begins_with(kind: str, text: str) -> bool:
    """Return whether a text begins with a phrase of a kind, after marks such as arrows and dashes."""
    by_begin = phrases_by_begin(kind)
    text = text if text[:1].isalnum() else _START.sub("", text)
    begin = text[:2]
    begin = begin.lower() if begin.isascii() and begin.isalnum() else _plain(text[:_BEGUN])[:2]
    # Most begin as no phrase does: of few more is made plain.
    return (len(begin) < 2 or begin in by_begin) and (plain := _plain(text[:_LONGEST])).startswith(
        by_begin.get(plain[:2], ())
    )


def phrases_in(kind: str, text: str) -> list[str]:
    """Return the phrases of a kind that occur in a text, each as often as it does."""
    plain = _plain(text)
    return [found[0] for pattern in _patterns(kind, plain) for found in pattern.finditer(plain)]


def _plain(text: str) -> str:
    return " ".join(text.lower().replace("’", "'").split())


def stands_in(kind: str, source: bytes) -> bool:
    """Return whether a phrase of a kind stands in UTF-8, if perhaps inside of a word: in most texts none does.

    True for kinds that have phrases of less than four bytes.
    """
    marks = _marks(kind)
    return marks is None or marks.are_in(source)


@cache
def _marks(kind: str) -> Marks | None:
    """Return the phrases of a kind as marks, a constant that is made at its first use; None where one is too short."""
    words = [phrase.encode() for phrase in _phrases(kind)]
    return Marks.of(words) if min(map(len, words)) >= Marks.SHORTEST else None


@cache
def consent_begins() -> Begins:
    """Return how phrases of consent begin, for `signs_of`; a constant that is made at its first use."""
    return begins_of(_phrases("consent"))


@cache
def _phrases(kind: str) -> tuple[str, ...]:
    """Return the bundled phrases of a kind, the longest first; a constant that is read at its first use."""
    table = bundled_table("blockfeat.extraction", f"phrase_lists/{kind}.toml")
    phrases = {phrase.replace("’", "'") for phrase in table["phrases"]}
    return tuple(sorted(phrases, key=len, reverse=True))


@cache
def phrases_by_begin(kind: str) -> dict[str, tuple[str, ...]]:
    """Return the phrases of a kind by their first two letters, a constant that is made at its first use."""
    phrases = _phrases(kind)
    return {begin: tuple(one for one in phrases if one[:2] == begin) for begin in {one[:2] for one in phrases}}


def _patterns(kind: str, text: str) -> tuple[re.Pattern[str], ...]:
    """Return the patterns of a kind that may occur in a text: of scripts with spaces, and those of the others."""
    if not stands_in(kind, text.encode("utf-8", "surrogatepass")):
        return ()
    spaced, unspaced = _compiled(kind)
    return (spaced, unspaced) if not text.isascii() and re.search(_UNSPACED, text) else (spaced,)


@cache
def _compiled(kind: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the patterns of all phrases with spaces and of the others, constants that are made at their first use."""
    spaced = [_atoms(phrase) for phrase in _phrases(kind) if not re.match(_UNSPACED, phrase)]
    unspaced = [_atoms(phrase) for phrase in _phrases(kind) if re.match(_UNSPACED, phrase)]
    # From the start of a word on, where words are parted.
    return re.compile(rf"\b{any_of(spaced)}"), re.compile(any_of(unspaced) or _NEVER)


def _atoms(phrase: str) -> tuple[str, ...]:
    """Return the pattern of each letter of a phrase; numbers are whole."""
    letters = tuple(map(re.escape, phrase))
    return (*letters, r"(?!\w)") if phrase[-1].isdigit() else letters


def any_of(phrases: list[tuple[str, ...]]) -> str:
    """Return a pattern of the longest of some phrases; letters that they share stand in it once.

    An alternation of whole phrases takes four times as long: it tries each at the start of every word.
    """
    after: dict[str, list[tuple[str, ...]]] = {}
    for phrase in phrases:
        if phrase:
            after.setdefault(phrase[0], []).append(phrase[1:])
    branches = [first + any_of(rest) for first, rest in after.items()]
    if len(branches) == 1 and () not in phrases:
        return branches[0]
    return f"(?:{'|'.join(branches)}){'?' if () in phrases else ''}" if branches else ""


def edges_of(kept: Mask) -> list[int]:
    """Return the first two and the last two blocks that are kept."""
    chosen = kept.nonzero()[0]
    return list(dict.fromkeys([*chosen[:2].tolist(), *chosen[-2:].tolist()]))


def asks_at_an_edge(blocks: Blocks, kept: Mask) -> bool:
    """Return whether one of the first or last kept blocks has a phrase of consent, as banners and walls have; cheap."""
    begins = (blocks.raw_text(edge)[:EDGE_CHARACTERS] for edge in edges_of(kept))
    return has_any("consent", " ".join(begins))


KINDS = (
    *("article", "other", "front page", "list", "consent wall", "paywall stub", "login", "bot check", "error page"),
    *("empty", "error"),
)
"""What a page can be; ``"error"`` where it could not be read."""
_BEGIN = 160
# Names of elements are in lower case in the markup, and the search for them is fast.
_PASSWORD = re.compile(rb"""<input\b(?i:[^<>]*\btype=["']?password)""")
_HIDDEN = re.compile(rb"<form\b[^<>]*(?:display:\s*none|\shidden\b)", re.IGNORECASE)
_LOGIN_ACTION = re.compile(
    rb'<form\b[^<>]*\b(?:action|id|class|name)="[^"<>]*(?:log-?_?[io]n|sign-?_?in|auth)', re.IGNORECASE
)
_MOST_WORDS_OF_ERRORS, _MOST_WORDS_BESIDE, _FEW_WORDS, _BARE = 120, 500, 40, 120
_LONGEST_LOGIN, _MOST_WORDS_OF_LOGINS, _MOST_PROSE_OF_LOGINS = 60, 80, 250
_MOST_WORDS_OF_CHECKS, _MOST_PROSE_OF_CHECKS, _MOST_BYTES_OF_CHECKS = 150, 300, 1 << 20
_MOST_PROSE_ALONE, _FEW_LINKS = 400, 12
_FEWEST_CONSENT, _CONSENT_SHARE, _WORDS_A_PHRASE, _MOST_BESIDE = 3, 0.4, 40, 60
# Metered sites declare whole short articles as not free.
_MOST_WORDS_OF_STUBS, _MOST_WORDS_OF_DECLARED_STUBS = 350, 120
_NEAR, _AROUND, _LONGEST_NOTE, _FEWEST_NOTES = 12, 80, 60, 2


@dataclass(frozen=True, eq=False)
class PageEvidence:
    """Evidence for the kind of a page.

    Attributes
    ----------
    blocks : Blocks
        The page's n blocks.
    prediction : Prediction
        Scores of the blocks, and which of them the model keeps.
    parsed : Page
        The page.
    signs : Signs
        Its words, by what is kept; see `blockfeat.extraction.signs.signs_of`.
    title : str or None
        Its title, in normal form where the options say so.
    """

    blocks: Blocks
    prediction: Prediction
    parsed: Page
    _: KW_ONLY
    signs: Signs
    title: str | None = None

    @property
    def kept(self) -> Mask:
        """The blocks that the model keeps."""
        return self.prediction.kept

    @cached_property
    def notice(self) -> str | None:
        """The kind of the page where its text is no content, of ``notices`` of ``rules.toml``; None for others."""
        return _notice(self) if self.parsed.has_markup else None

    @cached_property
    def likely(self) -> Mask:
        """The kept blocks that are more likely content than not: on pages in doubt models keep others too."""
        log_odds = self.prediction.log_odds
        return self.kept if log_odds is None else self.kept & (log_odds > 0)

    @cached_property
    def is_small(self) -> bool:
        """Whether the page has little text, or some and hardly any links."""
        if self.signs.likely <= _MOST_WORDS_OF_CHECKS and self.signs.prose <= _MOST_PROSE_OF_CHECKS:
            return True
        return self.signs.prose <= _MOST_PROSE_ALONE and len(self.blocks.anchors.start) <= _FEW_LINKS

    @cached_property
    def heads(self) -> str:
        """The title and the first main headings, each made plain, a line each."""
        blocks = self.blocks
        headings = blocks_named(blocks.container, blocks.containers.key, KEYS[TITLES])
        return "\n".join(map(_plain, (self.title or "", *map(blocks.text, headings[:3]))))

    @cached_property
    def begin(self) -> str:
        """The begin of what is likely, or else of what is kept, made plain."""
        chosen = self.likely if self.likely.any() else self.kept
        return _plain(" ".join(map(self.blocks.text, chosen.nonzero()[0][:3].tolist()))[:_BEGIN])

    @cached_property
    def whole(self) -> str:
        """All text of the page, including buttons and noscript elements."""
        return self.blocks.tags.all_text()

    @cached_property
    def has_password(self) -> bool:
        """Whether the page has a password field, other than in a hidden form: that is for browsers to fill in."""
        source = self.blocks.tags.source
        found = _PASSWORD.search(source)
        return found is not None and not _HIDDEN.match(source, max(source.rfind(b"<form", 0, found.start()), 0))


def refusal(page: PageEvidence) -> str | None:
    """Return the kind of a page that replaces the one requested, of notices or ``"paywall stub"``; else None."""
    return page.notice or ("paywall stub" if _is_paywall_stub(page) else None)


def _notice(page: PageEvidence) -> str | None:
    """Return the kind of a page that is a notice; where much text is kept, next to nothing is looked at."""
    if page.signs.likely > _MOST_WORDS_BESIDE:
        return "consent wall" if _is_consent_wall(page) else None
    if _is_login(page, by_title=True) or _is_login_beside_teasers(page):
        return "login"
    if page.is_small and _says("bot_check", page.heads):
        return "bot check"
    is_lost = _is_error_page(page)
    if not is_lost and _is_bare_check(page):
        return "bot check"
    if is_lost or _is_short_error(page):
        return "error page"
    if _is_consent_wall(page):
        return "consent wall"
    return "login" if _is_login(page) or _is_bare_login(page) else None


def _is_error_page(page: PageEvidence) -> bool:
    """Return whether title or main headings of a page of little text name a page that is not there.

    Where more is kept, such as teasers, only a title that begins so counts.
    """
    if page.signs.likely > _MOST_WORDS_OF_ERRORS:
        return page.signs.likely <= _MOST_WORDS_BESIDE and begins_with("error_page", page.title or "")
    return _says("error_page", page.heads)


def _is_short_error(page: PageEvidence) -> bool:
    """Return whether a page of hardly any text says in any words, in its begin too, that there is nothing."""
    if page.signs.likely > _FEW_WORDS:
        return False
    said = f"{page.heads}\n{page.begin}"
    return _says("error_page", said) or _says("error", said)


def _is_bare_check(page: PageEvidence) -> bool:
    """Return whether a page of hardly any text asks whether the reader is a person."""
    if not page.is_small or page.has_password:
        return False
    source = page.blocks.tags.source
    if stands_in("challenge", source):
        return True
    # Shops have forms with a captcha, too, and sell robots; a megabyte of markup is no check.
    if len(page.blocks.anchors.start) > _FEW_LINKS or len(source) > _MOST_BYTES_OF_CHECKS:
        return False
    is_bare = page.signs.prose <= _BARE
    if (is_bare or stands_in("captcha", source)) and has_any("bot_check", page.whole):
        return True
    return is_bare and _says("bot_word", f"{page.heads}\n{page.begin}")


def _is_login(page: PageEvidence, *, by_title: bool = False) -> bool:
    """Return whether a page of little text is a form to sign in, or asks to, by its title or its main headings too."""
    if page.signs.likely > _MOST_WORDS_OF_LOGINS or page.signs.prose > _MOST_PROSE_OF_LOGINS:
        return False
    if not _says("login", _plain(page.title or "") if by_title else page.heads):
        return False
    return page.has_password or page.signs.prose <= _BARE or _LOGIN_ACTION.search(page.blocks.tags.source) is not None


def _is_login_beside_teasers(page: PageEvidence) -> bool:
    """Return whether the short title of a page that asks for a password names a login, with teasers around it."""
    title = page.title or ""
    is_short = page.signs.likely <= _MOST_WORDS_BESIDE and len(title) <= _LONGEST_LOGIN
    return is_short and has_any("login", title) and page.has_password


def _is_bare_login(page: PageEvidence) -> bool:
    """Return whether a page of hardly any text asks for a password, or begins with words of a login."""
    is_bare = page.signs.likely <= _MOST_WORDS_OF_LOGINS and page.signs.prose <= _BARE
    return is_bare and (page.has_password or (page.signs.prose <= _FEW_WORDS and _says("login", page.begin)))


def _is_consent_wall(page: PageEvidence) -> bool:
    """Return whether most of a page's text asks for consent, and most of what is kept."""
    if not page.signs.bits & CONSENT or not asks_at_an_edge(page.blocks, page.kept):
        return False
    measures = page.blocks.measures
    beside = kept_asking = found = asking = total = 0
    kept = page.kept.nonzero()[0]
    counts = measures.words[kept]
    # First the shortest text that can decide alone: on most pages no other is read.
    order = np.where(counts > _MOST_BESIDE, counts - counts.max(initial=0), -counts + counts.max(initial=0)).argsort()
    for block, words in zip(kept[order].tolist(), counts[order].tolist(), strict=True):
        if len(phrases_in("consent", page.blocks.raw_text(block))) * _WORDS_A_PHRASE >= words:
            kept_asking += words
        else:
            beside += words
        if beside > _MOST_BESIDE:
            return False
    if beside > kept_asking:
        return False
    prose = (measures.anchor_words <= PROSE_LINKS * measures.words).nonzero()[0]
    for text, words in zip(page.blocks.raw_texts(prose), measures.words[prose].tolist(), strict=True):
        count = len(phrases_in("consent", text))
        found += count
        asking += min(words, count * _WORDS_A_PHRASE)
        total += words
    return found >= _FEWEST_CONSENT and asking >= _CONSENT_SHARE * total


def _is_paywall_stub(page: PageEvidence) -> bool:
    """Return whether a short text ends in a note that the rest is for subscribers."""
    if page.signs.likely > _MOST_WORDS_OF_STUBS:
        return False
    chosen = page.likely if page.likely.any() else page.kept
    if not chosen.any():
        # Openings of a sentence or two are often too little for the model.
        return page.signs.prose <= _MOST_PROSE_OF_CHECKS and _notes(page, 0, chosen.size) >= _FEWEST_NOTES
    if page.signs.likely <= _MOST_WORDS_OF_DECLARED_STUBS and declared_free(page.parsed.linked_data) is False:
        return True
    first, last = int(chosen.argmax()), chosen.size - 1 - int(chosen[::-1].argmax())
    before = _NEAR if page.signs.likely > _MOST_WORDS_OF_DECLARED_STUBS else _AROUND
    around = _notes(page, max(first - before, 0), last + _AROUND)
    # Behind a note stands next to nothing of the text.
    words = np.where(page.likely, page.blocks.measures.words, 0).cumsum()
    begin = max(first, int(words.searchsorted(words[-1] - _MOST_WORDS_OF_DECLARED_STUBS)))
    return around >= _FEWEST_NOTES or (around > 0 and _notes(page, begin, last + _NEAR) > 0)


def _notes(page: PageEvidence, first: int, end: int) -> int:
    """Return how many phrases of a paywall short blocks of a range have: what menus and teasers repeat is one."""
    short = (page.blocks.measures.words[first:end] <= _LONGEST_NOTE).nonzero()[0] + first
    return len({*phrases_in("paywall", " . ".join(page.blocks.raw_texts(short)))})
