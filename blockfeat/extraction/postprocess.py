"""From the labels of a model to the text: rules and options in one ordered list; lists that replace a main text."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from blockfeat._files import bundled_table
from blockfeat._numeric import probabilities
from blockfeat.blocks.element_codes import DEFINITIONS, PREFORMATTED, TABLE, TECHNICAL, TITLES
from blockfeat.blocks.table import Blocks, Mask
from blockfeat.content.code import code_marks
from blockfeat.content.plain import DataTable, completed, data_tables
from blockfeat.extraction import rules, signs
from blockfeat.extraction.options import ExtractionOptions
from blockfeat.extraction.page_kind import JudgedPage, confidence_measures, expected_f1
from blockfeat.extraction.parts import find_headline, in_comments, with_parts
from blockfeat.extraction.walls import begins_with, consent_begins, phrases_by_begin
from blockfeat.models.model import Prediction
from blockfeat.models.site import REDESIGNED, SiteRule, blocks_at, blocks_in, places_of, with_rules
from blockfeat.page import utf_8
from blockfeat.page.page import Page
from blockfeat.page.tags import are_among

# Models after a paper keep what the paper's rule keeps.
_WITH_RULES = ("margin", "sequence")
_WITHOUT_MARKUP = "kept: the page has no markup, so all of it is text"


class Choice(NamedTuple):
    """The blocks chosen as the text of a page, and the data that rules use.

    Attributes
    ----------
    blocks : Blocks
        The page's n blocks.
    prediction : Prediction
        What the model keeps, and how likely it takes blocks for content.
    page : Page
        The page, for its address and descriptions.
    options : ExtractionOptions
        Which parts of a page belong to its text.
    title : str or None
        Its title, normalised where the options say so.
    kept : bool array, n
        Which blocks are kept so far.
    signs : Signs
        Which rules may change something about that.
    rule_reasons : mapping
        Why blocks are kept or dropped against the model's label, by block.
    tables : sequence of DataTable
        The data tables among the blocks of ``tables_of``.
    tables_of : bool array, n, optional
        Blocks that were kept when the tables were looked for.
    uncompleted : bool array, n, optional
        Blocks that were kept when the parts of the text had been found, before it was completed.
    warning : str or None
        The warning of a page without a main text.
    is_list : bool
        Whether the text is a list that replaces a main text.
    is_found : bool
        Whether a rule has found all parts of the text, so that no list is looked for.
    """

    blocks: Blocks
    prediction: Prediction
    page: Page
    options: ExtractionOptions
    title: str | None
    kept: Mask
    signs: signs.Signs
    rule_reasons: Mapping[int, str]
    tables: Sequence[DataTable] = ()
    tables_of: Mask | None = None
    uncompleted: Mask | None = None
    warning: str | None = None
    is_list: bool = False
    is_found: bool = False

    @property
    def likely(self) -> Mask:
        """The blocks that are more likely content than not; those that are kept where a model says no more."""
        log_odds = self.prediction.log_odds
        return self.kept if log_odds is None else log_odds >= 0

    def headline(self) -> tuple[int, str] | tuple[None, None]:
        """Return the block that is the headline, and its text, not in normal form; found anew at every call."""
        kept = self.kept if self.uncompleted is None else self.uncompleted
        return find_headline(self.blocks, kept, self.title) or (None, None)

    def kept_tables(self) -> Sequence[DataTable]:
        """Return the data tables among the blocks that are kept."""
        if self.tables_of is self.kept:
            return self.tables
        return data_tables(self.blocks, self.kept, self.tables) if self.signs.bits & TABLE else ()

    def keeping(self, kept: Mask) -> Choice:
        """Return a copy that keeps other blocks; itself where they are the same."""
        if kept is self.kept or kept.tobytes() == self.kept.tobytes():
            return self
        return self._replace(
            kept=kept, signs=signs.signs_of(self.blocks, kept, self.prediction.log_odds, consent_begins())
        )

    def changed(self, blocks: Sequence[int], *, keep: bool) -> Choice:
        """Return a copy that keeps some more blocks, or drops them; itself where there are none."""
        kept = self.kept.copy()
        kept[blocks] = keep
        return self.keeping(kept)


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    Attributes
    ----------
    name : str
        Its name.
    sign : int
        Signs of pages that it may change something on; see `blockfeat.extraction.signs`.
    apply : callable
        Returns what is kept once it has been applied.
    keeps, drops : str
        The reasons of blocks that it keeps, and of those that it drops; empty for none of its own.
    unless : str
        The side, ``"precision"`` or ``"recall"``, that it is left out for where that is favoured; empty for neither.
    is_optional : bool
        Whether it goes with the option ``rules``.
    """

    name: str
    sign: int
    apply: Callable[[Choice], Choice]
    keeps: str = ""
    drops: str = ""
    unless: str = ""
    is_optional: bool = True

    def applied(self, choice: Choice) -> Choice:
        """Return what is kept by this rule, with the reasons of the blocks that it decides about."""
        found = self.apply(choice)
        if found.kept is choice.kept:
            return found
        rule_reasons = dict(choice.rule_reasons)
        for verb, reason, more, fewer in (("kept", self.keeps, found, choice), ("dropped", self.drops, choice, found)):
            if reason:
                changed = (more.kept & ~fewer.kept).nonzero()[0].tolist()
                rule_reasons.update(dict.fromkeys(changed, f"{verb}: {reason}"))
        return found._replace(rule_reasons=rule_reasons)


