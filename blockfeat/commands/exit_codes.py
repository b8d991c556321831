"""Exit codes, and how errors become one: a line on standard error, never a traceback.

0: all well; 1: some inputs failed; 2: wrong usage; 126: nothing could be read, or the output could not be written;
130: stopped by Ctrl-C.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable

from blockfeat._files import writing
from blockfeat.commands import console
from blockfeat.errors import BlockfeatError, CorpusError, FetchError, InputError, OutputError

SOME_FAILED, WRONG_USAGE, STOPPED = 1, 2, 130
NOTHING_READ = NOT_WRITTEN = 126

_logger = logging.getLogger("blockfeat.cli")


def exit_code_of(command: Callable[[], object]) -> int:
    """Run a command to its end, with all that it printed written; return its exit code.

    An error of blockfeat or of the system is printed as one line. A pipe whose reader has gone (``| head``) is no
    failure.
    """
    try:
        return _finished(command)
    except BrokenPipeError:
        _discard_output()
        return 0
    except KeyboardInterrupt:
        console.error("stopped")
        return STOPPED
    except (BlockfeatError, OSError) as error:
        _logger.info("stopped by an error", exc_info=True)
        _discard_output()
        console.error(_message(error))
        is_usage = isinstance(error, BlockfeatError) and not isinstance(
            error, (InputError, CorpusError, FetchError, OutputError)
        )
        return WRONG_USAGE if is_usage else NOT_WRITTEN


def _finished(command: Callable[[], object]) -> int:
    """Run a command and write what it printed; return the code that it exits with."""
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


def _message(error: BlockfeatError | OSError) -> str:
    """Return one line that names the input or output and the reason."""
    if isinstance(error, OSError) and not isinstance(error, BlockfeatError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)


def _discard_output() -> None:
    """Send what is still buffered for standard output nowhere, so that the interpreter's own last flush succeeds."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
