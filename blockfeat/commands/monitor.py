"""The commands ``blockfeat monitor …``; ``blockfeat monitor FILE`` runs a configuration."""

from __future__ import annotations

import json
import logging
import signal
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer
from typer.core import TyperCommand, TyperGroup

from blockfeat._extras import require_extra
from blockfeat._files import write_text, writing
from blockfeat.commands import console, monitor_results
from blockfeat.commands.console import NOTHING_READ, SOME_FAILED, STOPPED
from blockfeat.commands.options import QuietOption
from blockfeat.errors import ConfigError, ModelError, how_many

if TYPE_CHECKING:
    from blockfeat.monitor.config import MonitorConfig
    from blockfeat.monitor.crawl.cycle import Summary
    from blockfeat.monitor.mentions.brand import Brand
    from blockfeat.monitor.run import Monitor
    from blockfeat.monitor.store.store import Store

_SHOWN = 3


def discover(
    site: Annotated[str, typer.Argument(help="Host, example.org, or address of a page.", show_default=False)],
    config: Annotated[Path | None, typer.Option("--config", help="Configuration whose [fetch] holds.")] = None,
) -> None:
    """Find the feeds and news sitemaps of a site, as sources for a configuration."""
    import asyncio

    from blockfeat.monitor.config import read_config
    from blockfeat.monitor.discovery import FoundFeed
    from blockfeat.monitor.discovery import discover as feeds_of
    from blockfeat.monitor.fetching.fetcher import Fetcher
    from blockfeat.monitor.fetching.options import FetchOptions

    options = read_config(config).fetch if config is not None else FetchOptions(attempts=1)

    async def found() -> list[FoundFeed]:
        async with Fetcher(options) as fetcher:
            return await feeds_of(site, fetcher)

    feeds = asyncio.run(found())
    for feed in feeds:
        title = f" ({' '.join(feed.title.split())})" if feed.title else ""
        console.show(f"# {feed.kind}{title}, {feed.entries} entries, from {feed.named_by}")
        console.show(f"[[sources]]\nurl = {json.dumps(feed.url, ensure_ascii=False)}\n")
    if not feeds:
        console.error(console.with_name(site, "no feed found"))
        raise typer.Exit(console.SOME_FAILED)


def redeliver(config: Annotated[Path, typer.Argument(help="Configuration file.")]) -> None:
    """Deliver dead letters again: mentions that receivers refused, or did not accept in any of the attempts."""
    import asyncio

    from blockfeat.monitor.config import read_config
    from blockfeat.monitor.notify.queue import receivers_of
    from blockfeat.monitor.notify.queue import redeliver as deliver_again

    settings = read_config(config)
    with monitor_results.opened_store(str(settings.store)) as store:
        arrived, failed = asyncio.run(deliver_again(store, receivers_of(settings)))
    console.show(f"{how_many(arrived, 'mention')} delivered")
    for name, reason in failed:
        console.error(console.with_name(name, reason))
    if failed:
        raise typer.Exit(console.SOME_FAILED)


class _RunByDefault(TyperGroup):
    """A group whose first word may be a configuration file: ``monitor FILE`` is ``monitor run FILE``."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        """Insert the command "run" where none is named; reject a misspelt command that is not an existing file."""
        if args and args[0] not in self.commands and args[0] not in ("--help", "-h"):
            near = get_close_matches(args[0], self.commands, n=1)
            if near and not Path(args[0]).exists():
                raise typer.BadParameter(f"No such command or file {args[0]!r}. Did you mean {near[0]!r}?", ctx=ctx)
            args = ["run", *args]
        return super().parse_args(ctx, args)


class _Command(TyperCommand):
    """A command of the monitor, which first checks that the monitor's libraries are installed."""

    def invoke(self, ctx: typer.Context) -> object:  # type: ignore[override]
        """Run the command."""
        require_extra("monitor", what=f"monitor {self.name}")
        return super().invoke(ctx)


