"""Reading a page: extraction, mentions, keys for copies; fetched by the monitor, or by something else."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from blockfeat.blocks import Block
from blockfeat.content import clean_characters
from blockfeat.errors import InputError, failure_reason
from blockfeat.extraction import KINDS, Extraction, Extractor, Facts, PageParts, PageWork, extractor_of, read_pages
from blockfeat.lang import normalise_code
from blockfeat.models import DEFAULT_MODEL, SiteRule, SiteRules, bundled_models, plain_path
from blockfeat.monitor.config import MonitorConfig
from blockfeat.monitor.mentions import Brand, BrandMatcher, Mention, mentions_of
from blockfeat.monitor.mentions.brand import SenseModel, is_unsure, senses_of
from blockfeat.monitor.mentions.mention import COUNTED_PLACES, PLACES, query_mentions, relevance_by_brand, text_starts
from blockfeat.monitor.mentions.queries import Query, QueryMatcher
from blockfeat.monitor.store.records import FoundMention, PageRecord, StoredPage, evidence_rows
from blockfeat.page import Document, Page, never_mended, registered_domain

_PAGE = b"\0"
"""What evidence begins with that is a page; older evidence is JSON of the blocks."""
_LINKED_DATA = b'<script type="application/ld+json">%s</script>'
# As tags without content are written; only as two tags it is read as one element.
_EMPTY = re.compile(rb"(<noscript[^>]*)/>")
_EARLIER = "decided when the page was read; blockfeat would read it otherwise today"
BLOCK = ("index", "kind", "words", "kept", "score", "reason", "xpath", "text")
_MOST_WARNINGS = 20
MOST_MENTIONS = 2000
_KIND_REASON = "kind of page: "
_LONGEST_TITLE = 2000
Lesson = tuple[str, str, Mapping[str, Any]]
"""Kind, subject and value, as a store has them."""


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """The bytes of a page, with what is known of them.

    Attributes
    ----------
    origin : str
        ``"feed"`` where it is a feed's own text: all of it is content, whatever the model makes of so short a page.
    """

    data: bytes | str
    url: str
    charset: str | None = None
    lang: str | None = None
    origin: str = "page"


def rules_of_sites(lessons: Iterable[Lesson]) -> dict[str, SiteRules]:
    """Return the rules that are among lessons, by the site that each is of."""
    sites: dict[str, SiteRules] = {}
    for value in (value for kind, _, value in lessons if kind == "site"):
        if "inside" in value:  # as 0.3.0 wrote them
            rule = SiteRule("keep" if value["inside"] else "drop", value["path"])
        else:
            rule = SiteRule(value["do"], value["where"], value["why"])
        site = registered_domain(value["host"]) or ""
        sites[site] = SiteRules((*sites.get(site, SiteRules()).rules, rule))
    return sites


@dataclass(frozen=True, slots=True)
class ReaderSettings:
    """Settings of a `PageReader`, with what judged mentions taught; they are sent to worker processes.

    Attributes
    ----------
    senses : mapping of str to SenseModel
        By brand.
    sites : mapping of str to SiteRules
        The rules of places by registered domain, as `blockfeat.models.SiteModel` has them.
    """

    model: str
    brands: tuple[Brand, ...]
    evidence: bool
    queries: tuple[Query, ...] = ()
    senses: Mapping[str, SenseModel] = field(default_factory=dict)
    sites: Mapping[str, SiteRules] = field(default_factory=dict)
    least_score: float | None = None
    descriptions: bool = False
    count_kinds: tuple[str, ...] = KINDS

    @classmethod
    def of(cls, config: MonitorConfig, lessons: Iterable[Lesson] = ()) -> ReaderSettings:
        """Return the settings of a configuration, with the lessons that a store has."""
        pages, senses = config.pages, senses_of(config.brands)
        senses |= {subject: SenseModel.from_dict(value) for kind, subject, value in lessons if kind == "sense"}
        reading = (pages.least_score, pages.descriptions, pages.count_kinds)
        given = (pages.model, config.brands, pages.evidence, config.queries)
        return cls(*given, senses, rules_of_sites(lessons), *reading)

    def for_origin(self, origin: str | None) -> ReaderSettings:
        """Return the settings for a page; all that a feed has of its own is content, and at no place of the site."""
        return self if origin != "feed" else replace(self, least_score=None, count_kinds=KINDS, sites={})

    def judged(self, mention: FoundMention, site: str | None) -> FoundMention:
        """Return a mention that counts, or not, as the last rule of its place on the site says."""
        rules = self.sites.get(site or "", SiteRules()).rules
        rule = next((rule for rule in reversed(rules) if rule.where == plain_path(mention.xpath)), None)
        if rule is None or mention.counted == (rule.do == "keep"):
            return mention
        if not mention.counted:
            return mention if mention.rule is not None else replace(mention, counted=True, because=None)
        return replace(mention, counted=False, because=rule.reason, rule=rule.reason, relevance=0.0)


@dataclass(frozen=True)
class PageReader:
    """Reads pages with one extractor, and matchers of brands and queries."""

    settings: ReaderSettings
    extractor: Extractor
    matcher: BrandMatcher
    queries: QueryMatcher

    @classmethod
    def of(cls, settings: ReaderSettings) -> PageReader:
        """Load the model and build the matchers.

        Raises
        ------
        ModelError
            There is no such model.
        """
        brands, queries = BrandMatcher.of(settings.brands), QueryMatcher.of(settings.queries)
        return cls(settings, Extractor.load(settings.model), brands, queries)

    def read(self, page: FetchedPage) -> PageRecord:
        """Read one page; whatever is wrong with it becomes a record with an error."""
        try:
            record = self._record(extraction_of(page, self.extractor), page)
        except Exception as error:
            return failed(error)
        return replace(record, origin=page.origin)

    def _record(self, extraction: Extraction, page: FetchedPage) -> PageRecord:
        """Return what is stored of an extraction."""
        settings, text = self.settings.for_origin(page.origin), clean_characters(extraction.text)
        analysis, parts = extraction.analysis, PageParts.of(extraction)
        assert analysis is not None  # the page was read just now
        warnings = extraction.warnings[:_MOST_WARNINGS]
        mentions = all_mentions(extraction, self.matcher, self.queries, settings, parts)
        kind, headline, metadata = extraction.kind, extraction.headline, _metadata(extraction)
        canonical, published = metadata.get("canonical_url"), metadata.get("published")
        if len(mentions) > MOST_MENTIONS:
            warnings += (f"{len(mentions)} mentions, of which the first {MOST_MENTIONS} are kept",)
        # Only the opening of the article is on the page.
        is_stub = kind == "paywall stub" and kind not in settings.count_kinds
        return PageRecord(
            status="no content" if is_stub else extraction.status,
            kind=kind,
            lang=extraction.lang,
            title=_clean(extraction.title),
            headline=_clean(headline),
            text=text,
            words=int(analysis.measured.blocks.measures.words[analysis.prediction.kept].sum()),
            encoding=extraction.encoding,
            model=extraction.model,
            canonical_url=canonical if isinstance(canonical, str) else None,
            published=published if isinstance(published, str) else None,
            author=", ".join(map(str, metadata.get("authors", ()))) or None,
            section=str(metadata["section"]) if metadata.get("section") else None,
            metadata=metadata,
            warnings=tuple(map(clean_characters, warnings)),
            evidence=_packed(page, extraction) if settings.evidence else b"",
            mentions=found_mentions(extraction, mentions, settings, page.url),
        )


def failed(error: Exception) -> PageRecord:
    """Return the record of a page that was not read: anything but an `InputError` is a fault of the program."""
    is_fault = not isinstance(error, InputError)
    return PageRecord("error", error=clean_characters(failure_reason(error)), is_fault=is_fault)


def all_mentions(
    extraction: Extraction, matcher: BrandMatcher, queries: QueryMatcher, settings: ReaderSettings, parts: PageParts
) -> tuple[Mention, ...]:
    """Return the mentions of brands on a page, and one for each query that it fulfils."""
    places = PLACES if settings.descriptions else COUNTED_PLACES
    rules: dict[str, Any] = {"least_score": settings.least_score, "places": places, "parts": parts}
    found = mentions_of(extraction, matcher, senses=settings.senses, **rules)
    return (*found, *query_mentions(extraction, queries, **rules))


def found_mentions(
    extraction: Extraction, mentions: Sequence[Mention], settings: ReaderSettings, url: str
) -> tuple[FoundMention, ...]:
    """Return what is stored of the mentions of the page at an address."""
    if not mentions:
        return ()
    kind, site = None if extraction.kind in settings.count_kinds else extraction.kind, registered_domain(url)
    relevance = relevance_by_brand(extraction, mentions)
    kept = mentions[:MOST_MENTIONS]
    found = (
        replace(_found(item, kind), text_start=start, relevance=relevance.get(item.brand, 0.0) if item.counted else 0.0)
        for item, start in zip(kept, text_starts(clean_characters(extraction.text), kept), strict=True)
    )
    return tuple(settings.judged(mention, site) for mention in found)


def _found(mention: Mention, kind: str | None) -> FoundMention:
    is_of_kind = kind is not None and (mention.counted or is_unsure(mention.reason))
    reason = f"{_KIND_REASON}{kind}" if is_of_kind else mention.reason
    same: dict[str, Any] = {name: getattr(mention, name) for name in ("brand", "place", "start", "block")}
    same |= {name: getattr(mention, name) or None for name in ("rule", "variant")}
    same |= {name: clean_characters(getattr(mention, name)) for name in ("sentence", "xpath")}
    return FoundMention(
        **same,
        counted=mention.counted and kind is None,
        because=reason or None,
        stop=mention.end,
        match=clean_characters(mention.text),
        score=float(mention.score),
    )


def _metadata(extraction: Extraction) -> Mapping[str, Any]:
    """Return the values that the page gives of itself, without empty ones."""
    values = extraction.metadata.to_dict()
    cleaned = json.loads(clean_characters(json.dumps(values, ensure_ascii=False, default=str)))
    return {name: value for name, value in cleaned.items() if value not in (None, [], {}, "")}


def _clean(text: str | None) -> str | None:
    return None if text is None else clean_characters(text)[:_LONGEST_TITLE]


def extraction_of(page: FetchedPage, extractor: Extractor) -> Extraction:
    """Return the extraction of a page; of a feed's own text every block is kept."""
    lang = normalise_code(page.lang) if page.lang else None
    if page.origin != "feed":
        return extractor.extract(page.data, url=page.url, lang=lang, charset=page.charset, id=page.url)
    parsed = Page.parse(page.data, url=page.url)
    measured = extractor.measurer.measure(parsed, lang=lang)
    prediction = extractor.model.predict(measured)
    return extractor.assemble(parsed, measured, replace(prediction, kept=np.ones_like(prediction.kept)))


