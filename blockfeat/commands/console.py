"""Output and exit codes of the command line; an error is one line on standard error, without a traceback.

0: all well; 1: some inputs failed; 2: wrong usage; 126: nothing could be read, or the output could not be written;
130: stopped by Ctrl-C.
"""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from errno import EISDIR, ENOENT, ENOTDIR
from pathlib import Path
from typing import Any, TextIO

from blockfeat._files import writing
from blockfeat.compiled import COMPILED_MODULES, uncompiled_modules
from blockfeat.errors import BlockfeatError, ConfigError, CorpusError, InputError, OutputError, failure_reason

_WIDTH_OF_A_PIPE = 160
# A string: compiling it takes a fortieth of what `--help` does.
_CONTROLS = r"[^\t\n -~\xa0-\u2029\u202f-\u2065\u206a-\U0010ffff]"
_SETTINGS = "blockfeat.toml"
_OF_ONE_PAGE = ("extract", "explain", "clean", "label")


Ticker = Callable[..., None]
"""Advances a progress bar: steps done, all steps if known, and a note beside the bar."""


def prepare(command: str | None) -> None:
    """Prepare for a command: warn if modules are not compiled; keep numpy to one thread for commands on one page."""
    if command is not None and uncompiled_modules():
        error(how_it_runs())
    if command in _OF_ONE_PAGE:
        # numpy, imported later, would start a thread per core, which takes as long as all the rest. A single page
        # does not need them, and training in the background of labelling is slower with them.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def how_it_runs() -> str:
    """Return "compiled", or what runs uncompiled: the names of a few modules, or their number."""
    slow = uncompiled_modules()
    if not slow:
        return "compiled"
    named = ", ".join(slow) if len(slow) <= 3 else f"{len(slow)} of {len(COMPILED_MODULES)} modules"
    return f"pure Python (slow): {named} not compiled"


def show(text: str, *, at_once: bool = False) -> None:
    """Print a line to standard output; ``at_once`` flushes it, for output that is read while the program runs."""
    with writing("standard output"):
        print(text, flush=at_once)


def error(text: str) -> None:
    """Print a line to standard error; what a name from elsewhere could do to a terminal is shown as escapes."""
    shown = re.sub(_CONTROLS, lambda found: ascii(found[0])[1:-1], text)
    try:
        sys.stderr.write(f"blockfeat: {shown}\n")
    except OSError:  # a full disk behind it is no failure of what the command does
        _discard(sys.stderr)


def settings_files() -> tuple[Path, ...]:
    """Return where ``blockfeat.toml`` is looked for: the current folder, then the user's configuration folder."""
    folder = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
    if sys.platform == "darwin":
        folder = "~/Library/Application Support"
    elif os.name == "nt":
        folder = os.environ.get("APPDATA") or "~"
    return Path(_SETTINGS), Path(os.path.expanduser(folder), "blockfeat", _SETTINGS)


def settings_of(name: str, files: Sequence[Path]) -> tuple[Path, Mapping[str, Any]] | None:
    """Return the first of some settings files with a table of this name, and the table; None where none has it.

    Raises
    ------
    ConfigError
        A file is not TOML, or the table is something else; the message names the file.
    """
    # Also where its folder may not be looked into, there is none.
    for file in filter(os.path.isfile, files):
        import tomllib

        try:
            found = tomllib.loads(file.read_text(encoding="utf-8")).get(name)
        except (OSError, ValueError, RecursionError) as error:
            raise ConfigError(f"{file}: cannot be read: {error}") from error
        if found is not None and not isinstance(found, Mapping):
            raise ConfigError(f"{file}: {name!r} must be a table, not {found!r}")
        if found:
            return file, found
    return None


def with_name(name: str, message: str) -> str:
    """Return a message that begins with the name of its page; one that already does is returned unchanged."""
    return message if message.startswith(name) else f"{name}: {message}"


def check_choice(value: str, known: Iterable[str], option: str) -> None:
    """Raise a usage error if the value of an option is not one of the known ones."""
    if value not in known:
        raise wrong(f"'{value}' is none of {', '.join(known)}", option)


def wrong(message: str, option: str) -> Exception:
    """Return the error for a wrong value of an option."""
    import typer

    return typer.BadParameter(message, param_hint=option)