app = typer.Typer(
    cls=_RunByDefault,
    no_args_is_help=True,
    help="Count brands in the articles of feeds; `blockfeat monitor FILE` polls, fetches, extracts, matches, stores.",
)


@app.command("run", cls=_Command)
def run(
    config: Annotated[Path, typer.Argument(help="Configuration file; `blockfeat monitor init` writes one.")],
    once: Annotated[bool, typer.Option("--once", help="Do what is due and end, as for cron (the default).")] = False,
    every: Annotated[str | None, typer.Option(help="Stay, and poll each feed at most so often: 10m, 1h.")] = None,
    deadline: Annotated[str | None, typer.Option("--deadline", help="Begin nothing more after so long: 9m.")] = None,
    log: Annotated[Path | None, typer.Option(help="Append the log here, one JSON object a line; '-': stderr.")] = None,
    quiet: QuietOption = False,
) -> None:
    """Run a configuration: `blockfeat monitor FILE` is short for this."""
    if once and every is not None:
        raise typer.BadParameter("goes not with --once", param_hint="--every")
    limits = {"every": _seconds(every, "--every"), "deadline": _seconds(deadline, "--deadline")}
    summary = run_monitor(config, **limits, log=log, quiet=quiet)
    if summary.stopped == "stopped by Ctrl-C":
        raise typer.Exit(STOPPED)
    if summary.failures:
        raise typer.Exit(NOTHING_READ if summary.is_fruitless else SOME_FAILED)


def _seconds(text: str | None, option: str) -> float | None:
    from blockfeat._config import duration_of

    seconds = duration_of(text or "")
    if seconds is None and text is not None:
        raise typer.BadParameter(f"'{text}' is no duration such as 30s, 10m, 2h or 1d", param_hint=option)
    return seconds


@app.command("init", cls=_Command)
def init(
    path: Annotated[Path, typer.Argument(help="File to write.")] = Path("monitor.toml"),
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
) -> None:
    """Write a commented example that runs against `blockfeat monitor demo`."""
    from blockfeat.monitor.config import example_config

    if path.exists() and not force:
        raise typer.BadParameter(f"{path} exists; --force replaces it")
    write_text(path, example_config())
    console.show(f"written: {path}")
    console.show("Try it: `blockfeat monitor demo` in one terminal, and in another:")
    console.show(f"  blockfeat monitor {path} --once")
    console.show(f"  blockfeat monitor report {path}")


@app.command("check", cls=_Command)
def check(
    config: Annotated[Path, typer.Argument(help="Configuration file.")],
    pages: Annotated[bool, typer.Option("--pages", help="Also look each name up in the pages of the store.")] = False,
) -> None:
    """Check a configuration: every problem is named with its line, and names that are everyday words."""
    from blockfeat.models.store import load_model
    from blockfeat.monitor.config import read_config

    found = read_config(config)
    try:
        load_model(found.pages.model)
    except ModelError as error:
        raise ConfigError(f"{config}: 'pages.model': {error}") from error.__cause__
    feeds = sum(source.kind == "feed" for source in found.sources)
    numbers = {"feed": feeds, "page": len(found.sources) - feeds, "brand": len(found.brands)}
    numbers |= {"query": len(found.queries), "alert": len(found.alerts)}
    counts = ", ".join(how_many(number, name) for name, number in numbers.items() if number)
    well = "all well" if found.fetch.contact else "well, but without a contact in [fetch] sites cannot reach you"
    console.show(f"{config}: {counts}; {well}")
    names = [name for brand in found.brands for name in brand.spellings()]
    known = {source.lang for source in found.sources} | {lang for name in names for lang in name.languages}
    if pages:
        with monitor_results.opened_store(str(found.store)) as store:
            known |= {row["lang"] for row in store.query("SELECT DISTINCT lang FROM pages")}
            _show_found(store, found)
    _warn_of_words(found.brands, {lang for lang in known if lang and lang != "*"})


