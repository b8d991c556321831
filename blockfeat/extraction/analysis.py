"""``PageAnalysis``: a measured page, and what an extraction reports of it beside the text, computed on demand.

Most callers read the text alone: modules that only other parts need are imported where those parts are computed.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from blockfeat.blocks.block import Block, Link
from blockfeat.blocks.table import kinds_of_blocks
from blockfeat.content.links import Base, TextLink, links_of_text
from blockfeat.content.plain import data_tables, normalised, plain_text, with_marked_scripts
from blockfeat.extraction.page_kind import JudgedPage, confidence_measures, expected_f1
from blockfeat.extraction.parts import ROLES, article_titles, block_roles
from blockfeat.extraction.postprocess import Choice
from blockfeat.features.measuring import PageFeatures
from blockfeat.lang.identify import LONGEST_TEXT, MOST_WORDS, Identifier
from blockfeat.models.model import BlockReason, Model, Prediction
from blockfeat.page.page import check_memory

if TYPE_CHECKING:
    from blockfeat.content.nodes import Node
    from blockfeat.extraction.reasons import Counterfactual, Fact, PageFacts
    from blockfeat.metadata.metadata import Metadata

_BETWEEN, _FEW_WORDS = "\n\n", 500


@dataclass(frozen=True)
class Facts:
    """Results about a page and its text.

    Attributes
    ----------
    kind : str
        What the page is, one of `blockfeat.extraction.page_kind.KINDS`.
    confidence : float or None
        Expected word F1 of the text; None for plain text, all of which is kept whatever the model says.
    lang_confidence : float or None
        Confidence that the text is in the page's language, from 0 to 1.
    roles : tuple of str
        The part of each block, of `blockfeat.extraction.parts.ROLES`.
    lead, body : str or None
        The standfirst; the kept text that is neither headline, lead, caption nor comment.
    captions, comments : tuple of str
        Captions inside the text, and what readers wrote, kept or not.
    links : tuple of TextLink
        Links of the text.
    """

    kind: str = "error"
    confidence: float | None = None
    lang_confidence: float | None = None
    roles: tuple[str, ...] = ()
    lead: str | None = None
    body: str | None = None
    captions: tuple[str, ...] = ()
    comments: tuple[str, ...] = ()
    links: tuple[TextLink, ...] = ()

    def packed(self, text: str) -> bytes:
        """Return them as compressed JSON, in which paragraphs that the text has too are told by their number."""
        places = {part: number for number, part in enumerate(text.split(_BETWEEN))}
        body = self.body.split(_BETWEEN) if self.body else ()
        parts = {"body": body, "captions": self.captions, "comments": self.comments}
        told = {name: [places.get(part, part) for part in given] for name, given in parts.items()}
        links = {"links": [[link.text for link in self.links], [link.url for link in self.links]]}
        written = json.dumps(asdict(self) | told | links, ensure_ascii=False).encode("utf-8", "surrogatepass")
        compressor = zlib.compressobj(9, zdict=_dictionary(text))
        return compressor.compress(written) + compressor.flush()

    @classmethod
    def unpacked(cls, data: bytes, text: str) -> Facts:
        """Return the facts that `packed` made this of, with the same text."""
        values: dict[str, Any] = json.loads(zlib.decompressobj(zdict=_dictionary(text)).decompress(data))
        parts = text.split(_BETWEEN)
        for name in ("body", "captions", "comments", "roles"):
            values[name] = tuple(parts[part] if isinstance(part, int) else part for part in values[name])
        body = _BETWEEN.join(values["body"]) or None
        return cls(**values | {"body": body, "links": tuple(map(TextLink, *values["links"]))})


def _dictionary(text: str) -> bytes:
    """Return the end of a text, whose words links and comments have too: as much of it as zlib looks back."""
    return text.encode("utf-8", "surrogatepass")[-32_768:]


Explained = tuple[str, tuple["Fact", ...], str]
"""Part, facts and reason of a block."""
# Up to this number, blocks are explained one by one: the whole page takes as long as six of them.
_MOST_FEW = 3


class BlockColumns(dict[str, Sequence[Any]]):
    """The blocks of a page as columns by the attributes of `Block`, each made when a value of it is first read.

    The analysis itself is not known here, as objects that refer to each other in a circle are freed late.

    Parameters
    ----------
    measured, prediction, model, choice
        As `PageAnalysis` has them.
    """

    def __init__(self, measured: PageFeatures, prediction: Prediction, model: Model, choice: Choice) -> None:
        super().__init__()
        self.measured, self.prediction, self.model, self.choice = measured, prediction, model, choice
        self.blocks, self.kept = measured.blocks, prediction.kept
        self._few: dict[int, Explained] = {}

    def __missing__(self, name: str) -> Sequence[Any]:
        """Make a column."""
        if name in _BYTES:
            self.check_memory(_BYTES[name], "the reasons for all blocks")
        column = self[name] = _COLUMNS[name](self)
        return column

    def check_memory(self, bytes_a_block: int, what: str) -> None:
        """Raise LimitExceeded where what is made of all blocks takes more than 64 MB and 25 times the page's bytes."""
        size = len(self.choice.page.data)
        check_memory(size, _BYTES_OF_PAGE * size + bytes_a_block * self.kept.size, what)

    @cached_property
    def headline(self) -> tuple[int, str] | tuple[None, None]:
        """The block that is the headline, and its text, not in normal form."""
        return self.choice.headline()

    @cached_property
    def _seen(self) -> PageFacts:
        from blockfeat.extraction.block_classes import BoxNames
        from blockfeat.extraction.reasons import PageFacts

        return PageFacts(self.blocks, self.kept, BoxNames(self.blocks))

    def explained(self, index: int) -> Explained:
        """Return part, facts and reason of a block; after a few single calls, those of all are computed."""
        if index not in self._few and len(self._few) < _MOST_FEW and "explained" not in self:
            self._few[index] = self.explain([index])[0]
        return self._few[index] if index in self._few else self["explained"][index]

    def explain(self, chosen: Sequence[int]) -> list[Explained]:
        """Return part, facts and reason of some blocks.

        The reason is what a rule says, or else the model, with the class where thresholds failed, or the facts.
        """
        from blockfeat.extraction.block_classes import classes_of
        from blockfeat.extraction.reasons import reason, said_facts, with_part

        rules, lang = self.choice.rule_reasons, self.choice.options.lang_ui
        has_words = lang == "en" and self.model.kind not in _WITHOUT_WORDS
        seen, kinds = self._seen, kinds_of_blocks(self.blocks, chosen)
        parts = classes_of(self.blocks, self.kept, seen.boxes, self["role"], chosen)
        worded = cache(lambda part, facts, kept: reason(part, facts, kept=kept, lang=lang))
        found: list[Explained] = []
        unsaid, labels = BlockReason(), self.kept.data
        for index, part, kind in zip(chosen, parts, kinds, strict=True):
            if index in rules:
                found.append((part, (), rules[index]))
                continue
            facts, kept = seen.of(index, part, kind.name), labels[index]
            said = self["said"][index] if has_words else unsaid
            if not said.reason:
                because = worded(part, facts, kept)
            elif said.failed:
                because = said.reason if kept else with_part(part, said.reason)
            else:
                because = "; ".join(filter(None, (said.reason, said_facts(facts))))
            found.append((part, facts, because))
        return found


