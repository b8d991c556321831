"""The commands ``blockfeat monitor …``; a configuration file alone runs it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from typer.core import TyperGroup

from blockfeat.commands import console
from blockfeat.commands.aliases import aliases
from blockfeat.commands.exit_codes import NOTHING_READ, SOME_FAILED, STOPPED
from blockfeat.commands.monitor_results import export, report, status
from blockfeat.commands.options import QuietOption


class _RunByDefault(TyperGroup):
    """A group whose first word may be a configuration file: ``monitor FILE`` is ``monitor run FILE``."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        """Put in the word "run" where no command is named."""
        if args and args[0] not in self.commands and args[0] not in ("--help", "-h"):
            args = ["run", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=_RunByDefault,
    no_args_is_help=True,
    help="Count brands in the articles of feeds; `blockfeat monitor FILE` polls, fetches, extracts, matches, stores.",
)


@app.command("run")
def run(
    config: Annotated[Path, typer.Argument(help="Configuration file; `blockfeat monitor init` writes one.")],
    once: Annotated[bool, typer.Option("--once", help="Do what is due and end, as for cron (the default).")] = False,
    every: Annotated[str | None, typer.Option(help="Stay, and poll each feed at most so often: 10m, 1h.")] = None,
    time_limit: Annotated[
        str | None,
        typer.Option("--time-limit", help="Begin nothing more after this time: 9m. The rest is done next time."),
    ] = None,
    log: Annotated[
        Path | None, typer.Option(help="Append the log to this file, one JSON object a line; '-': stderr.")
    ] = None,
    quiet: QuietOption = False,
) -> None:
    """Run a configuration: `blockfeat monitor FILE` is short for this."""
    from blockfeat.commands.monitor_run import run_monitor

    if once and every is not None:
        raise typer.BadParameter("goes not with --once", param_hint="--every")
    summary = run_monitor(
        config,
        every=None if every is None else _seconds(every, "--every"),
        time_limit=None if time_limit is None else _seconds(time_limit, "--time-limit"),
        log=log,
        quiet=quiet,
    )
    if summary.stopped == "stopped by Ctrl-C":
        raise typer.Exit(STOPPED)
    if summary.failures:
        raise typer.Exit(NOTHING_READ if summary.is_fruitless else SOME_FAILED)


def _seconds(text: str, option: str) -> float:
    from blockfeat.monitor.config.section import duration_of

    seconds = duration_of(text)
    if seconds is None:
        raise typer.BadParameter(f"'{text}' is no duration such as 30s, 10m, 2h or 1d", param_hint=option)
    return seconds


@app.command("init")
def init(
    path: Annotated[Path, typer.Argument(help="File to write.")] = Path("monitor.toml"),
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
) -> None:
    """Write a commented example that runs against `blockfeat monitor demo`."""
    from blockfeat._files import write_text
    from blockfeat.monitor.config.example import example_config

    if path.exists() and not force:
        raise typer.BadParameter(f"{path} exists; --force replaces it")
    write_text(path, example_config())
    console.show(f"written: {path}")
    console.show("Try it: `blockfeat monitor demo` in one terminal, and in another:")
    console.show(f"  blockfeat monitor {path} --once")
    console.show(f"  blockfeat monitor report {path}")


@app.command("check")
def check(config: Annotated[Path, typer.Argument(help="Configuration file.")]) -> None:
    """Check a configuration; every problem is named with its line."""
    from blockfeat.models.store import load_model
    from blockfeat.monitor.config.read import read_config

    found = read_config(config)
    load_model(found.pages.model)
    feeds = sum(source.kind == "feed" for source in found.sources)
    console.show(f"{config}: {feeds} feeds, {len(found.sources) - feeds} pages, {len(found.brands)} brands; all well")
    if found.fetch.contact is None:
        console.show("no contact in [fetch]: sites cannot reach you about what you fetch")


@app.command("demo")
def demo(
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 for any free one.")] = 8750,
    feeds: Annotated[int, typer.Option(min=0, help="Also serve so many generated sites, as many.opml.")] = 0,
    pages: Annotated[int, typer.Option(min=1, help="Pages of each generated site.")] = 50,
) -> None:
    """Serve feeds and pages in eleven languages on this machine, to try a monitor on."""
    from blockfeat.monitor.demo import DemoServer, serve_demo

    def on_ready(server: DemoServer) -> None:
        console.show(f"{server.url}: {len(server.sites('feeds'))} feeds; Ctrl-C ends it")
        for name in ("feeds", "drill", "many"):
            if server.sites(name):
                console.show(f"  {server.list_url(name)}")
        sys.stdout.flush()

    serve_demo(port=port, feeds=feeds, pages=pages, on_ready=on_ready)


app.command("aliases")(aliases)
app.command("report")(report)
app.command("status")(status)
app.command("export")(export)
