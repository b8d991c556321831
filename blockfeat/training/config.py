"""What all trainers share: configuration files, ``fit(pages)``, progress, reports; and the trainer of each kind."""

from __future__ import annotations

import inspect
import json
import tomllib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from math import inf
from pathlib import Path
from textwrap import wrap
from typing import Any, ClassVar, Generic, Literal, Protocol, TypeVar

from blockfeat._config import KeyPath, Problems, checked, dotted, parse_toml
from blockfeat._files import bundled_file
from blockfeat._files import config_text as text_of
from blockfeat.data.corpus import LabelledPage
from blockfeat.errors import ConfigError, InputError, TrainingError
from blockfeat.models.model import Model
from blockfeat.models.store import Plugins
from blockfeat.pso.search import FeatureCurve
from blockfeat.pso.swarm import Generation
from blockfeat.training.evaluation.strategies import GroupedScores

Config = TypeVar("Config")


@dataclass(frozen=True)
class Progress:
    """Progress of a training run.

    Attributes
    ----------
    phase : str
        ``"reading"``, ``"measuring"``, ``"fitting"``, ``"swarm"``, ``"network"`` or ``"testing"``.
    done, total : int
        Number of steps done, and of all steps of this phase.
    note : str
        What the steps are, and the latest value, such as the loss.
    kept : str
        What would be kept if the user stopped now; empty if nothing.
    generation : Generation, optional
        The generation of the swarm that has just ended.
    """

    phase: str
    done: int
    total: int
    note: str = ""
    kept: str = ""
    generation: Generation | None = None


OnProgress = Callable[[Progress], None]


def no_progress(progress: Progress) -> None:
    """Ignore progress."""


@dataclass(frozen=True)
class TrainingReport:
    """Results of a training run.

    Attributes
    ----------
    kind : str
        Kind of model.
    training_pages, test_pages : int
        Number of pages that were used for training and for testing.
    parted_by : str
        What the split keeps apart: ``"hosts"``, or ``"pages"`` if all pages are of one host.
    fitness : float or None
        What the swarm maximised: mean over all training pages; None for kinds without a swarm.
    keep_all : float or None
        The same if all blocks are kept.
    training : GroupedScores or None
        Fitness of the model and of keeping all blocks, separately for pages with gold text and with snippets.
    test : GroupedScores or None
        FE, PR, TB and HL on the test part (the paper's Table 1), separately for the two groups.
    history : tuple of Generation
        Best and mean fitness by generation (the paper's Fig. 3).
    curves : tuple of FeatureCurve
        Fitness of each feature alone by threshold (Fig. 4), for threshold models.
    curves_of : str
        The pages and the measure of the curves.
    skipped : tuple of str
        Pages that could not be used, each with the reason.
    details : mapping
        Further figures, specific to the kind of model.
    interrupted : bool
        Whether the user stopped the training.
    """

    kind: str
    training_pages: int
    test_pages: int = 0
    parted_by: Literal["hosts", "pages"] = "hosts"
    fitness: float | None = None
    keep_all: float | None = None
    training: GroupedScores | None = None
    test: GroupedScores | None = None
    history: tuple[Generation, ...] = ()
    curves: tuple[FeatureCurve, ...] = ()
    curves_of: str = ""
    skipped: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    interrupted: bool = False


class TrainedModel(Model, Protocol):
    """A model with the report of its training."""

    @property
    def report(self) -> TrainingReport | None:
        """Report of the training."""


