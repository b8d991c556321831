"""Train the settings of Crunch's filters by a particle swarm, as the bundled model crunch was trained.

Command: python -m experiments.crunch --corpus pages.jsonl.xz --output crunch.json

The hyperparameters that ``--set`` changes are those of `experiments.crunch.trainer.CrunchConfig`. Ctrl-C keeps the best
settings so far.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from blockfeat.commands import console
from blockfeat.commands.train import show_training
from blockfeat.data.split import read_page_list
from blockfeat.errors import BlockfeatError
from blockfeat.models import save_model
from blockfeat.training.config import with_settings
from blockfeat.training.train import DEFAULT_SPLIT, train_by
from experiments.crunch.trainer import CrunchConfig, CrunchTrainer


def _parser() -> argparse.ArgumentParser:
    about = (__doc__ or "").splitlines()[0]
    parser = argparse.ArgumentParser(prog="python -m experiments.crunch", description=about)
    parser.add_argument("--corpus", nargs="+", required=True, help="corpus files, or 'demo'")
    parser.add_argument("--output", type=Path, required=True, help="the model file to write, .json")
    parser.add_argument("--leave-out", type=Path, metavar="FILE", help="list of pages that are not used")
    parser.add_argument("--seed", type=int, default=0, help="seed of the swarm and of the split")
    parser.add_argument("--split", type=float, default=DEFAULT_SPLIT, help="share to train on, by host; 1: all")
    parser.add_argument(
        "--set", dest="settings", action="append", default=[], metavar="KEY=VALUE", help="change a hyperparameter"
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes; the model does not depend on it")
    parser.add_argument("--quiet", action="store_true", help="no progress")
    return parser


def _train(options: argparse.Namespace, command: str) -> None:
    """Train, write the model, and print the fitness before and after."""
    config = with_settings(CrunchConfig(), options.settings)
    trainer = CrunchTrainer(config=config, seed=options.seed, jobs=options.jobs, name=options.output.stem)
    left_out = read_page_list(options.leave_out) if options.leave_out else frozenset()
    with console.progress("training", quiet=options.quiet) as tick:
        model = train_by(
            trainer,
            options.corpus,
            leave_out=left_out,
            split=options.split,
            on_progress=lambda step: tick(step.done, step.total, step.note),
            command=command,
        )
    save_model(model, options.output)
    show_training(model)
    report = model.report
    if report is not None and report.fitness is not None:
        before, after = report.details["fitness_of_default"], report.fitness
        print(f"fitness on the training pages: {before:.4f} before, {after:.4f} after")
    print(f"written: {options.output}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return the exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    parser = _parser()
    try:
        _train(parser.parse_args(given), shlex.join(["python", "-m", "experiments.crunch", *given]))
    except BlockfeatError as error:
        parser.error(str(error))
    return 0


if __name__ == "__main__":
    sys.exit(main())