def _named_box(choice: Choice) -> Choice:
    """Drop what stands outside of the box that a doubtful page names as its article."""
    # All answers of a thread count, and each may be in a box of its own.
    if _is_address_of_thread(choice.page.url):
        return choice
    likely = choice.likely & ~in_comments(choice.blocks, choice.likely)
    return choice.keeping(rules.in_named_box(choice.blocks, choice.kept, likely))


def _standfirst(choice: Choice) -> Choice:
    """Keep the block before the text that the page describes itself with."""
    log_odds, descriptions = choice.prediction.log_odds, choice.page.declared.descriptions
    if log_odds is None or not descriptions:
        return choice
    found = rules.lost_standfirst(choice.blocks, choice.kept, log_odds, descriptions)
    return choice.changed(found, keep=True) if found else choice


def _posts(choice: Choice) -> Choice:
    """Keep the posts of a thread and drop what is around them, by the software that made it or by names of elements."""
    blocks, words, source = choice.blocks, choice.blocks.measures.words, choice.blocks.tags.source
    begin = choice.page.body
    generator = max(source.find(b'"generator"', 0, _TOLD), _NEAR)
    told = source[:_FAR] + source[begin : begin + _FAR] + source[generator - _NEAR : generator + _NEAR]
    # Nearly all pages are by none of it, which one search tells.
    selector = next((posts for sign, posts in _SOFTWARE.items() if sign in told), "") if _MADE_BY.are_in(told) else ""
    posts = blocks_in(blocks, selector) if selector else _named_posts(choice, begin)
    if posts is None:
        return choice
    before = choice.kept & (posts.cumsum() == 0)
    # Posts below a longer text are comments on an article; what a few words ask is answered by them.
    if words[before].sum() >= words[posts].sum():
        return choice
    posts = posts if selector else posts | before
    ends = blocks.end_byte[posts.nonzero()[0][-1:]]
    places = _BEGIN_WITHOUT.places_in(source, np.zeros_like(ends), ends)
    found = b" ".join([source[place : place + _BEGIN_WITHOUT.longest] for place in places])
    without = [one for one, name in _WITHOUT.items() if name in found]
    kept = posts & ~blocks_in(blocks, ",".join(without)) if without else posts
    return choice.keeping(kept if kept.any() else posts)._replace(is_found=True)


def _named_posts(choice: Choice, begin: int) -> Mask | None:
    """Return the blocks of a thread's posts by how their elements are named; None where it is none, or has too few.

    Of the most frequent names the one with the highest expected F1 is taken.
    """
    blocks, log_odds = choice.blocks, choice.prediction.log_odds
    if log_odds is None or not _is_thread(choice, begin):
        return None
    named: dict[bytes, list[int]] = defaultdict(list)
    tags, behind = blocks.tags, 0
    for place, container in zip(*tags.marked(blocks.containers.element, _NAMES_BEGIN), strict=True):
        if place >= behind and (match := _NAMED.match(tags.source, place)):
            named[match[0].lower().translate(None, b"0123456789")].append(container)
            behind = match.end()
    often = sorted(named.values(), key=len)[-_THREADS["most_names"] :]
    posts = [signs.within(blocks, np.array(some)) for some in often if len(some) >= _THREADS["fewest_posts"]]
    words, likely = blocks.measures.words, blocks.measures.words * probabilities(log_odds, limit=30.0)
    return max(posts, key=lambda some: likely[some].sum() / (1 + words[some].sum() + likely.sum()), default=None)


