"""Running a monitor from the command line: signals, progress, log, the summary at the end."""

from __future__ import annotations

import asyncio
import json
import logging
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from blockfeat._files import writing
from blockfeat.commands import console

if TYPE_CHECKING:
    from blockfeat.monitor.run import Monitor
    from blockfeat.monitor.summary import Summary


_OF_EVERY_RECORD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime"}


def run_monitor(
    config: Path, *, every: float | None, time_limit: float | None, log: Path | None, quiet: bool
) -> Summary:
    """Run a configuration and print what each round has done; SIGTERM and Ctrl-C finish the pages in hand."""
    from blockfeat._extras import MONITOR, require_extra
    from blockfeat.monitor.config.read import read_config
    from blockfeat.monitor.run import stay

    require_extra("monitor", MONITOR, what="the monitor")
    settings = read_config(config)
    # Without a log, what failed is named at the end of a round, not twice.
    logging.getLogger("blockfeat.monitor").addHandler(logging.NullHandler())
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

        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stop, number)

    is_streamed = settings.stream == "-"
    with console.progress("monitor", quiet=quiet) as tick:

        def on_progress(summary: Summary) -> None:
            done = summary.done
            note = f"{summary.feeds.total()} feeds, {summary.mentions} mentions, {len(summary.failures)} failed"
            tick(done, max(done, summary.found), note)

        def on_round(summary: Summary) -> None:
            if every is None or summary.feeds or summary.pages or summary.failures or summary.stopped:
                show_summary(summary, quiet=quiet, is_streamed=is_streamed)

        summary = asyncio.run(
            stay(
                settings,
                every=every,
                time_limit=time_limit,
                on_start=on_start,
                on_progress=on_progress,
                on_round=on_round,
            )
        )
    if signal.SIGINT in signals:
        summary.stopped = "stopped by Ctrl-C"
    return summary


def show_summary(summary: Summary, *, quiet: bool, is_streamed: bool) -> None:
    """Print what a round has done, and every address that failed."""
    for address, reason in summary.failures.items():
        console.error(console.with_name(address, reason))
    if summary.more_failures:
        console.error(f"{summary.more_failures} more failed")
    if quiet:
        return
    feeds = ", ".join(f"{count} {outcome}" for outcome, count in sorted(summary.feeds.items())) or "none due"
    pages = ", ".join(f"{count} {outcome}" for outcome, count in sorted(summary.pages.items())) or "none due"
    line = f"feeds: {feeds}; pages: {pages}; {summary.copies} copies, {summary.mentions} mentions"
    if summary.delivered:
        line += f", {summary.delivered} delivered"
    if summary.stopped:
        line += f"; {summary.stopped}, {summary.left} pages still due"
    # Standard output belongs to the stream of mentions where that is asked for.
    (console.error if is_streamed else console.show)(line)


class _JsonLines(logging.Formatter):
    """One JSON object a record: time, level, logger, message, and what the record was given as extra."""

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
            # Opened anew where a log rotation has moved it.
            from logging.handlers import WatchedFileHandler

            handler = WatchedFileHandler(path, encoding="utf-8", errors="replace")
    handler.setFormatter(_JsonLines())
    logger = logging.getLogger("blockfeat.monitor")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
