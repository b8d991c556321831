"""Training of the sequence network with PyTorch (extra ``sequence``), which extraction does not need."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from blockfeat._config import Count, Positive, Ranged, between
from blockfeat._extras import import_torch
from blockfeat.errors import TrainingError
from blockfeat.models.sequence import DILATIONS, WEIGHT_NAMES
from blockfeat.training.examples import TrainingPage

Array = NDArray[np.float32]

_MOST_BLOCKS = 1_000
_MOST_DEVIATIONS = 5.0


@dataclass(frozen=True)
class SequenceOptions(Ranged):
    """How the network is trained.

    Attributes
    ----------
    channels : int
        Width of the hidden layers.
    passes : int
        Passes over the pages.
    least_steps : int
        Minimum number of mini-batches: with few pages there are more passes.
    pages_a_step : int
        Pages in a mini-batch.
    learning_rate : float
        Highest learning rate of the one-cycle schedule.
    weight_decay : float
        Weight decay of AdamW.
    dropout : float
        Share of channels that are left out in training.
    seed : int
        Seed of the weights, the order of the pages and the dropout.
    """

    error = TrainingError

    channels: Count = 48
    passes: Count = 10
    least_steps: Count = 600
    pages_a_step: Count = 16
    learning_rate: Positive = 3e-3
    weight_decay: Annotated[float, between(0.0)] = 1e-3
    dropout: Annotated[float, between(0.0, 1.0, is_below=True)] = 0.2
    seed: int = 1

    def passes_over(self, pages: int) -> int:
        """Return the number of passes over a training set of ``pages`` pages."""
        return max(self.passes, -(-self.least_steps // self.steps_a_pass(pages)))

    def steps_a_pass(self, pages: int) -> int:
        """Return the number of mini-batches in one pass over ``pages`` pages."""
        return max(1, -(-pages // self.pages_a_step))


@dataclass(frozen=True, eq=False)
class SequenceFit:
    """Result of the training: weights by `WEIGHT_NAMES`, mean loss of each pass, whether the user stopped it."""

    weights: dict[str, Array]
    losses: tuple[float, ...]
    interrupted: bool = False


def fit_sequence(
    pages: Sequence[TrainingPage], options: SequenceOptions, *, on_pass: Callable[[int, float], None] | None = None
) -> SequenceFit:
    """Train the network on pages.

    AdamW with a learning rate that rises and falls in one cycle; the loss is the weighted binary cross-entropy. The
    same seed and pages give the same weights on one machine.

    Parameters
    ----------
    pages : sequence of TrainingPage
        Training pages.
    options : SequenceOptions
        Size and schedule.
    on_pass : callable, optional
        Called with the number of each finished pass, from 1, and its mean loss.

    Raises
    ------
    MissingExtraError
        PyTorch is not installed.
    KeyboardInterrupt
        The user stopped the first pass (Ctrl-C); later, the weights after the last complete pass are the result.
    """
    torch = import_torch("sequence")
    torch.manual_seed(options.seed)
    order = np.random.default_rng(options.seed)
    mean, scale = _standardisation(pages)
    network = _network(torch, pages[0].matrix.shape[1], options)
    optimiser = torch.optim.AdamW(network.parameters(), lr=options.learning_rate, weight_decay=options.weight_decay)
    passes = options.passes_over(len(pages))
    steps = passes * options.steps_a_pass(len(pages))
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, options.learning_rate, total_steps=steps)
    ready = [_cropped(page, mean, scale, order) for page in pages]
    weights: dict[str, Array] = {}
    losses: list[float] = []
    try:
        for _ in range(passes):
            network.train()
            total = 0.0
            for batch in _batches([page[0].shape[0] for page in ready], options.pages_a_step, order):
                inputs, mask, label, weight = _padded(torch, [ready[place] for place in batch])
                loss = torch.nn.functional.binary_cross_entropy_with_logits(
                    network(inputs, mask), label, weight=weight, reduction="sum"
                ) / len(batch)
                optimiser.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(network.parameters(), 2.0)
                optimiser.step()
                schedule.step()
                total += float(loss.detach()) * len(batch)
            losses.append(total / len(ready))
            weights = {"mean": mean, "scale": scale, **_exported(network)}
            if on_pass is not None:
                on_pass(len(losses), losses[-1])
    except KeyboardInterrupt:
        if not weights:
            raise
        return SequenceFit(weights, tuple(losses), interrupted=True)
    return SequenceFit(weights, tuple(losses))


def _standardisation(pages: Sequence[TrainingPage]) -> tuple[Array, Array]:
    """Return mean and inverse standard deviation of each feature (0 if constant); each page has the same weight."""
    means = np.stack([page.matrix.mean(axis=0, dtype=np.float64) for page in pages])
    squares = np.stack([(page.matrix.astype(np.float64) ** 2).mean(axis=0) for page in pages])
    mean = means.mean(axis=0)
    deviation = np.sqrt(np.maximum(squares.mean(axis=0) - mean**2, 0.0))
    scale = np.where(deviation > 1e-6, 1.0 / np.maximum(deviation, 1e-6), 0.0)
    return mean.astype(np.float32), scale.astype(np.float32)


def _cropped(page: TrainingPage, mean: Array, scale: Array, order: np.random.Generator) -> tuple[Array, Array, Array]:
    """Return standardised inputs, labels and weights of a page; of a long one, those of 1000 consecutive blocks."""
    count = page.label.size
    first = int(order.integers(0, max(count - _MOST_BLOCKS, 0) + 1))
    rows = slice(first, first + _MOST_BLOCKS)
    inputs = np.clip((page.matrix[rows] - mean) * scale, -_MOST_DEVIATIONS, _MOST_DEVIATIONS)
    return inputs.astype(np.float32), page.label[rows], page.weight[rows]


def _batches(sizes: Sequence[int], pages: int, order: np.random.Generator) -> list[NDArray[np.intp]]:
    """Return batches of page indices, in random order; the pages of a batch are of similar length."""
    jittered = np.asarray(sizes) * order.uniform(0.8, 1.25, len(sizes))
    ranked = np.argsort(jittered)
    batches = [ranked[first : first + pages] for first in range(0, len(sizes), pages)]
    order.shuffle(batches)
    return batches


def _padded(torch: Any, pages: Sequence[tuple[Array, Array, Array]]) -> tuple[Any, ...]:
    """Return inputs (pages × blocks × k), mask, label and weight, padded with zeros."""
    longest = max(page[0].shape[0] for page in pages)
    inputs = np.zeros((len(pages), longest, pages[0][0].shape[1]), dtype=np.float32)
    others = np.zeros((3, len(pages), longest), dtype=np.float32)
    for place, (matrix, label, weight) in enumerate(pages):
        inputs[place, : label.size] = matrix
        others[:, place, : label.size] = np.ones(label.size), label, weight
    return (torch.from_numpy(inputs), *map(torch.from_numpy, others))


def _network(torch: Any, inputs: int, options: SequenceOptions) -> Any:
    """Return the network of `blockfeat.models.sequence.SequenceModel` as a module."""

    class Network(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            channels = options.channels
            self.inner = torch.nn.Linear(inputs, channels)
            self.page = torch.nn.Linear(channels, channels)
            self.convolutions = torch.nn.ModuleList(torch.nn.Linear(3 * channels, channels) for _ in DILATIONS)
            self.outer = torch.nn.Linear(channels, 1)
            self.dropout = torch.nn.Dropout(options.dropout)

        def forward(self, values: Any, mask: Any) -> Any:
            mask = mask[:, :, None]
            hidden = torch.relu(self.inner(values)) * mask
            mean = hidden.sum(dim=1, keepdim=True) / mask.sum(dim=1, keepdim=True)
            hidden = self.dropout((hidden + torch.relu(self.page(mean))) * mask)
            for dilation, convolution in zip(DILATIONS, self.convolutions, strict=True):
                before = torch.nn.functional.pad(hidden, (0, 0, dilation, 0))[:, : hidden.shape[1]]
                behind = torch.nn.functional.pad(hidden, (0, 0, 0, dilation))[:, dilation:]
                around = torch.cat((before, hidden, behind), dim=2)
                hidden = hidden + self.dropout(torch.relu(convolution(around))) * mask
            return self.outer(hidden)[:, :, 0]

    return Network()


def _exported(network: Any) -> dict[str, Array]:
    """Return the weights of a trained module as arrays, transposed for inputs in rows."""
    layers = {"inner": network.inner, "page": network.page, "outer": network.outer}
    layers |= {f"convolution_{place}": layer for place, layer in enumerate(network.convolutions)}
    arrays: dict[str, Array] = {}
    for name, layer in layers.items():
        arrays[name] = layer.weight.detach().numpy().T.copy()
        arrays[f"{name}_bias"] = layer.bias.detach().numpy().copy()
    arrays["outer"] = arrays["outer"][:, 0]
    return {name: arrays[name] for name in WEIGHT_NAMES[2:]}
