"""Labelled pages to models: one trainer for each kind, one configuration file a kind, adaptation to a site."""

from importlib import import_module
from warnings import warn

from blockfeat._extras import require_extra
from blockfeat._lazy import lazy_names

require_extra("train", what=__name__)

# Names of trainers and configurations that moved to blockfeat.papers, until the next release.
_MOVED = {"Crunch": "crunch", "Token": "tokens", "Web2Text": "web2text"}

_find, __dir__ = lazy_names(__name__, __file__)


def __getattr__(name: str) -> object:
    """Import a public name at its first use, so that reading a configuration does not load scipy."""
    for part in ("Config", "Trainer"):
        if name.endswith(part) and (kind := _MOVED.get(name.removesuffix(part))) is not None:
            warn(f"{name} has moved to the trainers of blockfeat.papers", DeprecationWarning, stacklevel=2)
            config = import_module("blockfeat.training.config")
            return (config.CONFIGS if part == "Config" else config.TRAINERS)[kind]
    return _find(name)
