"""Training of the two networks with PyTorch (Vogels et al. 2018, 4.2); needs the extra ``web2text``."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat._config import Count, Ranged
from blockfeat._extras import import_torch
from blockfeat.errors import TrainingError
from blockfeat.papers.web2text.features import BLOCK_FEATURES, EDGE_FEATURES, LeafFeatures, Web2TextFeature
from blockfeat.papers.web2text.model import FILTERS, KERNELS, Layer, LeafLabeller, Network

_logger = logging.getLogger("blockfeat.papers.web2text.networks")
_NEGLIGIBLE = 1e-15
Floats = NDArray[np.float32]
# PyTorch is imported when training starts, and its objects are not typed here: most installations do not have it.
Tensor = Any
Module = Any


@dataclass(frozen=True, slots=True)
class LabelledLeaves:
    """A training or validation page.

    Attributes
    ----------
    features : LeafFeatures
        Features of its n leaves.
    labels : bool array, n
        Whether each leaf is content.
    weights : float array, n
        Weight of each leaf in the error, 0 or more; 0 for a leaf that is ignored.
    """

    features: LeafFeatures
    labels: NDArray[np.bool_]
    weights: NDArray[np.float64]


@dataclass(frozen=True)
class Recipe(Ranged):
    """Hyperparameters of the training of the networks; the defaults are those of the paper where it gives them.

    Attributes
    ----------
    steps : int
        Most mini-batches.
    batch : int
        Excerpts in a mini-batch.
    excerpt : int
        Leaves in an excerpt.
    learning_rate : float
        Learning rate of Adam.
    dropout : float
        Dropout rate: share of the inputs of a layer that are set to 0.
    weight_decay : float
        Weight decay of Adam.
    check_every : int
        Steps between evaluations on the validation pages.
    patience : int
        Evaluations without a lower error before training stops.
    interpolation : float
        λ of the model, the weight of the pairwise network.
    """

    error = TrainingError

    steps: Count = 5_000
    batch: Count = 128
    excerpt: Count = 9
    learning_rate: float = 1e-3
    dropout: float = 0.2
    weight_decay: float = 1e-4
    check_every: Count = 100
    patience: Count = 15
    interpolation: float = 1.0


@dataclass(frozen=True, slots=True)
class Trained:
    """Result of training: the networks, the validation error of each by name, and whether the user stopped training."""

    labeller: LeafLabeller
    errors: dict[str, float]
    interrupted: bool = False


@dataclass(frozen=True)
class _Sequences:
    """Standardised inputs, classes and weights of many pages, concatenated; first and end row of each page."""

    inputs: Tensor
    answers: Tensor
    weights: Tensor
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]


@dataclass(frozen=True)
class _Task:
    """One of the two networks: its name, its features and its number of classes."""

    name: str
    features: tuple[Web2TextFeature, ...]
    classes: int

    def matrix(self, page: LabelledLeaves) -> Floats:
        return page.features.blocks if self.classes == 2 else page.features.edges

    def answers(self, page: LabelledLeaves) -> NDArray[np.int64]:
        labels = page.labels.astype(np.int64)
        return labels if self.classes == 2 else 2 * labels[:-1] + labels[1:]

    def weights(self, page: LabelledLeaves) -> NDArray[np.float64]:
        return page.weights if self.classes == 2 else np.minimum(page.weights[:-1], page.weights[1:])


_TASKS = (_Task("unary", BLOCK_FEATURES, 2), _Task("pairwise", EDGE_FEATURES, 4))


def train_web2text(
    pages: Sequence[LabelledLeaves],
    validation: Sequence[LabelledLeaves],
    recipe: Recipe | None = None,
    *,
    seed: int = 1,
    on_check: Callable[[str, int, float], None] | None = None,
) -> Trained:
    """Train both networks, each with early stopping, and return them with their weights as numpy arrays.

    Parameters
    ----------
    pages, validation : sequence of LabelledLeaves
        Training pages, and pages whose error decides when training stops and which weights are kept.
    recipe : Recipe, optional
        The hyperparameters; by default those of the paper.
    seed : int
        Seed of the initial weights, of the excerpts and of dropout.
    on_check : callable, optional
        Called at each evaluation with the network's name, the step and the error on the validation pages.

    Raises
    ------
    KeyboardInterrupt
        The user stopped training (Ctrl-C) before the second network had been evaluated; later, its best weights so far
        are the result.
    MissingExtraError
        PyTorch is not installed.
    TrainingError
        There are too few pages.
    """
    torch = import_torch()
    recipe = recipe or Recipe()
    usable = [page for page in pages if page.labels.size > 1]
    checked = [page for page in validation if page.labels.size > 1]
    if not usable or not checked:
        raise TrainingError("Web2Text needs at least one page to learn from and one for validation, with two leaves")
    networks: list[Network] = []
    errors: dict[str, float] = {}
    interrupted = False
    with torch.random.fork_rng(), ExitStack() as behind:
        # On one thread small networks are trained faster, with the same results on any machine.
        behind.callback(torch.set_num_threads, torch.get_num_threads())
        torch.set_num_threads(1)
        torch.manual_seed(seed)
        for task in _TASKS:
            rng = np.random.default_rng(seed)
            network, errors[task.name], interrupted = _train(task, usable, checked, recipe, rng, on_check)
            # One network alone is no model.
            if interrupted and task is not _TASKS[-1]:
                raise KeyboardInterrupt
            networks.append(network)
    return Trained(LeafLabeller(networks[0], networks[1], recipe.interpolation), errors, interrupted)


def _train(
    task: _Task,
    pages: Sequence[LabelledLeaves],
    validation: Sequence[LabelledLeaves],
    recipe: Recipe,
    rng: np.random.Generator,
    on_check: Callable[[str, int, float], None] | None,
) -> tuple[Network, float, bool]:
    """Train one network; return it, its error on the validation pages, and whether the user stopped it."""
    torch = import_torch()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    mean, scale = _standardisation(task, pages)
    blank = Network(mean, scale, ())
    training, checked = (_sequences(task, blank, found, recipe.excerpt, device) for found in (pages, validation))
    net = stack((mean.size, *FILTERS, task.classes), KERNELS, recipe.dropout).to(device)
    weights = [parameter for parameter in net.parameters() if parameter.dim() > 1]
    biases = [parameter for parameter in net.parameters() if parameter.dim() == 1]
    optimiser = torch.optim.Adam(
        [{"params": weights, "weight_decay": recipe.weight_decay}, {"params": biases}], lr=recipe.learning_rate
    )
    best, kept, since, interrupted = float("inf"), None, 0, False
    try:
        for step in range(1, recipe.steps + 1):
            net.train()
            optimiser.zero_grad()
            inputs, answers, masses = _excerpts(training, recipe, rng)
            errors = torch.nn.functional.cross_entropy(net(inputs), answers, reduction="none")
            ((errors * masses).sum() / masses.sum().clamp_min(1e-6)).backward()
            optimiser.step()
            if step % recipe.check_every and step < recipe.steps:
                continue
            found = _validation_error(net, checked)
            _logger.info("%s, step %d: validation error %.4f", task.name, step, found)
            since += 1
            if found < best:
                best, since = found, 0
                kept = {key: value.detach().clone() for key, value in net.state_dict().items()}
            if on_check is not None:
                on_check(task.name, step, best)
            if since >= recipe.patience:
                break
    except KeyboardInterrupt:
        if kept is None:
            raise
        interrupted = True
    if kept is None:
        raise TrainingError(f"the validation error of the {task.name} network is not a number")
    net.load_state_dict(kept)
    return Network(mean, scale, layers_of(net)), best, interrupted


def _standardisation(task: _Task, pages: Sequence[LabelledLeaves]) -> tuple[Floats, Floats]:
    """Return mean and standard deviation of the features over all training pages; 0 and 1 for binary ones."""
    count, total, squares = (np.zeros(len(task.features)) for _ in range(3))
    for page in pages:
        matrix = task.matrix(page).astype(np.float64)
        count += np.count_nonzero(~np.isnan(matrix), axis=0)
        total += np.nansum(matrix, axis=0)
        squares += np.nansum(matrix**2, axis=0)
    count = np.maximum(count, 1)
    mean = total / count
    spread = np.sqrt(np.maximum(squares / count - mean**2, 0))
    is_binary = np.array([feature.is_binary for feature in task.features])
    mean[is_binary] = 0.0
    spread[is_binary | (spread < 1e-6)] = 1.0
    return mean.astype(np.float32), spread.astype(np.float32)


def _sequences(task: _Task, blank: Network, pages: Sequence[LabelledLeaves], gap: int, device: Any) -> _Sequences:
    """Concatenate pages, each followed by a gap of ``gap`` rows of zeros with weight 0."""
    torch = import_torch()
    rows = [np.pad(blank.standardise(task.matrix(page)), ((0, gap), (0, 0))) for page in pages]
    answers = [np.pad(task.answers(page), (0, gap)) for page in pages]
    weights = [np.pad(task.weights(page).astype(np.float32), (0, gap)) for page in pages]
    columns = (rows, answers, weights)
    inputs, classes, masses = (torch.from_numpy(np.concatenate(each)).to(device) for each in columns)
    behind = np.cumsum([each.size for each in answers])
    return _Sequences(inputs, classes, masses, np.append(0, behind[:-1]), behind - gap)


def _excerpts(sequences: _Sequences, recipe: Recipe, rng: np.random.Generator) -> tuple[Tensor, Tensor, Tensor]:
    """Draw random excerpts of random pages: inputs (batch × features × excerpt), classes, weights (batch × excerpt)."""
    torch = import_torch()
    page = rng.integers(sequences.starts.size, size=recipe.batch)
    start, end = sequences.starts[page], sequences.ends[page]
    first = start + (rng.random(recipe.batch) * np.maximum(end - start - recipe.excerpt + 1, 1)).astype(np.int64)
    places = torch.from_numpy(first[:, None] + np.arange(recipe.excerpt)).to(sequences.inputs.device)
    return sequences.inputs[places].transpose(1, 2), sequences.answers[places], sequences.weights[places]


def _validation_error(net: Module, sequences: _Sequences) -> float:
    """Return the weighted mean of the cross-entropy over whole pages."""
    torch = import_torch()
    net.eval()
    total = 0.0
    with torch.no_grad():
        for start, end in zip(sequences.starts.tolist(), sequences.ends.tolist(), strict=True):
            logits = net(sequences.inputs[start:end].T[None])[0].T
            errors = torch.nn.functional.cross_entropy(logits, sequences.answers[start:end], reduction="none")
            total += float(errors @ sequences.weights[start:end])
    return total / max(float(sequences.weights.sum()), 1e-6)


def stack(sizes: Sequence[int], kernels: Sequence[int], dropout: float) -> Module:
    """Return a stack of convolutions from each size to the next, with ReLU and dropout before all but the first."""
    nn = import_torch().nn
    layers: list[Module] = []
    for number, kernel in enumerate(kernels):
        if number:
            layers += [nn.ReLU(), nn.Dropout(dropout)]
        layers.append(nn.Conv1d(sizes[number], sizes[number + 1], kernel, padding="same"))
    return nn.Sequential(*layers)


def layers_of(net: Module) -> tuple[Layer, ...]:
    """Return the layers of a PyTorch network as numpy arrays; negligible weights are set to 0.

    Weight decay leaves subnormal numbers in units that are not used, and products with them take several times as long.
    """

    def layer(module: Module) -> Layer:
        weights = np.array(module.weight.detach().cpu().numpy().transpose(2, 1, 0), order="C")
        weights[np.abs(weights) < _NEGLIGIBLE] = 0.0
        return Layer(weights, module.bias.detach().cpu().numpy().copy())

    return tuple(layer(module) for module in net if hasattr(module, "weight"))
