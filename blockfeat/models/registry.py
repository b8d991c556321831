"""The registry of models: the class of every kind, by the entry-point group ``blockfeat.models``.

A package adds a kind by an entry point of its name, which refers to a class that implements
`blockfeat.models.model.Model`; see CONTRIBUTING.md. Classes are imported when they are used.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from blockfeat.errors import BlockfeatError, ModelError
from blockfeat.models.model import Model


@dataclass(frozen=True)
class Plugins(Mapping[str, Any]):
    """What is registered in a group of entry points, by name; what a package has itself comes first.

    Attributes
    ----------
    group : str
        The group.
    own : mapping
        Module and name of each of the package's own, which are found without a look at what is installed.
    error : type
        What is raised where a plug-in cannot be imported.
    """

    group: str
    own: Mapping[str, str]
    error: type[BlockfeatError]

    def __getitem__(self, name: str) -> Any:
        """Import what is registered under a name."""
        place = self.own.get(name) or self._installed()[name]
        module, _, attribute = place.partition(":")
        try:
            return getattr(import_module(module), attribute)
        except (ImportError, AttributeError) as error:
            raise self.error(f"{name!r} of the entry points {self.group!r} cannot be imported: {error}") from error

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names, the package's own first."""
        return iter([*self.own, *sorted(self._installed().keys() - self.own.keys())])

    def __len__(self) -> int:
        """Return the number of names."""
        return len(self.own.keys() | self._installed().keys())

    def __contains__(self, name: object) -> bool:
        """Return whether something is registered under a name; imports nothing."""
        return name in self.own or name in self._installed()

    def _installed(self) -> dict[str, str]:
        """Return the entry points of all installed packages; read anew each time, for what is installed may change."""
        from importlib.metadata import entry_points

        return {found.name: found.value for found in entry_points(group=self.group)}


MODEL_KINDS = Plugins(
    group="blockfeat.models",
    own={
        "thresholds": "blockfeat.models.threshold:ThresholdModel",
        "margin": "blockfeat.models.margin:MarginModel",
        "sequence": "blockfeat.models.sequence:SequenceModel",
    },
    error=ModelError,
)
"""Class of each kind of model."""


def model_class(kind: object, *, where: str) -> type[Model]:
    """Return the class of a kind of model.

    Raises
    ------
    ModelError
        The kind is unknown; the message names ``where`` and lists the known kinds.
    """
    if not isinstance(kind, str) or kind not in MODEL_KINDS:
        raise ModelError(f"{where}: kind {kind!r} is unknown; known are {', '.join(MODEL_KINDS)}")
    cls: type[Model] = MODEL_KINDS[kind]
    return cls