def _texts(page: BlockColumns) -> list[str]:
    texts = page.blocks.texts()
    for index, kind in enumerate(page["kinds"]):
        if kind.name == "preformatted":
            texts[index] = page.blocks.preformatted_text(index)
    return texts


def _links(page: BlockColumns) -> list[tuple[Link, ...]]:
    both = zip(page["kinds"], page.blocks.links(), strict=True)
    return [() if kind.name == "preformatted" else links for kind, links in both]


# Their models say how far each feature moved a score, in no words.
_WITHOUT_WORDS = ("sequence", "margin")
_COLUMNS: Mapping[str, Callable[[BlockColumns], Sequence[Any]]] = {
    "text": _texts,
    "xpath": lambda page: page.blocks.xpaths(),
    "kinds": lambda page: kinds_of_blocks(page.blocks),
    "links": _links,
    "said": lambda page: page.model.explain(page.measured, page.prediction),
    "role number": lambda page: block_roles(page.blocks, page.kept, page.headline[0]).data,
    "role": lambda page: tuple(map(ROLES.__getitem__, page["role number"])),
    "explained": lambda page: page.explain(range(len(page.blocks))),
}
# What the columns take for each block, beside the text of the page.
_BYTES = {"said": 2_500, "explained": 1_500}
_EXPLAINED = ("part", "facts", "reason")
_OF_A_BLOCK = tuple(Block.__dataclass_fields__)
_BYTES_OF_BLOCK, _BYTES_OF_PAGE = 750, 12
_AT_ONCE = ("text", "words", "kind", "level", "ordered", "kept", "score")