def _is_address_of_thread(url: str | None) -> bool:
    """Return whether an address is one of threads, by its words."""
    return url is not None and any(map(url.lower().__contains__, _THREADS["addresses"]))


def _is_thread(choice: Choice, begin: int) -> bool:
    """Return whether a page is a thread, by its address, its tags of html and body, or a type that it declares."""
    if _is_address_of_thread(choice.page.url):
        return True
    tags, declared = choice.blocks.tags, choice.page.declared
    root, source = int(tags.start[tags.opened[0]]), tags.source
    if _OUTER.are_in(source[root : source.find(b">", root)] + source[begin : source.find(b">", begin)]):
        return True
    text = int(choice.blocks.first_byte[choice.signs.first]) if choice.signs.first >= 0 else 0
    spans = [(source, max(text - _BEFORE, 0), text)]
    spans += [(declared.data, start, start + _FAR) for start, _ in declared.scripts]
    return any(utf_8.places_of(sign, *span, most=1) for span in spans for sign in _TYPES)


def _event(choice: Choice) -> Choice:
    """Keep what a page tells of one event, where it says that it does."""
    source, body = choice.blocks.tags.source, choice.page.body
    is_doubtful = choice.signs.bits & signs.DOUBT != 0
    is_address = _ADDRESS_OF_EVENT.search(choice.page.url or "") is not None
    outer = source[body : source.find(b">", body)]
    is_told = is_address or (b"event" in outer and _BODY_OF_EVENT.search(outer) is not None)
    if not is_told and not (is_doubtful and utf_8.places_of(_TYPE_OF_EVENT, source, most=1)):
        return choice
    found = rules.parts_of_event(choice.blocks, choice.likely, falls_back=is_address and is_doubtful)
    return choice if found is None else choice.keeping(found)._replace(is_found=True)


def _product(choice: Choice) -> Choice:
    """Keep what a page tells of one product, where it says that it does."""
    if not rules.declares_product(choice.page, choice.blocks.tags.source):
        return choice
    found = choice.keeping(rules.parts_of_product(choice.blocks, choice.kept, choice.likely))
    return found._replace(is_found=found is not choice)


def _completed(choice: Choice) -> Choice:
    """Keep tables, lists and preformatted text whole that are kept for the most part; find the tables."""
    tables = data_tables(choice.blocks, choice.kept)
    return choice._replace(tables=tables, tables_of=choice.kept).keeping(completed(choice.blocks, choice.kept, tables))


def _options(choice: Choice) -> Choice:
    """Keep and drop the parts of the page that the options name."""
    headline = None if choice.options.headline is None else choice.headline()[0]
    return choice.keeping(with_parts(choice.blocks, choice.kept, headline, choice.options))


def _keeping(rule: Callable[[Blocks, Mask], Mask]) -> Callable[[Choice], Choice]:
    """Return what applies a rule that says which blocks are kept."""
    return lambda choice: choice.keeping(rule(choice.blocks, choice.kept))


def _dropping(rule: Callable[[Blocks, Mask], list[int]]) -> Callable[[Choice], Choice]:
    """Return what applies a rule that says which kept blocks are dropped."""
    return lambda choice: choice.changed(rule(choice.blocks, choice.kept), keep=False)


def pointers(blocks: Blocks, kept: Mask) -> list[int]:
    """Return the blocks that are kept, but only point at other texts.

    Those of at most 40 words, half of them links, that begin with a phrase such as "read also" (``phrase_lists``). None
    where that would leave nothing of the text.
    """
    measures, shown = blocks.measures, kept.nonzero()[0]
    words, linked = measures.words[shown], measures.anchor_words[shown]
    short = shown[(words <= signs.LONGEST_POINTER) & (linked >= signs.POINTER_LINKS * words)]
    starts, text, begins = blocks.block_starts[short].tolist(), blocks.page_text.text, phrases_by_begin("read_also")
    # Of most two letters or digits are enough.
    some = [
        block
        for block, start in zip(short.tolist(), starts, strict=True)
        if (begin := text[start : start + 2]).lower() in begins or not (begin.isascii() and begin.isalnum())
    ]
    found = [block for block in some if begins_with("read_also", blocks.raw_text(block))]
    return found if len(found) < shown.size else []