def show_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], *, right: int = 0) -> None:
    """Print a table; the columns from number ``right`` on are right-aligned (0: none)."""
    show(table_text(title, columns, rows, right=right))


def table_text(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], *, right: int = 0) -> str:
    """Return a table as lines; in colour if standard output is a terminal."""
    from shutil import get_terminal_size

    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title or None, title_justify="left", header_style="bold")
    for number, column in enumerate(columns):
        table.add_column(column, justify="right" if right and number >= right else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    # Not straight to standard output: Rich ends the program where a pipe breaks.
    is_terminal = sys.stdout.isatty()
    width = get_terminal_size().columns if is_terminal else _WIDTH_OF_A_PIPE
    drawn = io.StringIO()
    Console(file=drawn, force_terminal=is_terminal, width=width).print(table)
    return drawn.getvalue().rstrip("\n")


@contextmanager
def progress(
    description: str, *, quiet: bool = False, total: Callable[[], int | None] = lambda: None
) -> Iterator[Ticker]:
    """Show a progress bar on a terminal's standard error; nothing in a pipe.

    ``total`` returns the number of steps, if it is known in advance; it is called only if a bar is shown. Standard
    output is flushed first, since forked worker processes would write its buffer again, without naming it in errors.
    """
    with writing("standard output"):
        sys.stdout.flush()
    if quiet or not sys.stderr.isatty():
        yield lambda done, total=None, note="": None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn

    columns = ("{task.description}", BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), "{task.fields[note]}")
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        known = total()
        task = bar.add_task(description, total=known, note="")

        def tick(done: int, total: int | None = None, note: str = "") -> None:
            bar.update(task, completed=done, total=known if total is None else total, note=note)

        yield tick


SOME_FAILED, WRONG_USAGE, STOPPED = 1, 2, 130
NOTHING_READ = NOT_WRITTEN = 126
# A name that is wrong, and not a file that cannot be read.
_NO_FILE = (ENOENT, ENOTDIR, EISDIR)


def exit_code_of(command: Callable[[], object]) -> int:
    """Run a command, flush what it printed, and return its exit code.

    An error of blockfeat or of the system is printed as one line. A pipe whose reader has ended (``| head``) is not a
    failure.
    """
    try:
        return _finished(command)
    except BrokenPipeError:
        _discard(sys.stdout)
        return 0
    except KeyboardInterrupt:
        error("stopped")
        return STOPPED
    except (BlockfeatError, OSError, MemoryError) as failure:
        return _failed(failure)


def _failed(failure: BlockfeatError | OSError | MemoryError) -> int:
    """Print an error as one line; return its exit code."""
    import logging

    logging.getLogger("blockfeat.cli").info("stopped by an error", exc_info=True)
    _discard(sys.stdout)
    told = failure_reason(failure) if isinstance(failure, MemoryError) else str(failure)
    if isinstance(failure, OSError) and not isinstance(failure, BlockfeatError) and failure.strerror:
        # What asks for the current folder, which is gone, does not name it.
        named = failure.filename or (failure.errno == ENOENT and "the current folder")
        told = f"{named}: {failure.strerror}" if named else failure.strerror
    error(told)
    cause = failure.__cause__
    unread = isinstance(cause, OSError) and cause.errno not in _NO_FILE
    unread = unread or isinstance(failure, (InputError, CorpusError, OutputError))
    return WRONG_USAGE if isinstance(failure, BlockfeatError) and not unread else NOT_WRITTEN


def _finished(command: Callable[[], object]) -> int:
    """Run a command and flush what it printed; return the code that it exits with."""
    code: object = 0
    try:
        command()
    except SystemExit as end:
        # Typer and Rich turn a broken pipe, and Typer Ctrl-C, into a plain exit.
        if isinstance(end.__context__, BrokenPipeError):
            raise end.__context__ from None
        code = end.code
    if code == STOPPED:
        raise KeyboardInterrupt
    with writing("standard output"):
        sys.stdout.flush()
    return code if isinstance(code, int) else 0


def _discard(stream: TextIO) -> None:
    """Redirect a standard stream to the null device, so that the interpreter's final flush of its buffer succeeds."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