def _packed(page: FetchedPage, extraction: Extraction) -> bytes:
    """Return a page without its scripts, compressed, with what was decided of its blocks, for `stored_extraction`."""
    analysis = extraction.analysis
    assert analysis is not None
    read, decided = analysis.choice.page, analysis.prediction
    reasons = [*analysis.choice.rule_reasons.items()]
    told = {"url": page.url, "lang": page.lang, "blocks": decided.kept.size, "reasons": reasons}
    head = _PAGE + json.dumps(told).encode() + b"\n" + decided.scores.tobytes() + decided.kept.tobytes()
    source = b"" if read.tags is None else read.tags.source
    # What looks encoded twice and stayed as it was does so again.
    before, behind = map(never_mended, (source[: read.body], source[read.body :]))
    packer, data = zlib.compressobj(level=1), map(_LINKED_DATA.__mod__, read.linked_data)
    parts = [packer.compress(part) for part in (head, before, *data, behind)]
    return b"".join((*parts, packer.flush()))


def stored_extraction(page: StoredPage, extractor: Extractor | None = None) -> tuple[Extraction, PageParts, bool]:
    """Return a page of a store as it was read, its parts, and whether it has its blocks, or else the lines of its text.

    Parameters
    ----------
    extractor : Extractor, optional
        What pages of its model are read with; others with the bundled model that they name, or with the default.
    """
    plain = zlib.decompress(page.evidence) if page.evidence else b""
    is_page = plain.startswith(_PAGE)
    found, rows = (_read_again(page, plain, extractor), []) if is_page else (None, evidence_rows(plain))
    is_whole = found is not None or bool(rows)
    if not is_whole:
        lines = [*filter(str.strip, (page.text or "").splitlines())]
        lines[:0] = [page.headline] if page.headline and page.headline not in lines else []
        rows = [{"index": at, "text": line, "words": len(line.split()), "xpath": "/"} for at, line in enumerate(lines)]
    roles = found.roles if found is not None else tuple(row.get("role") or _role(page, row) for row in rows)
    facts = Facts(kind=page.kind or "other", roles=roles)
    known = Extraction(page.text or "", page.lang, title=page.title, known_headline=page.headline, known_facts=facts)
    if found is not None:
        known = replace(known, source=found.source)
        return known, PageParts.of(known), True
    blocks = tuple(Block(**{"kept": True} | {name: row[name] for name in BLOCK if name in row}) for row in rows)
    marks = {row["index"]: [(start, end) for start, end in row["marks"]] for row in rows if row.get("marks")}
    descriptions = ((row["index"], text) for row in rows for text in row.get("descriptions", ()))
    return replace(known, known_blocks=blocks), PageParts(marks, descriptions=tuple(descriptions)), is_whole