# So many bytes from the start of html, body and JSON-LD on, on both sides of the word generator, and before the text
# tell of the software, or of a thread.
_FAR, _NEAR, _TOLD, _BEFORE = 400, 80, 2_000, 4_000
_ADDRESS_OF_EVENT = re.compile(r"/(?:[\w-]*events?(?:-details?)?|meetings?|calendars?)/[^/?#]*[^/?#]", re.IGNORECASE)
_ADDRESS_OF_LIST = re.compile(r"(?:meetings|schedules?|agendas?|calendar|hearings)(?:\.\w+)?/?$")
_ADDRESS_OF_OTHERS = re.compile(r"/(?:(?:products?|p|pdp|dp|c|posts|talk|comments)/[^/]|showtopic)")
_BODY_OF_EVENT, _TYPE_OF_EVENT = re.compile(rb"(?:single|type)-[^\s\"]*event"), b"schema.org/Event"
_WORDS, _THREADS = (bundled_table("blockfeat.extraction", f"{name}.toml") for name in ("rules", "software"))
_INSTEAD = _WORDS["instead"]
_WITHOUT = {one: re.findall(rb"[\w-]{4,}", one.encode())[0] for one in _THREADS["without"]}
_BEGIN_WITHOUT = utf_8.Marks.of(map(bytes.lower, _WITHOUT.values()))
_NAMED = re.compile(_THREADS["named"].encode(), re.IGNORECASE)
_NAMES_BEGIN, _OUTER = (utf_8.Marks.of(map(str.encode, _THREADS[name])) for name in ("names_begin", "outer"))
_TYPES = [one.encode() for one in _THREADS["types"]]
_SOFTWARE = {one["sign"].encode(): one["posts"] for one in _THREADS["software"].values()}
# Without names of attributes, which every page has.
_MADE_BY = utf_8.Marks.of(re.sub(rb"^(?:content|class)=", b"", sign.lower()) for sign in _SOFTWARE)


def _rule(name: str, sign: int, apply: Callable[[Choice], Choice], *, is_optional: bool = True) -> Rule:
    return Rule(name, sign, apply, is_optional=is_optional, **_WORDS.get(name, {}))


# Worth: word F1 in points that the model ``default`` loses without the rule, on development corpora.
RULES = (
    # Worth .08 (daniel) to .17 (dragnet), and .26 to .78 on three sets of pages that no model has seen.
    _rule("named box", signs.DOUBT, _named_box),
    # Worth nothing on development corpora (-.02 to .01, 36 pages), .14 on snippets that no model has seen.
    _rule("standfirst", signs.STANDFIRST, _standfirst),
    # Worth 7.0 on 159 threads that no model has seen (73 are by software that is known), nothing elsewhere.
    _rule("posts", signs.ALWAYS, _posts),
    # Worth 35.3 on twelve pages of one event that no model has seen, nothing on articles.
    _rule("event", signs.ALWAYS, _event),
    # Worth 23.0 on 25 products that no model has seen, .6 on 113 others, nothing on articles.
    _rule("product", signs.DOUBT, _product),
    # Decides about no block: it notes where the text begins, as the headline is looked for there once it is asked for.
    _rule("headline", TITLES, lambda choice: choice._replace(uncompleted=choice.kept), is_optional=False),
    # Worth -.02 to .01 (25 pages of 1,112); without it tables, lists and code lose single cells and lines.
    _rule("completed", TABLE | DEFINITIONS | PREFORMATTED, _completed, is_optional=False),
    # Worth 1.15 on structured pages.
    _rule("technical text", TECHNICAL, _keeping(rules.technical_text)),
    # Worth .01 to .05 (513 pages); it holds the structure of documents.
    _rule("section headings", signs.HEADING, _keeping(signs.section_headings)),
    # The options of the caller.
    _rule("options", signs.ALWAYS, _options, is_optional=False),
    # Worth .02 to .07; on made pages all of the 20 % of a banner's paragraphs that would be kept.
    _rule("banners", signs.CONSENT, _dropping(rules.banners)),
    # Worth .14 on wcxb-dev (nine pages); no page of fourteen other corpora changes.
    _rule("dialogs", signs.DOUBT, _keeping(rules.without_dialogs)),
    # Worth -.06 to .02 (72 pages), .15 on snippets that no model has seen.
    _rule("pointers", signs.POINTER, _dropping(pointers)),
    # Worth .29 on structured pages.
    _rule("code marks", PREFORMATTED, _dropping(code_marks)),
)
"""The rules in order: each is applied to the blocks that the previous ones keep."""