class PageBlock(Block):
    """A block some of whose values are made when they are read; equal to a `Block` of these values.

    It keeps its page in memory; pickled, it is its values alone.
    """

    __slots__ = ("_columns",)
    _columns: BlockColumns

    @classmethod
    def of(cls, columns: BlockColumns, index: int, row: Sequence[Any]) -> PageBlock:
        """Return one block of a page, with its values of `_AT_ONCE`."""
        block = object.__new__(cls)
        for name, value in zip(("_columns", "index", *_AT_ONCE), (columns, index, *row), strict=True):
            object.__setattr__(block, name, value)
        return block

    def __getattr__(self, name: str) -> Any:
        """Read a value for the first time."""
        if name not in _OF_A_BLOCK:
            raise AttributeError(f"a block has no {name!r}")
        columns, index = self._columns, self.index
        if name in _EXPLAINED:
            value: Any = columns.explained(index)[_EXPLAINED.index(name)]
        else:
            value = columns[name][index] if name in _COLUMNS else getattr(columns["said"][index], name)
        object.__setattr__(self, name, value)
        return value

    def __eq__(self, other: object) -> bool:
        """Return whether another block has the same values."""
        return isinstance(other, Block) and all(getattr(self, name) == getattr(other, name) for name in _OF_A_BLOCK)