def _warn_of_words(brands: Sequence[Brand], known: set[str]) -> None:
    """Warn of names that are common words of languages; of all languages where none is known."""
    from blockfeat.lang import available_languages
    from blockfeat.monitor.mentions.matcher import BrandMatcher, common_words

    if few := ", ".join(sorted(lang for lang in known if not common_words(lang))):
        console.show(f"{few}: of everyday words only stop words are known; --pages shows how names are written")
    matcher, words = BrandMatcher.of(brands), defaultdict[str, dict[str, None]](dict)
    for lang in sorted(known) or available_languages():
        for hit in matcher.everyday(lang):
            words[hit.brand][f"{hit.text.lower()!r} ({lang})"] = None
    for brand, several in words.items():
        advice = "'requires', or 'about' and 'others', tell them apart; an alias has 'case' and 'languages' of its own"
        console.error(f"{brand}: everyday words are taken for it, {', '.join(several)}: {advice}")


def _show_found(store: Store, config: MonitorConfig) -> None:
    """Print how often each name stands in the pages of a store, how it is written, and three sentences."""
    from blockfeat.monitor.rematch import found_now

    articles, spellings = Counter[str](), defaultdict[str, Counter[str]](Counter)
    sentences = defaultdict[str, list[str]](list)
    for mentions in found_now(store, config):
        articles.update({mention.brand for mention in mentions})
        for mention in mentions:
            spellings[mention.brand][mention.match] += 1
            sentences[mention.brand].append(mention.sentence)
    for brand in config.brands:
        written = spellings[brand.name]
        common = ", ".join(f"{name!r} {count}" for name, count in written.most_common(_SHOWN))
        where = f"{how_many(written.total(), 'time')} in {how_many(articles[brand.name], 'article')}"
        console.show(f"{brand.name}: {where}: {common or 'none'}")
        if small := sum(number for name, number in written.items() if name.islower() and not brand.name.islower()):
            console.error(f"{brand.name}: written small, as a word may be: {small} of {written.total()}")
        several = [*dict.fromkeys(sentences[brand.name])]
        for place in sorted({0, len(several) // 2, len(several) - 1} if several else ()):
            console.show(f"  - {several[place]}")


@app.command("demo", cls=_Command)
def demo(port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 for any free one.")] = 8750) -> None:
    """Serve feeds and pages in eleven languages on this machine, to try a monitor on."""
    from blockfeat.monitor.demo import serve_demo

    serve_demo(port=port, on_ready=lambda server: console.show(f"{server.url}: Ctrl-C ends it", at_once=True))


for _command in (
    *(monitor_results.report, monitor_results.serve, monitor_results.status, monitor_results.export),
    *(redeliver, monitor_results.retry, monitor_results.search, discover, monitor_results.purge),
    *(monitor_results.judge, monitor_results.learn, monitor_results.rematch, monitor_results.password),
):
    app.command(_command.__name__, cls=_Command)(_command)


_OF_EVERY_RECORD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime"}


def run_monitor(config: Path, *, every: float | None, deadline: float | None, log: Path | None, quiet: bool) -> Summary:
    """Run a configuration and print what each round has done; SIGTERM and Ctrl-C finish the pages in hand."""
    import asyncio

    from blockfeat.monitor.config import read_config
    from blockfeat.monitor.run import stay

    settings = read_config(config)
    if settings.fetch.render != "off":
        require_extra("render", what=f"{config}: render = {settings.fetch.render!r}")
    # Without --log, failures are printed at the end of a round only; null handlers keep them off standard error.
    # The fetcher logs retries once for each host; stamina would log each one. What asyncio says of a connection whose
    # end fails, for instance without memory, is said of its page.
    for name in ("asyncio", "blockfeat.monitor", "stamina"):
        logging.getLogger(name).addHandler(logging.NullHandler())
    if log is not None:
        _log_to(log)
    signals: list[int] = []

    def on_start(monitor: Monitor) -> None:
        def stop(number: int) -> None:
            signals.append(number)
            if len(signals) > 1:
                raise KeyboardInterrupt
            if not quiet:
                console.error("finishing the pages in hand; once more to stop at once")
            monitor.stop()

        _on_signals(stop)

    is_streamed = settings.stream == "-"
    with console.progress("monitor", quiet=quiet) as tick:

        def on_progress(summary: Summary) -> None:
            done, feeds = summary.pages.total(), how_many(summary.feeds.total(), "feed")
            note = f"{feeds}, {how_many(summary.mentions, 'mention')}, {len(summary.failures)} failed"
            tick(done, max(done, summary.found), note)

        def on_round(summary: Summary) -> None:
            if every is None or summary.feeds or summary.pages or summary.failures or summary.stopped:
                show_summary(summary, quiet=quiet, is_streamed=is_streamed)

        summary = asyncio.run(
            stay(
                settings, every=every, deadline=deadline, on_start=on_start, on_progress=on_progress, on_round=on_round
            )
        )
    if signal.SIGINT in signals:
        summary.stopped = "stopped by Ctrl-C"
    return summary


def _on_signals(handle: Callable[[int], None]) -> None:
    """Handle SIGTERM and Ctrl-C in the running event loop."""
    import asyncio

    loop = asyncio.get_running_loop()

    def later(number: int, frame: FrameType | None) -> None:
        if loop.is_closed():
            raise KeyboardInterrupt
        loop.call_soon_threadsafe(handle, number)

    for number in (signal.SIGTERM, signal.SIGINT):
        try:
            loop.add_signal_handler(number, handle, number)
        except NotImplementedError:  # on Windows
            signal.signal(number, later)


def show_summary(summary: Summary, *, quiet: bool, is_streamed: bool) -> None:
    """Print what a round has done, and every address that failed."""
    for address, reason in summary.failures.items():
        console.error(console.with_name(address, reason))
    if summary.more_failures:
        console.error(f"{summary.more_failures} more failed")
    monitor_results.warn_of_unexpected(summary.unexpected)
    if quiet:
        return
    feeds = ", ".join(f"{count} {outcome}" for outcome, count in sorted(summary.feeds.items())) or "none due"
    pages = ", ".join(f"{count} {outcome}" for outcome, count in sorted(summary.pages.items())) or "none due"
    found = f"{how_many(summary.copies, 'copy')}, {how_many(summary.mentions, 'mention')}"
    line = f"feeds: {feeds}; pages: {pages}; {found}"
    if summary.delivered:
        line += f", {summary.delivered} delivered"
    if summary.stopped:
        line += f"; {summary.stopped}, {how_many(summary.left, 'page')} still due"
    for row in summary.written:
        line += f"\n  {row['brand']}: mostly {row['match']!r}, {row['number']} of {row['of_all']}"
    # If mentions are streamed to standard output, nothing else may be printed there.
    if is_streamed:
        console.error(line)
    else:
        console.show(line, at_once=True)


class _JsonLines(logging.Formatter):
    """Formats a log record as one JSON object: time, level, logger, message, and its extra fields."""

    def format(self, record: logging.LogRecord) -> str:
        moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        values = {
            "time": f"{moment}.{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **{name: value for name, value in vars(record).items() if name not in _OF_EVERY_RECORD},
        }
        if record.exc_info:
            values["error"] = self.formatException(record.exc_info)
        return json.dumps(values, ensure_ascii=False, default=str)


def _log_to(path: Path) -> None:
    """Send the log of the monitor to a file, or to standard error."""
    if str(path) == "-":
        handler: logging.Handler = logging.StreamHandler(sys.stderr)
    else:
        with writing(path):
            # Reopens the file if a log rotation has moved it.
            from logging.handlers import WatchedFileHandler

            handler = WatchedFileHandler(path, encoding="utf-8", errors="replace")
    handler.setFormatter(_JsonLines())
    for name in ("asyncio", "blockfeat.monitor"):
        logger = logging.getLogger(name)
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
