"""The command ``blockfeat train``."""

from __future__ import annotations

import os
import shlex
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from errno import EISDIR
from functools import partial
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any

import typer

from blockfeat._extras import require_extra
from blockfeat._files import bundled_table, is_same_file, writing
from blockfeat.commands import console
from blockfeat.commands.options import JobsOption, LeaveOutOption, QuietOption, languages

if TYPE_CHECKING:
    from blockfeat.models.margin import MarginModel
    from blockfeat.training.config import Progress, TrainedModel, TrainingReport

_OF_THRESHOLDS = {"fitness": "--fitness", "decoder": "--decoder", "stop_word_scope": "--stop-words"}
_OF_THRESHOLDS |= {"segmenter": "--segmenter", "per_language": "--per-language"}


def train(
    corpus: Annotated[
        list[str] | None,
        typer.Option(
            "--corpus",
            "-c",
            help="Corpus file (.jsonl, .gz, .xz), a name of \\[corpora] in blockfeat.toml, or 'demo'; repeatable. "
            "By default all of blockfeat.toml, here or in the user's configuration folder; else the demo pages.",
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Model file to write; blockfeat-LANGUAGES.json or .npz here.")
    ] = None,
    kind: Annotated[str | None, typer.Option(help="thresholds, margin (default), sequence, tokens, web2text.")] = None,
    base: Annotated[str | None, typer.Option("--from", metavar="MODEL", help="Add rules of sites to a model.")] = None,
    lang: Annotated[str | None, typer.Option("--lang", help="Only pages of these languages, such as de,fr.")] = None,
    leave_out: LeaveOutOption = None,
    config: Annotated[str | None, typer.Option(help="Hyperparameters: a TOML file, or bundled: paper.toml.")] = None,
    print_config: Annotated[bool, typer.Option("--print-config", help="Print hyperparameters (TOML) and end.")] = False,
    split: Annotated[float | None, typer.Option(help="Share to train on, by host or by page; 1: all.  [0.7]")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of all random numbers and of the split.")] = 0,
    report: Annotated[Path | None, typer.Option(help="Folder for the curves, PNG and CSV.")] = None,
    name: Annotated[str | None, typer.Option(help="Name of the model; the file's by default.")] = None,
    table: Annotated[str | None, typer.Option(help="Tag table: html5, ziegler2007, or a TOML file.")] = None,
    fitness: Annotated[str | None, typer.Option(help="thresholds: cosine (times length ratio), f1, snippets.")] = None,
    decoder: Annotated[str | None, typer.Option(help="thresholds: conjunction or mss.")] = None,
    stop_words: Annotated[str | None, typer.Option(help="thresholds: page, block, or ziegler2007 (paper).")] = None,
    segmenter: Annotated[str | None, typer.Option(help="thresholds: fast or spacy.")] = None,
    per_language: Annotated[bool, typer.Option("--per-language", help="thresholds: of each language too.")] = False,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Change a hyperparameter of --print-config, such as swarm.particles=50; repeatable.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write the model even if all blocks are better.")] = False,
    jobs: JobsOption = 1,
    quiet: QuietOption = False,
) -> None:
    """Train a model on labelled pages. Ctrl-C keeps the best so far."""
    require_extra("train", what="train")
    from blockfeat.data.split import read_page_list
    from blockfeat.training.config import TRAINERS, config_text
    from blockfeat.training.train import train as train_model

    given: dict[str, Any] = {"fitness": fitness, "decoder": decoder, "stop_word_scope": stop_words}
    given |= {"segmenter": segmenter, "per_language": per_language or None, "table": table}
    left_out = read_page_list(leave_out) if leave_out else frozenset()
    if base is not None:
        others = {"--kind": kind, "--config": config, "--set": settings, "--split": split, "--report": report, **given}
        if unused := [name for name, value in others.items() if value is not None]:
            raise typer.BadParameter(f"rules of sites have no {', '.join(unused)}", param_hint="--from")
        target, pages = output or Path("site.json"), {"langs": languages(lang), "leave_out": left_out}
        _train_rules(base, corpus or [], target, pages, name=name or target.stem, quiet=quiet)
        return
    chosen, configuration = _configuration(kind, config, given, settings or [])
    if print_config:
        console.show(config_text(chosen, configuration).rstrip("\n"))
        return
    if not quiet:
        kinds = bundled_table("blockfeat.commands", "kinds.toml")
        about = kinds.get(getattr(configuration, "decoder", chosen), "see docs/training.md")
        console.show(f"training a model of kind {chosen}: {about}")
    wanted = languages(lang)
    target = output or Path("-".join(["blockfeat", *(wanted or [chosen])]) + TRAINERS[chosen].suffix)
    settled: dict[str, Any] = {"seed": seed, "split": split, "jobs": jobs, "name": name or target.stem}
    run = partial(train_model, langs=wanted, leave_out=left_out, kind=chosen, config=configuration, **settled)
    _train(run, corpus or [], target, report, force=force, quiet=quiet)


def _configuration(kind: str | None, source: str | None, given: dict[str, Any], settings: list[str]) -> tuple[str, Any]:
    """Return the kind and its hyperparameters: those of the file, changed by the options that are given."""
    from blockfeat.training.config import CONFIGS, checked_kind, load_config, with_settings
    from blockfeat.training.train import DEFAULT_KIND

    given = {key: value for key, value in given.items() if value is not None}
    if source is not None:
        kind, config = load_config(source, kind)
    else:
        kind = checked_kind(kind or ("thresholds" if given.keys() & _OF_THRESHOLDS.keys() else DEFAULT_KIND))
        config = CONFIGS[kind]()
    for key in sorted(given.keys() - {field.name for field in fields(config)}):
        raise typer.BadParameter(f"a model of kind {kind} has none", param_hint=_OF_THRESHOLDS.get(key, f"--{key}"))
    return kind, with_settings(replace(config, **given), settings)


def _train(
    run: Callable[..., TrainedModel], named: list[str], output: Path, report: Path | None, *, force: bool, quiet: bool
) -> None:
    """Train a model, write it and its report, and print the results."""
    from blockfeat.models.store import save_model

    stop, corpora = _Stop(), _corpora(named, output)
    with console.progress("training", quiet=quiet) as tick, stop.announced():

        def on_progress(step: Progress) -> None:
            stop.step = step
            tick(step.done, step.total, step.note)

        model = run(corpora, on_progress=on_progress, command=_typed())
    if report is not None and (found := model.report) is not None:
        from blockfeat.training.evaluation.report import write_training_report

        if not write_training_report(report, history=found.history, curves=found.curves, curves_of=found.curves_of):
            console.show(f"{report} is not written: a model of kind {found.kind} has no curves")
    is_worse = not force and model.report is not None and is_worse_than_all(model.report)
    if not is_worse:
        save_model(model, output)  # before it is shown: whoever reads what is printed may have ended
    show_training(model)
    if is_worse:
        console.error(f"keeping all blocks is better: {output} is not written; --force writes it")
        raise typer.Exit(console.SOME_FAILED)
    console.show(f"written: {output}\nextract with it: blockfeat extract --model {shlex.quote(str(output))} PAGE.html")


def _train_rules(base: str, named: list[str], output: Path, pages: dict[str, Any], *, name: str, quiet: bool) -> None:
    """Learn the rules of sites, write them, and print what each site gains."""
    from blockfeat.models.store import save_model
    from blockfeat.training.site import train_site_rules

    given = {**pages, "base": base, "name": name, "command": _typed()}
    with console.progress("learning", quiet=quiet) as tick:

        def on_progress(step: Progress) -> None:
            tick(step.done, step.total, step.note)

        model, reports = train_site_rules(_corpora(named, output), **given, on_progress=on_progress)
    if model.sites:
        save_model(model, output)
    rows = [
        [one.host, str(one.pages), f"{one.before:.3f}", f"{one.after:.3f}", str(len(model.rules(one.host)))]
        for one in reports
    ]
    columns = ["site", "pages", base, "with rules", "rules"]
    console.show_table("word F1 on pages not learnt from", columns, rows, right=1)
    for one in reports:
        for rule in model.rules(one.host):
            console.show(f"{one.host}: {rule.do} {rule.where}: {rule.why}")
        if one.skipped:
            console.show(f"{one.host}: {len(one.skipped)} pages not used, the first: {one.skipped[0]}")
    if not model.sites:
        console.show(f"no site gains: {base} stays as it is, and {output} is not written")
        return
    console.show(f"written: {output}; extract with it: blockfeat extract --model {shlex.quote(str(output))} PAGE.html")


def _typed() -> str:
    return shlex.join(["blockfeat", *sys.argv[1:]])


def _corpora(named: list[str], output: Path) -> list[Path | str]:
    """Return the corpus files, or "demo"; print where they come from if none is named.

    An output that is one of them, or cannot be written, is refused before anything is learnt.
    """
    from blockfeat.commands.corpus import DEMO, choose_corpora

    corpora, origin = choose_corpora(named, console.settings_files())
    if any(is_same_file(corpus, output) for corpus in corpora):
        raise console.wrong(f"{output}: it is a corpus too", "--output")
    with writing(output):
        output.parent.mkdir(parents=True, exist_ok=True)
        if output.is_dir():
            raise IsADirectoryError(EISDIR, os.strerror(EISDIR))
    if not named:
        files = " (name others by --corpus)" if corpora == [DEMO] else f": {', '.join(map(str, corpora))}"
        console.show(f"training on {origin}{files}")
    return corpora


class _Stop:
    """Prints, when the user presses Ctrl-C, that training stops and what is kept."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.step: Progress | None = None

    @contextmanager
    def announced(self) -> Iterator[None]:
        """Handle Ctrl-C inside the block: print a message, then raise KeyboardInterrupt as usual."""
        earlier = signal.signal(signal.SIGINT, self._handle)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, earlier)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if os.getpid() != self.pid:  # a worker process, which has inherited this handler
            raise KeyboardInterrupt
        step = self.step
        at = f" while {step.phase} ({step.done} of {step.total} {step.note})" if step is not None else ""
        kept = f"{step.kept} {'are' if step.kept.endswith('far') else 'is'} kept" if step and step.kept else ""
        console.error(f"stopping{at}; {kept or 'no model is written'}")
        raise KeyboardInterrupt


def is_worse_than_all(report: TrainingReport) -> bool:
    """Return whether the test pages, else the training pages, lose by a model; never of one that the user stopped."""
    scores = report.test or report.training
    gains = [group.pages * (group.extraction - group.all_blocks) for group in scores.groups] if scores else []
    return sum(gains) < 0 and not report.interrupted


def show_training(model: TrainedModel) -> None:
    """Print what was learnt, and the scores on both parts."""
    from blockfeat.commands.explain import thresholds_table
    from blockfeat.models.margin import MarginModel
    from blockfeat.models.threshold import ThresholdModel

    if (report := model.report) is None:
        return
    if isinstance(model, ThresholdModel):
        console.show(thresholds_table(f"thresholds of {model.name}", model, model.thresholds))
    elif isinstance(model, MarginModel):
        _show_soft_thresholds(model)
    stopped = ", stopped by Ctrl-C" if report.interrupted else ""
    generations = f", {len(report.history)} generations" if report.history else ""
    console.show(f"{report.training_pages} training pages{generations}{stopped}")
    for name, value in report.details.items():
        after = f", after {report.fitness:.4f}" if name.startswith("fitness_before") and report.fitness else ""
        console.show(f"{name.replace('_', ' ')}: {value}{after}")
    if report.skipped:
        console.show(f"{len(report.skipped)} pages not used, the first: {report.skipped[0]}")
    if report.curves:
        best = max(report.curves, key=lambda curve: float(curve.fitness.max()))
        console.show(f"best single feature ({report.curves_of}): {best.title} {float(best.fitness.max()):.3f}")
    show_scores(report)


def show_scores(report: TrainingReport) -> None:
    """Print scores of model, all blocks, all text and second labeller, by part and kind of gold (text or snippets)."""
    from blockfeat.training.evaluation.strategies import METRICS

    rows = []
    for part, scores in (("training", report.training), (f"test, other {report.parted_by}", report.test)):
        for group in scores.groups if scores is not None else ():
            found = (group.extraction, group.all_blocks, group.all_text, group.labellers)
            shown = ["" if one is None else f"{one:.3f}" for one in found]
            rows.append([part, METRICS[group.metric], str(group.pages), *shown])
    if rows:
        columns = ["part", "measure", "pages", "FE (model)", "PR (all blocks)", "TB (all text)", "HL (2nd labeller)"]
        console.show_table("scores", columns, rows, right=2)


def _show_soft_thresholds(model: MarginModel) -> None:
    rows = [
        [term.feature.replace("_", " "), f"{term.weight:+.3f}", f"{term.threshold:.3f}", f"{term.softness:.3f}"]
        for term in model.terms
    ]
    columns = ["feature", "weight", "threshold", "softness"]
    console.show_table(f"soft thresholds of {model.name}, bias {model.bias:+.3f}", columns, rows, right=1)