@dataclass(frozen=True, eq=False)
class PageAnalysis:
    """One page as it was measured and predicted.

    Attributes
    ----------
    measured : PageFeatures
        The page's blocks and their features.
    prediction : Prediction
        Scores, and the blocks that are kept at last.
    model : Model
        What labelled the blocks.
    identifier : Identifier
        Language identification.
    evidence : JudgedPage
        Evidence for the kind of the page.
    choice : Choice
        The labels after rules and options, with the reasons; the page and the options.
    """

    measured: PageFeatures
    prediction: Prediction
    model: Model
    identifier: Identifier
    evidence: JudgedPage
    choice: Choice

    @cached_property
    def columns(self) -> BlockColumns:
        """The blocks as columns."""
        return BlockColumns(self.measured, self.prediction, self.model, self.choice)

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """Every block of the page, in order; what takes long, such as reasons and paths, is made when it is read."""
        self.columns.check_memory(_BYTES_OF_BLOCK, "all blocks")
        page, words = self.columns, self.measured.blocks.measures.words
        columns = (page["text"], words.tolist(), page["kinds"], page.kept.tolist(), self.prediction.scores.tolist())
        rows = ((text, words, *kind, *rest) for text, words, kind, *rest in zip(*columns, strict=True))
        return tuple(PageBlock.of(page, index, row) for index, row in enumerate(rows))

    @property
    def headline(self) -> int | None:
        """The block that is the headline."""
        return self.columns.headline[0]

    @property
    def headline_text(self) -> str | None:
        """The text of that block, in normal form where the options say so."""
        text = self.columns.headline[1]
        return normalised(text) if text and self.choice.options.normalise else text

    @property
    def kind(self) -> str:
        """What the page is."""
        kind, _ = self.evidence.kind
        return "list" if self.choice.is_list and kind == "other" else kind

    @property
    def roles(self) -> tuple[str, ...]:
        """The part of each block."""
        return tuple(self.columns["role"])  # a tuple already

    def blocks_at(self, chosen: Sequence[int]) -> list[Block]:
        """Return some blocks of the page: text, words, path, label, score and, where they were dropped, the reason."""
        page, blocks = self.columns, self.measured.blocks
        dropped = [index for index in chosen if not page.kept[index]]
        known = page.get("explained")
        explained = map(known.__getitem__, dropped) if known is not None else page.explain(dropped) if dropped else ()
        found, reasons = [], {index: because for index, (*_, because) in zip(dropped, explained, strict=True)}
        paths = map(page["xpath"].__getitem__, chosen) if "xpath" in page else blocks.xpaths(chosen)
        for index, path, kind in zip(chosen, paths, kinds_of_blocks(blocks, chosen), strict=True):
            text = blocks.preformatted_text(index) if kind.name == "preformatted" else blocks.text(index)
            words, score = int(blocks.measures.words[index]), float(self.prediction.scores[index])
            why = reasons.get(index)
            found.append(Block(index, text, words, path, kept=why is None, score=score, reason=why or ""))
        return found

    def what_would_change(self, block: int) -> Counterfactual | None:
        """Return the changes that would reverse a block's decision; None if no small change would or a rule decides."""
        from blockfeat.extraction.reasons import what_would_change

        predicted = self.model.predict(self.measured)
        if block in self.choice.rule_reasons or predicted.kept[block] != self.prediction.kept[block]:
            return None
        return what_would_change(self.model, self.measured, predicted, block)

    @cached_property
    def facts(self) -> Facts:
        """What is known of the page beside the text; linear in the page."""
        blocks, kept, roles = self.measured.blocks, self.prediction.kept, self.roles
        page, model_kind, normalise = self.choice.page, self.model.kind, self.choice.options.normalise
        scores, words, (_, chances) = self.prediction.scores, blocks.measures.words, self.evidence.kind
        measures = confidence_measures(model_kind, scores, kept, words, chances, is_found=self.choice.is_found)
        lang_confidence = self._lang_confidence()
        numbers, marked = np.asarray(self.columns["role number"]), with_marked_scripts(blocks)
        tables, given = data_tables(blocks, numbers != ROLES.index("clutter"), self.choice.tables), {*roles}

        def text(role: str) -> str:
            chosen = numbers == ROLES.index(role)
            return plain_text(marked, chosen, tables, normalise=normalise) if role in given else ""

        return Facts(
            kind=self.kind,
            confidence=expected_f1(model_kind, measures, is_list=self.choice.is_list) if page.has_markup else None,
            lang_confidence=lang_confidence,
            roles=roles,
            lead=text("lead") or None,
            body=text("body") or None,
            captions=tuple(filter(None, text("caption").split("\n\n"))),
            comments=tuple(filter(None, text("comment").split("\n\n"))),
            links=links_of_text(blocks, kept, Base.of(blocks.tags, page.url)) if len(blocks) else (),
        )

    def _lang_confidence(self) -> float | None:
        """Return how sure it is that the text that is kept, or else all of it, is in the page's language."""
        blocks, lang = self.measured.blocks, self.measured.lang
        if lang is None or not len(blocks):
            return None
        kept = self.prediction.kept if self.prediction.kept.any() else np.ones(len(blocks), dtype=np.bool_)
        chosen = kept.nonzero()[0]
        words = blocks.measures.token_keys[np.repeat(kept, blocks.measures.words)][:MOST_WORDS]
        lengths = blocks.page_text.block_ends[chosen] - blocks.block_starts[chosen]
        chosen = chosen[: int(lengths.cumsum().searchsorted(LONGEST_TEXT)) + 1]
        # Only n-grams, which decide about few words, see how white space is folded.
        text = "\n".join(blocks.texts(chosen) if words.size < _FEW_WORDS else blocks.raw_texts(chosen))
        guess = self.identifier.identify(text, declared=lang, masks=self.identifier.index.masks_of(words))
        return round(guess.confidence if guess.lang == lang else 1 - max(guess.confidence, 0.5), 3)

    @cached_property
    def metadata(self) -> Metadata | None:
        """What the page says of itself; None where the options leave it out."""
        if not self.choice.options.metadata:
            return None
        # Its patterns take some ten milliseconds to compile.
        from blockfeat.metadata.read import read_metadata

        return read_metadata(self.choice.page, self.measured.blocks, self.prediction.kept, self.headline)

    def nodes(self, *, links: bool, images: bool) -> tuple[Node, ...]:
        """Return the kept blocks as nodes, with the titles of the article; with links and images or without."""
        from blockfeat.content.build import nodes_of
        from blockfeat.content.inline import Inlines

        blocks, kept = self.measured.blocks, self.prediction.kept.copy()
        kept[article_titles(blocks, kept, self.headline)] = True
        url, normalise = self.choice.page.url, self.choice.options.normalise
        inlines = Inlines(blocks, kept, url=url, normalise=normalise, links=links, images=images)
        return nodes_of(blocks, kept, inlines)

    def markup(self, *, absolute: bool, styles: bool) -> str:
        """Return the page with all but its kept blocks taken out, with absolute addresses or not, styles or not."""
        from blockfeat.content.kept_page import KeptPage

        blocks, kept = self.measured.blocks, self.prediction.kept
        return KeptPage(blocks, kept, self.choice.page.url, self.evidence.title, self.choice.page.data).written(
            absolute=absolute, styles=styles
        )
