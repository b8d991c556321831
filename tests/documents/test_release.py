"""What a release needs: its version everywhere, a citation by the schema, workflows that call what is there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from blockfeat import __version__
from documented.command_lines import commands_of, problem_of
from documented.fences import ROOT

yaml = pytest.importorskip("yaml", reason="needs the documentation tools of requirements-dev.lock")


def _read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def _workflow(name: str) -> dict[str, Any]:
    return dict(_read(ROOT / ".github" / "workflows" / name))


def _steps(workflow: dict[str, Any]) -> list[dict[str, Any]]:
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


def test_the_citation_names_this_version_and_the_papers() -> None:
    citation = _read(ROOT / "CITATION.cff")
    assert citation["version"] == __version__
    assert citation["cff-version"] == "1.2.0"
    assert {"message", "title", "authors"} <= set(citation)
    assert [reference["year"] for reference in citation["references"]] == [2007, 2009, 2018, 2003]


def test_the_changelog_tells_of_this_version() -> None:
    headings = re.findall(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert headings[0] in ("Unreleased", __version__)


@pytest.mark.parametrize("name", ["ci.yml", "release.yml"])
def test_workflows_call_what_is_there(name: str) -> None:
    for step in _steps(_workflow(name)):
        problems = [problem_of(words) for words in commands_of(step.get("run", ""))]
        assert not any(problems), problems
        for script in re.findall(r"(?<![\w/])\.ci/\w+", step.get("run", "")):
            assert (ROOT / script).exists()


def test_ci_runs_the_same_as_a_checkout() -> None:
    runs = [step.get("run") for step in _steps(_workflow("ci.yml"))]
    assert {".ci/run", "make docs", "make check-wheel"} <= set(runs)


def test_a_release_publishes_without_a_secret() -> None:
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    publish = _workflow("release.yml")["jobs"]["publish"]
    assert publish["permissions"] == {"id-token": "write"}
    assert publish["if"] == "startsWith(github.ref, 'refs/tags/v')"
    assert "${{ secrets" not in text


def test_issue_forms_ask_for_the_version() -> None:
    for name in ("fault.yml", "wrong_text.yml"):
        form = _read(ROOT / ".github" / "ISSUE_TEMPLATE" / name)
        assert {"name", "description", "body"} <= set(form)
        assert "version" in [part.get("id") for part in form["body"]]