def _read_again(page: StoredPage, plain: bytes, extractor: Extractor | None) -> Extraction | None:
    """Return a page with its blocks as they were decided; None where the program finds other blocks by now."""
    line, _, rest = plain[len(_PAGE) :].partition(b"\n")
    told = json.loads(line)
    size = told["blocks"]
    scores, kept = np.frombuffer(rest, np.float64, size), np.frombuffer(rest, np.bool_, size, 8 * size)
    source = _EMPTY.sub(rb"\1></noscript>", rest[9 * size :])
    if extractor is None or extractor.model.name != page.model:
        extractor = extractor_of(page.model if page.model in bundled_models() else DEFAULT_MODEL)
    fetched = FetchedPage(source, told["url"], "utf-8", told["lang"], page.origin or "page")
    extraction = extraction_of(fetched, extractor)
    analysis = extraction.analysis
    if analysis is None or (now := analysis.prediction).kept.size != size:
        return None
    choice = analysis.choice
    # 0.3.0 wrote no reasons.
    reasons = dict(told.get("reasons", choice.rule_reasons if (now.kept == kept).all() else ()))
    is_told = {*(now.kept != kept).nonzero()[0].tolist()} <= reasons.keys() | choice.rule_reasons.keys()
    if extractor.model.name != page.model or not is_told or not np.allclose(now.scores, scores):
        # What explains the decisions of today would contradict these.
        reasons = dict.fromkeys(range(size), _EARLIER)
    choice = choice._replace(kept=kept, rule_reasons=reasons)
    decided = replace(now, scores=scores, kept=kept)
    return replace(extraction, source=replace(analysis, prediction=decided, choice=choice))


