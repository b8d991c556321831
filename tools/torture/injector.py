"""Runs the command line in forked processes in which chosen calls of the C library fail, or end the process."""

from __future__ import annotations

import ctypes
import errno
import importlib
import mmap
import os
import select
import shutil
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

# In the order of the shim's enum; the errors that each may have.
KINDS = {
    "write": (errno.ENOSPC, errno.EIO),
    "sync": (errno.EIO,),
    "rename": (errno.EACCES,),
    "open": (errno.EMFILE, errno.EACCES),
    "read": (errno.EIO,),
    "connect": (errno.ECONNREFUSED,),
    "transfer": (errno.ECONNRESET,),
    "allocate": (errno.ENOMEM,),
    "fork": (errno.EAGAIN,),
    "lock": (errno.EIO,),
    "commit": (errno.EIO,),
    "line": (errno.ECONNRESET,),
}
_COMMIT, _FORK = list(KINDS).index("commit"), list(KINDS).index("fork")
_LEAST_BYTES = 1 << 16
_SHIM = Path(__file__).with_name("shim.c")
_VARIABLE = "BLOCKFEAT_TORTURE_PLAN"


class _Plan(ctypes.Structure):
    """The struct ``plan`` of the shim."""

    _fields_ = (
        *((name, ctypes.c_int32) for name in ("kind", "error", "lasting", "kills")),
        *((name, ctypes.c_int64) for name in ("nth", "fired", "least_bytes")),
        ("counts", ctypes.c_int64 * len(KINDS)),
        ("folder", ctypes.c_char * 512),
    )


@dataclass(frozen=True)
class Fault:
    """One call that fails: its kind, its number, and whether all later ones of its kind fail too."""

    kind: str
    nth: int
    error: int = 0
    lasting: bool = False
    kills: bool = False

    def __str__(self) -> str:
        """Say what fails."""
        what = "kill" if self.kills else errno.errorcode.get(self.error, "?")
        return f"{self.kind} {self.nth}{' and all later' if self.lasting else ''}: {what}"


@dataclass(frozen=True)
class Outcome:
    """How a command ended: exit code (negative: by a signal, None: it hung), what it printed, what was counted."""

    code: int | None
    out: str
    err: str
    fired: int
    counts: dict[str, int]


def is_possible() -> bool:
    """Return whether calls can be made to fail here: Linux with a C compiler."""
    return sys.platform == "linux" and shutil.which("cc") is not None


def built_shim(folder: Path) -> Path:
    """Compile the shim into a folder."""
    library = folder / "torture.so"
    command = ["cc", "-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-o", str(library), str(_SHIM), "-ldl"]
    subprocess.run(command, check=True)
    return library


class Injector:
    """Runs commands with a fault; its process must have been started with the shim in ``LD_PRELOAD``."""

    def __init__(self, shim: Path, scratch: Path, folder: Path) -> None:
        self._library = ctypes.CDLL(str(shim))
        self._path = scratch / "plan"
        self._path.write_bytes(bytes(ctypes.sizeof(_Plan)))
        with self._path.open("r+b") as file:
            self._plan = _Plan.from_buffer(mmap.mmap(file.fileno(), 0))
        self._plan.folder = os.fsencode(folder)
        self._plan.least_bytes = _LEAST_BYTES
        self._printed = scratch / "stdout", scratch / "stderr"

    def run(
        self,
        command: Callable[[], object],
        fault: Fault | None = None,
        *,
        seconds: float = 60,
        killed_after: Callable[[], bool] | None = None,
    ) -> Outcome:
        """Run a function in a forked process until it ends, or until ``killed_after``, asked often, is true."""
        fault = fault or Fault("write", 0)
        plan = self._plan
        plan.kind, plan.error = list(KINDS).index(fault.kind), fault.error
        plan.lasting, plan.kills, plan.nth, plan.fired = fault.lasting, fault.kills, fault.nth or 1 << 60, 0
        plan.counts = type(plan.counts)()
        pid = os.fork()
        if pid == 0:
            self._child(command)
        code = _waited(pid, seconds, killed_after)
        with suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
        out, err = (path.read_text(encoding="utf-8", errors="replace") for path in self._printed)
        return Outcome(code, out, err, plan.fired, dict(zip(KINDS, plan.counts, strict=True)))

    def _child(self, command: Callable[[], object]) -> None:
        """Run a function in this process, which is a copy of the first, and end it."""
        code: object = 70
        try:
            os.setsid()
            for number, path in enumerate(self._printed, start=1):
                os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
            os.environ[_VARIABLE] = str(self._path)
            self._patch_python()
            if self._library.torture_begin(os.fsencode(self._path)):
                raise OSError("the plan cannot be mapped")
            command()
            code = 0
        except SystemExit as end:
            code = end.code or 0
        except BaseException:
            traceback.print_exc()
        finally:
            with suppress(OSError, ValueError):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(code if isinstance(code, int) else 70)

    def _patch_python(self) -> None:
        """Let commits of databases fail as the driver reports it, and the start of programs."""
        from multiprocessing import util

        from sqlalchemy.engine.default import DefaultDialect

        commit, fails = DefaultDialect.do_commit, self._library.torture_fails

        def do_commit(dialect: DefaultDialect, connection: object) -> None:
            if fails(_COMMIT):
                raise dialect.loaded_dbapi.OperationalError("disk I/O error")
            commit(dialect, connection)  # type: ignore[arg-type]

        start = util.spawnv_passfds

        def spawnv_passfds(*words: object) -> int:
            if fails(_FORK):
                raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
            return start(*words)  # type: ignore[no-any-return]

        DefaultDialect.do_commit = do_commit  # type: ignore[method-assign, assignment]
        util.spawnv_passfds = spawnv_passfds


def _waited(pid: int, seconds: float, killed_after: Callable[[], bool] | None) -> int | None:
    """Wait for a process; return its exit code, minus the signal that ended it, or None where it had to be ended."""
    ends, has_hung, handle = select.poll(), False, os.pidfd_open(pid)
    ends.register(handle, select.POLLIN)
    try:
        last = time.monotonic() + seconds
        while not ends.poll(1 if killed_after else 1000 * seconds):
            has_hung = time.monotonic() > last
            if has_hung or (killed_after and killed_after()):
                os.kill(pid, signal.SIGKILL)
                break
    finally:
        _, status = os.waitpid(pid, 0)
        os.close(handle)
    return None if has_hung else os.waitstatus_to_exitcode(status)


def command_line(words: Sequence[str], *, later: float = 0.0) -> Callable[[], object]:
    """Return a function that runs the command line with some words, so many seconds ``later``."""

    def run() -> None:
        from blockfeat.cli import main

        now = time.time
        time.time = lambda: now() + later
        sys.argv = ["blockfeat", *words]
        main()

    return run


def preload(modules: Sequence[str]) -> None:
    """Import what a command imports, so that a copy of this process has it; pyswarms would write a log."""
    for name in (name for name in modules if not name.startswith("pyswarms")):
        with suppress(Exception):
            importlib.import_module(name)