def postprocess(
    blocks: Blocks,
    prediction: Prediction,
    page: Page,
    *,
    title: str | None,
    options: ExtractionOptions,
    model_kind: str,
    site: Sequence[SiteRule] = (),
) -> tuple[Choice, JudgedPage]:
    """Return what is kept after rules and options, and the evidence for the kind of the page.

    Parameters
    ----------
    blocks, prediction, page, title, options
        As `Choice` has them.
    model_kind : str
        Kind of the model, which says whether the optional rules are applied where the options do not.
    site : sequence of SiteRule
        The rules of the page's site, applied last.
    """
    has_rules = model_kind in _WITH_RULES if options.rules is None else options.rules
    found = signs.signs_of(blocks, prediction.kept, prediction.log_odds, consent_begins())
    choice = _by_rules(
        Choice(blocks, prediction, page, options, title, prediction.kept, found, {}), has_rules=has_rules
    )
    if site and len(blocks) and options.rules is not False:
        choice = _by_rules_of_site(choice, site)
    if (options.drop or options.keep) and len(blocks):
        choice = _by_selectors(choice)
    prediction = Prediction(prediction.scores, choice.kept, log_odds=prediction.log_odds)
    evidence = JudgedPage(blocks, prediction, page, signs=choice.signs, title=title)
    return _with_list_instead(choice, evidence, model_kind=model_kind, has_rules=has_rules), evidence


def _by_rules(choice: Choice, *, has_rules: bool) -> Choice:
    """Return what is kept by the rules; plain text is kept as it is."""
    if not choice.page.has_markup:
        reasons = dict.fromkeys(range(len(choice.blocks)), _WITHOUT_MARKUP)
        return choice.keeping(np.ones_like(choice.kept))._replace(rule_reasons=reasons)
    for rule in RULES:
        is_wanted = not rule.is_optional or (has_rules and choice.options.favour != rule.unless)
        if is_wanted and choice.signs.bits & rule.sign:
            choice = rule.applied(choice)
    return choice


def _by_rules_of_site(choice: Choice, site: Sequence[SiteRule]) -> Choice:
    """Return what is kept by the rules of a site; with a warning where it is another page than those they are from."""
    blocks = choice.blocks
    places = places_of(blocks, choice.headline()[0], [rule.where for rule in site])
    if all(blocks_at(places, len(blocks), rule.where) is None for rule in site):
        return choice._replace(warning=REDESIGNED)
    kept, reasons = with_rules(choice.kept, places, site)
    return choice.keeping(kept)._replace(rule_reasons={**choice.rule_reasons, **reasons})


def _by_selectors(choice: Choice) -> Choice:
    """Return what is kept of the elements that the options select; all of them where the model keeps nothing there."""
    blocks, options = choice.blocks, choice.options
    dropped = blocks_in(blocks, options.drop) if options.drop else np.zeros_like(choice.kept)
    kept, reasons, warning = choice.kept & ~dropped, dict(choice.rule_reasons), choice.warning
    if options.keep not in (None, "page"):
        around = blocks_in(blocks, options.keep)
        if around.any():
            kept &= around
            if not kept.any():
                kept = around & ~dropped
                reasons |= dict.fromkeys(kept.nonzero()[0].tolist(), f"kept: it is in {options.keep!r}")
            reasons |= dict.fromkeys((~around).nonzero()[0].tolist(), f"dropped: it is not in {options.keep!r}")
        else:
            warning = f"nothing of the page is in {options.keep!r}: all of it is looked at"
    reasons |= dict.fromkeys(dropped.nonzero()[0].tolist(), f"dropped: it is in {options.drop!r}")
    return choice.keeping(kept)._replace(rule_reasons=reasons, warning=warning)