def _role(page: StoredPage, row: Mapping[str, Any]) -> str:
    """Return the role of a block that was stored without it, as far as it can be seen."""
    if page.headline and row["text"] == page.headline:
        return "headline"
    if not row.get("kept", True):
        return "clutter"
    return "caption" if row.get("kind") == "caption" else "body"


@dataclass(frozen=True, slots=True)
class PageMentions:
    """The mentions on one page.

    Attributes
    ----------
    url : str
        Its address, as it was given.
    extraction : Extraction
        What was read; its ``error`` says why nothing was.
    mentions : tuple of Mention
        All of them; those with ``counted`` stand in the article.
    """

    url: str
    extraction: Extraction
    mentions: tuple[Mention, ...] = ()

    @property
    def brands(self) -> tuple[str, ...]:
        """The brands that the article names, in order of their first mention."""
        return tuple(dict.fromkeys(mention.brand for mention in self.mentions if mention.counted))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold."""
        of_page = {name: getattr(self.extraction, name) for name in ("status", "error", "lang", "title")}
        mentions = [asdict(mention) for mention in self.mentions]
        return {"url": self.url, **of_page, "brands": list(self.brands), "mentions": mentions}


def mentions_in(
    pages: Iterable[tuple[str, str | bytes]],
    brands: Iterable[Brand | str] | BrandMatcher,
    *,
    extractor: Extractor | None = None,
    jobs: int = 1,
    deadline: float | None = None,
) -> Iterator[PageMentions]:
    """Yield the mentions in each page, in order; nothing is stored.

    Parameters
    ----------
    pages : iterable of (str, str or bytes)
        Address and HTML of each page; taken lazily.
    brands : iterable of Brand or str, or BrandMatcher
        What is looked for; a plain name is a brand without aliases.
    extractor : Extractor, optional
        The default model by default.
    jobs : int
        Number of processes.
    deadline : float, optional
        Most seconds for one page.

    Examples
    --------
    >>> html = "<p>The Corvane ferry leaves at nine and returns before dark."
    >>> pages = [("https://example.org/1", html)]
    >>> [found.brands for found in mentions_in(pages, ["Corvane"])]
    [('Corvane',)]
    """
    if not isinstance(brands, BrandMatcher):
        brands = BrandMatcher.of(Brand(brand) if isinstance(brand, str) else brand for brand in brands)
    work = _MentionsOf(extractor or Extractor.load(), brands)
    documents = (Document(id=url, data=html, url=url) for url, html in pages)
    for _, found in read_pages(work, documents, jobs=jobs, deadline=deadline):
        yield found


@dataclass(frozen=True)
class _MentionsOf(PageWork[PageMentions]):
    """Extracts a page and finds its mentions, in any process."""

    matcher: BrandMatcher

    def result(self, document: Document, extraction: Extraction) -> PageMentions:
        mentions = mentions_of(extraction, self.matcher) if extraction.error is None else ()
        return PageMentions(document.id, extraction, mentions)