@dataclass(frozen=True, kw_only=True)
class Trainer(ABC, Generic[Config]):
    """Trains one kind of model.

    Attributes
    ----------
    config : dataclass
        The hyperparameters.
    seed : int
        Seed of all random numbers; the same seed and pages give the same model.
    jobs : int
        Number of processes or threads; the model does not depend on it.
    name : str
        Name of the model.
    languages : tuple of str
        Languages that the model is for; empty for any.
    """

    kind: ClassVar[str]
    suffix: ClassVar[str]

    config: Config
    seed: int = 0
    jobs: int = 1
    name: str = "trained"
    languages: tuple[str, ...] = ()

    @property
    def metric(self) -> str:
        """Metric for the test part, a key of `blockfeat.training.evaluation.strategies.METRICS`."""
        return "f1"

    def check_libraries(self) -> None:
        """Check that the libraries that this kind and configuration need are installed, without importing them.

        Raises
        ------
        MissingExtraError
            A library is not installed.
        """

    @abstractmethod
    def fit(self, pages: Sequence[LabelledPage], *, on_progress: OnProgress = no_progress) -> TrainedModel:
        """Learn a model from labelled pages; its ``report`` has no test part yet.

        Raises
        ------
        TrainingError
            No page can be used.
        KeyboardInterrupt
            The user stopped training before there was anything to keep.
        """

    def curves(self, pages: Sequence[LabelledPage]) -> tuple[tuple[FeatureCurve, ...], str]:
        """Return the fitness curves of single features on pages, and what they measure; empty for most kinds."""
        return (), ""


_RUN_OPTIONS = frozenset({"seed"})
_COMMENT = 110


def bundled_configs() -> tuple[str, ...]:
    """Return the names of the configurations that come with blockfeat."""
    return tuple(sorted(path.stem for path in bundled_file("blockfeat.training", "configs").glob("*.toml")))


def _read_document(source: str | Path) -> tuple[dict[str, Any], Problems]:
    """Read a configuration file, or a bundled one by its name; return its values and a collector of problems."""
    path, name = Path(source), str(source).removesuffix(".toml")
    try:
        if not path.exists() and name in bundled_configs():
            text = bundled_file("blockfeat.training", "configs", f"{name}.toml").read_text(encoding="utf-8")
        else:
            text = text_of(path)
    except (InputError, ConfigError) as error:
        raise TrainingError(f"{error} (bundled are {', '.join(bundled_configs())})") from error
    return parse_toml(text, name=str(source), error=TrainingError)


def _changed_by(config: Config, values: Mapping[str, Any], problems: Problems) -> Config:
    """Return a configuration dataclass with new values, also in its nested dataclasses (TOML tables).

    Unknown keys and wrong values raise one error that lists each with file and line number.
    """
    merged = _merged(asdict(config), values, problems)  # type: ignore[call-overload]
    config = checked(type(config), merged, problems, options=_RUN_OPTIONS)
    problems.check()
    return config


def _merged(old: Mapping[str, Any], new: Mapping[str, Any], problems: Problems, path: KeyPath = ()) -> dict[str, Any]:
    """Merge new values into those of a configuration, except for options of a run, which are added to the problems."""
    merged = dict(old)
    for key, value in new.items():
        place = (*path, key)
        if key in _RUN_OPTIONS:
            problems.add(place, f"unknown key '{dotted(place)}'; it is the option --{key}")
        elif isinstance(value, dict) and isinstance(old.get(key), dict):
            merged[key] = _merged(old[key], value, problems, place)
        else:
            merged[key] = value
    return merged


def with_settings(config: Config, settings: Sequence[str]) -> Config:
    """Change a configuration by settings such as ``swarm.particles=50``; a value that is not TOML is a string.

    Raises
    ------
    TrainingError
        A setting has no value, its key is unknown or its value wrong; the message names it.
    """
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not equals:
            raise TrainingError(f"--set {setting}: it must be KEY=VALUE, such as swarm.particles=50")
        line, name = f"{key} = {value}", f"--set {setting}"
        try:
            tomllib.loads(line)
        except (ValueError, RecursionError):
            line = f"{key} = {json.dumps(value)}"
        values, problems = parse_toml(line, name=name, error=TrainingError)
        config = _changed_by(config, values, replace(problems, lines=None))
    return config


def config_text(kind: str, config: Any = None) -> str:
    """Return a configuration as TOML, each key with its description; the default one of a kind if none is given."""
    config = CONFIGS[checked_kind(kind)]() if config is None else config
    lines = [f"# Hyperparameters of blockfeat train --kind {kind}; a file need only have the keys that it changes.", ""]
    lines += [f'kind = "{kind}"']
    return "\n".join([*lines, *_toml_lines(config, "")]) + "\n"