# Next to no text, of which little is to be expected: a heading and a line above a list.
_MOST_WORDS, _MOST_CONFIDENCE = 80, 0.82
# Of pages whose rest is looked for so much is expected, with their kind.
_MOST_OF_REST = 0.915
# Items are about as likely content as the likeliest: their odds are within a factor of 20.
_AS_LIKELY = 3.0
_FEWEST_ITEMS, _FEWEST_WORDS, _TIMES = 5, 20, 2
_SCRIPT = re.compile(rb"<script\b", re.IGNORECASE)


def _with_list_instead(choice: Choice, page: JudgedPage, *, model_kind: str, has_rules: bool) -> Choice:
    """Return a choice that keeps the list of a page with next to no main text; the choice itself for other pages.

    Where there is no text at all, or one that is no content, the choice has a warning that says so. Lists are left out
    where precision is favoured, and not looked for without rules.
    """
    if page.notice is not None:
        return choice._replace(warning=_WORDS["notices"][page.notice])
    before, is_over = choice.kept, choice.is_found or not has_rules
    listed = None if is_over else list_instead(page, choice.rule_reasons, model_kind=model_kind)
    is_precise = choice.options.favour == "precision"
    if listed is not None and not is_precise:
        choice = _with_items(choice, listed, "item")._replace(warning=_INSTEAD["listed"], is_list=True)
    elif not (is_over or is_precise) and choice.signs.bits & (signs.REST | signs.DOUBT):
        choice = _with_items(choice, rules.offers(choice.blocks, choice.kept, choice.page), "offer")
    if choice.is_list or choice.signs.first >= 0:
        if not (is_over or is_precise):
            choice = _with_items(choice, rest_of_list(choice, page, model_kind=model_kind), "rest")
        choice = _of_other_page(choice, page) if has_rules else choice
        return choice if choice.kept is before else _options(choice)
    if not (is_over or is_precise) and (named := rules.named_text(choice.blocks)).any():
        return _options(_with_items(choice, named, "alone"))
    left_out = _INSTEAD["left out"] if listed is not None else None
    return choice._replace(warning=left_out or reason_of_nothing(page, choice.prediction.kept, choice.rule_reasons))


def _of_other_page(choice: Choice, page: JudgedPage) -> Choice:
    """Return a choice that keeps the headings of what it keeps on a doubtful page that is no article, no text twice.

    Front pages and those of products hold copies for other screens. What a page is takes long to tell.
    """
    source, is_doubtful = choice.blocks.tags.source, page.signs.bits & (signs.REST | signs.DOUBT)
    if not (choice.is_list or is_doubtful):
        return choice
    may_be = b"article" not in rules.type_of_graph(source)
    if may_be and not choice.is_found and choice.options.favour != "precision":
        headings = signs.section_headings(choice.blocks, choice.kept, of_list=True)
        choice = _with_items(choice, headings, "heading", unless=page)
    if may_be and choice.options.favour != "recall":
        choice = _with_items(choice, rules.without_notes(choice.blocks, choice.kept), "note", unless=page)
    once = rules.without_repeats(choice.blocks, choice.kept)
    if (once != choice.kept).any() and (
        rules.declares_product(choice.page, source) or (may_be and page.kind[0] == "front page")
    ):
        choice = _with_items(choice, once, "repeated")
    return choice


def _with_items(choice: Choice, kept: Mask, reason: str, *, unless: JudgedPage | None = None) -> Choice:
    """Return a choice that keeps other blocks, but none that a rule has dropped, for a reason of ``rules.toml``.

    Itself on articles, where it is given the page: what a page is takes long to tell.
    """
    if kept is choice.kept or (unless and ((kept == choice.kept).all() or unless.kind[0] == "article")):
        return choice
    kept = kept.copy()
    kept[[block for block in choice.rule_reasons if not choice.kept[block]]] = False
    if (kept == choice.kept).all():
        return choice
    items = dict.fromkeys((kept != choice.kept).nonzero()[0].tolist(), _INSTEAD[reason])
    return choice.keeping(kept)._replace(rule_reasons={**choice.rule_reasons, **items})


