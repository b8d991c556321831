"""Fail every call of a command in turn, and check after each that nothing is lost: ``python -m tools.torture``.

Options: ``--short`` tries a few faults of each kind, ``--only TEXT`` the scenarios with the text in their name,
``--kind KIND`` the faults of a kind, ``--kills N`` how many runs are killed. Exit status: 0 all well, 1 findings, which
are printed, 2 where calls cannot be made to fail.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from tools.torture.database import MISSING, free_port, running
from tools.torture.injector import Injector, built_shim, is_possible
from tools.torture.run import Torture, table_of
from tools.torture.scenarios import careless, scenarios
from tools.torture.site import served

_STARTED = "BLOCKFEAT_TORTURE_SHIM"


def main() -> int:
    """Run the scenarios; print the table and the findings."""
    parser = argparse.ArgumentParser(description="Fail every call in turn.")
    parser.add_argument("--short", action="store_true", help="few faults of each kind: within a minute")
    parser.add_argument("--only", nargs="+", default=[""], help="scenarios with one of these texts in their name")
    parser.add_argument("--kind", default="", help="faults of this kind")
    parser.add_argument("--kills", type=int, help="runs that are killed at random moments")
    options = parser.parse_args()
    if not is_possible():
        print("needs Linux and a C compiler", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="blockfeat-torture-") as made:
        if _STARTED not in os.environ:
            return _started_again(built_shim(Path(made)))
        scratch = Path(made).resolve()
        folder = scratch / "run"
        injector = Injector(Path(os.environ[_STARTED]), scratch, folder)
        sees = Torture(injector, scratch, folder, most=1)
        sees.fail_calls(careless())
        torture = Torture(injector, scratch, folder, most=1 if options.short else 24)
        if not sees.findings:
            torture.findings.append("a program that loses its old result is not found out")
            print(*torture.findings, file=sys.stderr)
        url, site = served()
        database = ExitStack()
        server = database.enter_context(running(port=free_port()))
        if server is None:
            print(f"without PostgreSQL: {MISSING}", flush=True)
        kills = options.kills if options.kills is not None else 1 if options.short else 15
        try:
            for scenario in scenarios(url, server):
                if any(text in scenario.name for text in options.only):
                    told = len(torture.findings)
                    torture.fail_calls(scenario, options.kind)
                    torture.kill(scenario, kills)
                    # Not at the end alone: beside other work a run takes hours.
                    for finding in torture.findings[told:]:
                        print(finding, file=sys.stderr, flush=True)
                    print(f"{torture.injected.total()} failures, the last of {scenario.name}", flush=True)
        finally:
            os.kill(site, signal.SIGKILL)
            database.close()
        print(table_of(torture.injected))
        print(f"{len(torture.findings)} findings")
        return 1 if torture.findings else 0


def _started_again(shim: Path) -> int:
    """Start this program with the shim before the C library."""
    import subprocess

    environment = {**os.environ, "LD_PRELOAD": str(shim), _STARTED: str(shim), "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.run([sys.executable, "-m", "tools.torture", *sys.argv[1:]], env=environment).returncode


if __name__ == "__main__":
    raise SystemExit(main())