def _toml_lines(config: Any, prefix: str) -> Iterator[str]:
    """Yield the lines of a configuration as TOML: plain values first, then tables."""
    described = _descriptions(type(config))
    tables = []
    for name in (option.name for option in fields(config) if option.name not in _RUN_OPTIONS):
        value = getattr(config, name)
        comment = [f"# {line}" for line in wrap(described.get(name, ""), _COMMENT)]
        if is_dataclass(value):
            tables.append((name, value, comment))
        else:
            # JSON and TOML write strings, numbers, booleans and arrays alike, except for infinity.
            written = "inf" if value == inf else json.dumps(value, ensure_ascii=False)
            yield from ("", *comment, f"{name} = {written}")
    for name, value, comment in tables:
        yield from ("", *comment, f"[{prefix}{name}]", *list(_toml_lines(value, f"{prefix}{name}."))[1:])


def _descriptions(cls: type[Any]) -> dict[str, str]:
    """Return the descriptions of a class's attributes in its docstring, by name."""
    described: dict[str, str] = {}
    names: list[str] = []
    _, _, section = (inspect.getdoc(cls) or "").partition("Attributes\n----------\n")
    for line in section.splitlines():
        if line.startswith("    "):
            for name in names:
                described[name] = f"{described.get(name, '')} {line.strip()}".strip()
        elif " : " in line:
            names = [name.strip() for name in line.partition(" : ")[0].split(",")]
        else:
            break
    return described


TRAINERS = Plugins(
    group="blockfeat.trainers",
    own={
        "thresholds": "blockfeat.training.thresholds:ThresholdTrainer",
        "margin": "blockfeat.training.margin:MarginTrainer",
        "sequence": "blockfeat.training.sequence:SequenceTrainer",
    },
    error=TrainingError,
)
"""Trainer of each kind."""


class _Configs(Plugins):
    """Configuration class of each kind: the default factory of its trainer's ``config``."""

    def __getitem__(self, kind: str) -> type[Any]:
        trainer: type[Trainer[Any]] = super().__getitem__(kind)
        (made,) = (option.default_factory for option in fields(trainer) if option.name == "config")
        if not isinstance(made, type):
            raise TrainingError(f"the trainer of kind {kind!r} has no class as the default of its configuration")
        return made


CONFIGS = _Configs(TRAINERS.group, TRAINERS.own, TRAINERS.error)
"""Configuration class of each kind."""


def checked_kind(kind: str) -> str:
    """Return the kind, if models of it can be trained.

    Raises
    ------
    TrainingError
        There is no such kind.
    """
    if kind not in TRAINERS:
        raise TrainingError(f"unknown kind {kind!r}; known are {', '.join(TRAINERS)}")
    return kind


def load_config(source: str | Path, kind: str | None = None) -> tuple[str, Any]:
    """Read a configuration file; return its kind, and its values as a dataclass.

    Parameters
    ----------
    source : str or path
        A TOML file, or the name of a bundled configuration (`blockfeat.training.config.bundled_configs`).
    kind : str, optional
        Kind that the configuration must be for; required if the file has no ``kind``.

    Raises
    ------
    TrainingError
        The file cannot be read, is for another kind, or has an unknown key or a bad value; the message names both.
    """
    document, problems = _read_document(source)
    named = document.pop("kind", None)
    if named is not None and not isinstance(named, str):
        raise TrainingError(f"{source}: 'kind' must be a string, not {named!r}")
    if named is not None and kind is not None and named != kind:
        raise TrainingError(f"{source}: it configures models of kind {named!r}, not {kind!r}")
    wanted = named or kind or ""
    if wanted not in TRAINERS:
        problem = "'kind' is missing" if not wanted else f"unknown 'kind' {wanted!r}"
        raise TrainingError(f"{source}: {problem}; known are {', '.join(TRAINERS)}")
    return wanted, _changed_by(CONFIGS[wanted](), document, problems)


def make_trainer(kind: str, config: Any = None, **options: Any) -> Trainer[Any]:
    """Return the trainer of a kind; options are the attributes of `Trainer`."""
    cls: type[Trainer[Any]] = TRAINERS[checked_kind(kind)]
    if config is None:
        return cls(**options)
    if not isinstance(config, CONFIGS[kind]):
        raise TrainingError(f"kind {kind!r} takes a {CONFIGS[kind].__name__}, not a {type(config).__name__}")
    return cls(config=config, **options)
