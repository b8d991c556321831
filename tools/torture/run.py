"""Runs scenarios with one fault after the other, and checks what each leaves."""

from __future__ import annotations

import os
import random
import re
import shutil
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from tools.torture.injector import KINDS, Fault, Injector, Outcome, command_line, preload
from tools.torture.scenarios import Command, Result, Scenario

# What SQLite says in place of the system's reason; a worker process says that it ended.
_CAUSES = re.compile(
    r"disk I/O error|disk is full|unable to open database file|out of memory|not enough memory|worker process"
    r"|database is locked|readonly|malformed|All connection attempts failed|connection broke off"
    r"|server closed the connection"
)
_MOST_TRIES = 4
_LASTING = ("write", "open", "rename", "sync", "read")


class Torture:
    """Runs scenarios, counts the failures injected, and collects findings."""

    def __init__(self, injector: Injector, scratch: Path, folder: Path, *, most: int, seed: int = 1) -> None:
        self._injector = injector
        self._prepared = scratch / "prepared"
        self._modules = scratch / "modules"
        self._folder = folder
        self._most = most
        self._random = random.Random(seed)
        self._whole: Result | None = None
        self.injected: Counter[tuple[str, str]] = Counter()
        self.findings: list[str] = []

    def fail_calls(self, scenario: Scenario, only: str = "") -> None:
        """Fail the calls of each kind in turn until a run goes through."""
        whole, counts = self._undisturbed(scenario)
        self._whole = whole
        if whole is None:
            return
        for kind in scenario.kinds:
            for fault in self._faults(kind, counts[kind]) if only in kind else ():
                self._try(scenario, fault, whole)

    def _faults(self, kind: str, count: int) -> Iterator[Fault]:
        """Yield faults of a kind: of every call, or of calls evenly apart where there are too many."""
        step = max(1, count // self._most)
        for number, nth in enumerate(range(1 + step // 2, count + 1, step)):
            error = KINDS[kind][number % len(KINDS[kind])]
            yield Fault(kind, nth, error)
            if kind in _LASTING:
                yield Fault(kind, nth, KINDS[kind][0], lasting=True)

    def kill(self, scenario: Scenario, count: int) -> None:
        """Kill a run at random moments after its first page is stored; a run that ends before is not counted.

        To be called after `fail_calls`.
        """
        whole = self._whole
        if whole is None:
            return
        self._fresh()
        started = time.monotonic()
        self._run(scenario.words)
        seconds = time.monotonic() - started
        for _ in range(_MOST_TRIES * count):
            self._fresh()
            outcome = self._run(
                scenario.words, killed_after=self._moment(scenario, self._random.uniform(0, seconds / 2))
            )
            if outcome.code == -9:
                self.injected[scenario.name, "kill"] += 1
                self._check_loss(scenario, "kill", whole, outcome)
                self._check_next(scenario, "kill", whole)
            if self.injected[scenario.name, "kill"] == count:
                return

    def _moment(self, scenario: Scenario, wait: float) -> Callable[[], bool]:
        """Return what says whether so many seconds have passed since the first page was stored."""
        until: list[float] = []

        def has_come() -> bool:
            if not until and scenario.has_begun(self._folder):
                until.append(time.monotonic() + wait)
            return bool(until) and time.monotonic() >= until[0]

        return has_come

    def _undisturbed(self, scenario: Scenario) -> tuple[Result | None, dict[str, int]]:
        """Return what a run without a fault leaves, and its calls by kind, of the second run: the first one loads."""
        self._scenario = scenario
        for folder in (self._prepared, self._folder):
            shutil.rmtree(folder, ignore_errors=True)
        self._folder.mkdir()  # its name may stand in what is prepared
        scenario.prepare(self._folder)
        self._folder.rename(self._prepared)
        self._fresh()
        self._injector.run(self._noting_modules(self._command(scenario.words)))
        preload(self._modules.read_text().split())
        if scenario.before:
            self._fresh()
            self._run(scenario.before)
            shutil.rmtree(self._prepared)
            shutil.copytree(self._folder, self._prepared)
        self._fresh()
        outcome = self._run(scenario.words)
        if outcome.code != scenario.code:
            self.findings.append(f"{scenario.name}: exit {outcome.code} without a fault: {outcome.err.strip()}")
            return None, {}
        return scenario.result(self._folder), outcome.counts

    def _noting_modules(self, command: Callable[[], object]) -> Callable[[], object]:
        def run() -> None:
            try:
                command()
            finally:
                self._modules.write_text("\n".join(name for name in sys.modules if name != "__main__"))

        return run

    def _fresh(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)
        shutil.copytree(self._prepared, self._folder, symlinks=True)
        self._scenario.fresh()

    def _command(self, command: Command, *, later: float = 0.0) -> Callable[[], object]:
        if callable(command):
            return partial(command, self._folder)
        return command_line([word.replace("{folder}", str(self._folder)) for word in command], later=later)

    def _run(
        self,
        words: Command,
        fault: Fault | None = None,
        *,
        later: float = 0.0,
        killed_after: Callable[[], bool] | None = None,
    ) -> Outcome:
        return self._injector.run(self._command(words, later=later), fault, killed_after=killed_after)

    def _try(self, scenario: Scenario, fault: Fault, whole: Result) -> None:
        self._fresh()
        outcome = self._run(scenario.words, fault)
        if not outcome.fired:
            return
        self.injected[scenario.name, fault.kind] += 1
        self._check_outcome(scenario, fault, whole, outcome)
        self._check_loss(scenario, str(fault), whole, outcome)
        if fault.kind == "allocate" and scenario.without_memory:
            self._run(scenario.without_memory)
        self._check_next(scenario, str(fault), whole)

    def _check_outcome(self, scenario: Scenario, fault: Fault, whole: Result, outcome: Outcome) -> None:
        """Check exit code and message."""
        told = outcome.err.strip()
        if outcome.code == -6 and "memory allocation of" in told:
            return  # what libraries in Rust do without memory: as a kill
        if outcome.code is None:
            self._found(scenario, str(fault), "hangs", told)
        elif "Traceback" in told or "unexpected " in told or "Exception ignored" in told:
            self._found(scenario, str(fault), "says no plain reason", told)
        elif "another run" in told or "another process" in told:
            self._found(scenario, str(fault), "blames another run", told)
        elif outcome.code not in (scenario.code, 1, 126):
            self._found(scenario, str(fault), f"ends with exit code {outcome.code}", told)
        elif outcome.code == scenario.code and scenario.result(self._folder) != whole:
            self._found(scenario, str(fault), "ends well with another result", told)
        elif outcome.code == 126 and os.strerror(fault.error) not in told and not _CAUSES.search(told):
            self._found(scenario, str(fault), "does not name the cause", told)

    def _check_loss(self, scenario: Scenario, fault: str, whole: Result, outcome: Outcome) -> None:
        now = scenario.result(self._folder)
        before = scenario.result(self._prepared)
        # Where some inputs failed, the result is whole, but another.
        if outcome.code != 1 and (lost := scenario.lost(before, now, whole)):
            self._found(scenario, fault, lost, outcome.err)

    def _check_next(self, scenario: Scenario, fault: str, whole: Result) -> None:
        """Run again, without a fault; the result must be that of an undisturbed run."""
        words = scenario.again(self._folder) if scenario.again else scenario.words
        outcome = self._run(words, later=scenario.later)
        now = scenario.result(self._folder)
        if outcome.code != scenario.code:
            self._found(scenario, fault, f"the next run ends with {outcome.code}", outcome.err)
        elif now != whole:
            self._found(scenario, fault, f"the next run gives another result: {_difference(now, whole)}", outcome.err)

    def _found(self, scenario: Scenario, fault: str, what: str, told: str) -> None:
        lines = told.strip().splitlines()
        shown = " | ".join(lines[-3:])[-400:] or "nothing said"
        self.findings.append(f"{scenario.name}: {fault}: {what}: {shown}")


def _difference(now: Result, whole: Result) -> str:
    """Return what differs between two results, by name, with the first item that one lacks."""
    parts = []
    for name in sorted(now.keys() | whole.keys()):
        one, other = now.get(name), whole.get(name)
        if one != other:
            rows = [list(value) if isinstance(value, list) else [value] for value in (one, other)]
            first = next(item for item in rows[0] + rows[1] if (item in rows[0]) != (item in rows[1]))
            parts.append(f"{name} ({len(rows[0])} of {len(rows[1])}, such as {str(first)[:150]})")
    return "; ".join(parts)


def table_of(injected: Counter[tuple[str, str]]) -> str:
    """Return the number of failures by scenario and kind, as a Markdown table."""
    kinds = [kind for kind in (*KINDS, "kill") if any(key[1] == kind for key in injected)]
    names = list(dict.fromkeys(name for name, _ in injected))
    rows = [["scenario", *kinds, "all"], ["---", *["--:"] * (len(kinds) + 1)]]
    for name in names:
        counts = [injected[name, kind] for kind in kinds]
        rows.append([name, *(str(count or "–") for count in counts), str(sum(counts))])
    sums = [sum(injected[name, kind] for name in names) for kind in kinds]
    rows.append(["all", *map(str, sums), str(sum(sums))])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)