def rest_of_list(choice: Choice, page: JudgedPage, *, model_kind: str) -> Mask:
    """Return what is kept, of a page that is a list, or one of a service, with the rest of it.

    Models take items of such pages for clutter, one by one. They are no articles, threads or products, not much is
    expected of what is kept, and their elements tell what is beside the text.
    """
    blocks, log_odds = choice.blocks, choice.prediction.log_odds
    if log_odds is None or not choice.signs.bits & signs.REST:
        return choice.kept
    url, source = (choice.page.url or "").lower(), blocks.tags.source
    is_named = _ADDRESS_OF_LIST.search(url) is not None
    if (
        not are_among(blocks.containers.key, rules.PARTS_OF_PAGES).any()
        or _ADDRESS_OF_OTHERS.search(url)
        or _is_address_of_thread(url)
        or (b"article" in rules.type_of_graph(source) and not is_named)
        or rules.declares_product(choice.page, source)
        or not _may_be_list(page, model_kind, most=_MOST_OF_REST, is_named=is_named)
    ):
        return choice.kept
    return rules.rest_of_box(blocks, choice.kept, log_odds)


def list_instead(page: JudgedPage, rule_reasons: Mapping[int, str], *, model_kind: str) -> Mask | None:
    """Return the blocks of the list that is the text of a page with next to no other, with what is kept; None for none.

    Contents, indexes, results, products. Items are dropped blocks that are about as likely content as the likeliest of
    them, outside of menus, forms, footers and the like; together they are much longer than what is kept. Articles,
    stubs of articles, walls and error pages have no such list: theirs would be teasers.

    Parameters
    ----------
    page : JudgedPage
        The page, with the blocks that are kept, if any.
    rule_reasons : mapping
        Blocks that rules or options decided about: what they dropped is no item.
    model_kind : str
        Kind of the model; see `blockfeat.extraction.page_kind.confidence_measures`.
    """
    log_odds, words, kept = page.prediction.log_odds, page.blocks.measures.words, page.kept
    if log_odds is None or page.signs.kept > _MOST_WORDS or not len(page.blocks):
        return None
    candidates = ~(kept | rules.beside_text(page.blocks))
    candidates[list(rule_reasons)] = False
    is_item: Mask = candidates & (log_odds >= log_odds.max(where=candidates, initial=-np.inf) - _AS_LIKELY)
    # What is kept at less than even odds may be items too.
    sure_words = int(words[kept & (log_odds > 0)].sum())
    if is_item.sum() < _FEWEST_ITEMS or words[is_item].sum() < max(_FEWEST_WORDS, _TIMES * sure_words):
        return None
    return is_item | kept if _may_be_list(page, model_kind, most=_MOST_CONFIDENCE) else None


def _may_be_list(page: JudgedPage, model_kind: str, *, most: float, is_named: bool = False) -> bool:
    """Return whether a page may be a list: it is no article, or named a list, and what is kept is hardly all of it."""
    kind, chances = page.kind
    if kind not in ("other", "front page") and not (kind == "article" and is_named):
        return False
    words, scores = page.blocks.measures.words, page.prediction.scores
    expected = expected_f1(model_kind, confidence_measures(model_kind, scores, page.kept, words, chances))
    return expected is None or expected <= most


def reason_of_nothing(page: JudgedPage, predicted: Mask, rule_reasons: Mapping[int, str]) -> str:
    """Return why a page has no main text.

    Parameters
    ----------
    page : JudgedPage
        The page, none of whose n blocks is kept.
    predicted : bool array, n
        The blocks that the model keeps.
    rule_reasons : mapping
        Why blocks are dropped against the model's label.
    """
    blocks = page.blocks
    if not len(blocks):
        has_scripts = _SCRIPT.search(page.parsed.data) is not None
        return "the page has no text" + (": it may be written by the page's scripts" if has_scripts else "")
    reasons = Counter(rule_reasons[block] for block in predicted.nonzero()[0].tolist() if block in rule_reasons)
    if reasons:
        return f"no main text was found on the page: what the model keeps is {reasons.most_common(1)[0][0]}"
    odds = page.prediction.log_odds
    best = "" if odds is None else f", the likeliest with a probability of {probabilities(odds, limit=30.0).max():.2f}"
    return f"no main text was found on the page: the model keeps none of its blocks{best}"
