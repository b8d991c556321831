"""The model Crunch: blocks are kept where their text survives the filters (Gupta, Kaiser, Neistadt & Grimm 2003)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from blockfeat.blocks.cut import Cutter
from blockfeat.blocks.tagtable import TagTable, load_table
from blockfeat.errors import ConfigError, ModelError
from blockfeat.features.measuring import MeasuredPage, Measurer
from blockfeat.lang.identify import Identifier
from blockfeat.models.documents import check_schema, reading_values, table_from_value, table_value
from blockfeat.models.model import Arrays, BlockReason, Prediction, ReadFile
from blockfeat.papers.crunch.clean import decide_on
from blockfeat.papers.crunch.decision import Decision
from blockfeat.papers.crunch.hosts import HostList, host_list
from blockfeat.papers.crunch.measuring import CrunchMeasurer, MeasuredTree
from blockfeat.papers.crunch.read_settings import settings_from_values
from blockfeat.papers.crunch.reasons import FEATURE_NAMES, Reasons
from blockfeat.papers.crunch.settings import CleanSettings

_SCHEMA = 1
_HALF = 0.5
_FAVOUR = 2.0


@dataclass(frozen=True)
class CrunchModel:
    """The settings of Crunch's filters, and the table whose blocks they decide on.

    Attributes
    ----------
    settings : CleanSettings
        What goes. Filters that change no text (styles, widths, meta elements, removed links) do nothing here; of host
        lists, the bundled one is used.
    name : str
        Name of the model.
    table : TagTable
        How pages are cut into the blocks that are kept or not.
    languages, record
        As for every model.
    """

    kind: ClassVar[str] = "crunch"
    decoding: ClassVar[str] = "filters"
    feature_names: ClassVar[tuple[str, ...]] = FEATURE_NAMES

    settings: CleanSettings = field(default_factory=CleanSettings)
    name: str = "crunch"
    table: TagTable = field(default_factory=lambda: load_table("html5"))
    languages: tuple[str, ...] = ()
    record: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check that the model needs no file beside it."""
        if self.settings.advertisements.lists:
            raise ModelError(f"model {self.name!r}: a model uses the bundled list of hosts only, not 'lists'")

    @cached_property
    def hosts(self) -> HostList | None:
        """Hosts of advertisements; None where these stay."""
        advertisements = self.settings.advertisements
        return host_list(advertisements) if advertisements.remove else None

    def measurer(self, identifier: Identifier) -> CrunchMeasurer:
        """Return the measuring stage: blocks by the model's table, and the page's tree beside them."""
        blocks = Measurer(Cutter.of(self.table), features=(), identifier=identifier, languages=self.languages)
        return CrunchMeasurer(blocks)

    def favouring(self, side: str) -> CrunchModel:
        """Return a copy that favours ``"precision"`` or ``"recall"``: half or twice as many links for each word."""
        lists = self.settings.link_lists
        factor = _FAVOUR if side == "recall" else 1 / _FAVOUR
        changed = replace(lists, ratio=lists.ratio * factor, container_ratio=lists.container_ratio * factor)
        return replace(self, settings=replace(self.settings, link_lists=changed))

    def predict(self, measured: MeasuredPage) -> Prediction:
        """Keep the blocks of which more than half of the characters survive; the score is their share - 0.5."""
        tree = _tree(measured)
        scores = tree.text.share_left(self._is_left(self._decision(tree))) - _HALF
        return Prediction(scores, scores > 0)

    def explain(self, measured: MeasuredPage, prediction: Prediction) -> tuple[BlockReason, ...]:
        """Say for each block which filter takes its text, and by what count."""
        tree = _tree(measured)
        decision = self._decision(tree)
        return tuple(Reasons(decision, self.settings, tree.text).of_blocks(prediction.scores + _HALF))

    def _decision(self, tree: MeasuredTree) -> Decision:
        return decide_on(tree.walked, self.settings, self.hosts)

    @staticmethod
    def _is_left(decision: Decision) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Return for each element whether its own text is left."""
        gone = np.frombuffer(decision.gone(), dtype=np.uint8) | np.frombuffer(decision.emptied, dtype=np.uint8)
        return np.asarray(gone == 0)

    def to_document(self) -> tuple[dict[str, Any], Arrays]:
        """Return the model as plain values that a person can read and edit; it has no arrays."""
        document = {
            "kind": self.kind,
            "schema": _SCHEMA,
            "name": self.name,
            "table": table_value(self.table),
            "settings": _plain(asdict(self.settings)),
            "languages": list(self.languages),
            "record": dict(self.record),
        }
        return document, {}

    @classmethod
    def from_document(
        cls, document: Mapping[str, Any], arrays: Arrays, *, where: str = "model", read: ReadFile | None = None
    ) -> CrunchModel:
        """Make a model from plain values; settings that are not there have the paper's value.

        Raises
        ------
        ModelError
            Something is missing or wrong; the message names ``where`` and the key.
        """
        check_schema(document, _SCHEMA, where=where)
        with reading_values(where, prefixed=ConfigError):
            return cls(
                settings=settings_from_values(document["settings"]),
                name=str(document["name"]),
                table=table_from_value(document["table"], where=where),
                languages=tuple(document["languages"]),
                record=document.get("record", {}),
            )


def _tree(measured: MeasuredPage) -> MeasuredTree:
    """Return a page that was measured with its tree."""
    if not isinstance(measured, MeasuredTree):
        raise ModelError("crunch needs a page with its tree, as its own measurer gives it")
    return measured


def _plain(value: Any) -> Any:
    """Return settings as JSON has them: arrays for tuples."""
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    return [_plain(entry) for entry in value] if isinstance(value, tuple) else value
