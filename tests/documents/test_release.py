"""What a release needs: one version, one address, pinned actions on runners that exist, locks with hashes."""

import importlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from email import message_from_string
from pathlib import Path
from typing import Any

import pytest

from blockfeat import __version__
from documented.command_lines import commands_of, problem_of
from documented.fences import ROOT

yaml = pytest.importorskip("yaml", reason="needs the documentation tools of requirements-dev.lock")

_WORKFLOWS = ("audit.yml", "ci.yml", "release.yml")
_LOCKS = ("requirements-demo.lock", "requirements-dev.lock")
_RUNNERS = {"ubuntu-24.04", "ubuntu-24.04-arm", "macos-15", "macos-15-intel", "windows-2025"}
_ADDRESS = "https://example.org/owner/blockfeat"
_SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def _read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def _workflow(name: str) -> dict[str, Any]:
    return dict(_read(ROOT / ".github" / "workflows" / name))


def _steps(workflow: dict[str, Any]) -> list[dict[str, Any]]:
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


def _pins(name: str) -> dict[str, set[str]]:
    """Return the versions of each library in a lock: another system or Python may have another one."""
    pins: dict[str, set[str]] = {}
    for library, version in re.findall(r"(?m)^([\w.-]+)==([\w.+!-]+)", (ROOT / name).read_text(encoding="utf-8")):
        pins.setdefault(library, set()).add(version)
    return pins


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return what imports a module of tools/."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    return importlib.import_module


def test_the_citation_names_this_version_and_the_papers() -> None:
    citation = _read(ROOT / "CITATION.cff")
    assert (citation["version"], citation["cff-version"]) == (__version__, "1.2.0")
    assert {"message", "title", "authors"} <= set(citation)
    assert [reference["year"] for reference in citation["references"]] == [2007, 2009, 2018, 2003]


def test_the_changelog_tells_of_this_version_on_its_day(
    tool: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_release = tool("check_release")
    assert check_release.same_version().startswith(f"{__version__} of ")
    (tmp_path / "blockfeat").mkdir()
    for name in ("CHANGELOG.md", "CITATION.cff", "blockfeat/__init__.py"):
        (tmp_path / name).write_text((ROOT / name).read_text(encoding="utf-8"), encoding="utf-8")
    citation = tmp_path / "CITATION.cff"
    citation.write_text(citation.read_text(encoding="utf-8").replace("date-released: 20", "date-released: 19"), "utf-8")
    monkeypatch.setattr(check_release, "ROOT", tmp_path)
    with pytest.raises(check_release.ReleaseError, match="citation"):
        check_release.same_version()


@pytest.mark.parametrize("name", _WORKFLOWS)
def test_workflows_call_what_is_there(name: str) -> None:
    targets = re.findall(r"(?m)^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"))
    for step in _steps(_workflow(name)):
        problems = [problem_of(words) for words in commands_of(step.get("run", ""))]
        assert not any(problems), problems
        assert set(re.findall(r"^make ([a-z-]+)", step.get("run", ""))) <= set(targets)
        for script in re.findall(r"(?<![\w/])\.ci/\w+", step.get("run", "")):
            assert (ROOT / script).exists()


@pytest.mark.parametrize("name", _WORKFLOWS)
def test_actions_are_pinned_by_digest_with_their_version(name: str) -> None:
    text = (ROOT / ".github" / "workflows" / name).read_text(encoding="utf-8")
    uses = re.findall(r"uses: *(.*)", text)
    assert uses
    assert not [use for use in uses if not re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", use)]


def test_an_action_has_one_pin_in_all_workflows() -> None:
    texts = [(ROOT / ".github" / "workflows" / name).read_text(encoding="utf-8") for name in _WORKFLOWS]
    pins = {tuple(use.split("@")) for text in texts for use in re.findall(r"uses: *(.*)", text)}
    assert len(pins) == len(dict(pins))


@pytest.mark.parametrize("name", _WORKFLOWS)
def test_jobs_run_where_runners_exist_and_may_do_no_more_than_they_say(name: str) -> None:
    workflow = _workflow(name)
    assert workflow["permissions"] == {}
    for job in workflow["jobs"].values():
        asked = job["strategy"]["matrix"]["os"] if "matrix.os" in job["runs-on"] else [job["runs-on"]]
        assert set(asked) <= _RUNNERS
        assert {"permissions", "timeout-minutes"} <= set(job)
    for step in _steps(workflow):
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False


@pytest.mark.skipif(shutil.which("actionlint", path=Path(sys.executable).parent) is None, reason="needs actionlint")
def test_actionlint_finds_a_runner_that_is_gone(tmp_path: Path) -> None:
    workflow = tmp_path / "ci.yml"
    program = [str(Path(sys.executable).parent / "actionlint"), str(workflow)]
    text = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    workflow.write_text(text, encoding="utf-8")
    assert subprocess.run(program, capture_output=True, check=False).returncode == 0
    workflow.write_text(text.replace("macos-15-intel", "macos-13"), encoding="utf-8")
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert (done.returncode != 0, "macos-13" in done.stdout) == (True, True)


def test_the_same_pythons_are_promised_built_and_tested() -> None:
    promised = re.findall(r"Python :: (3\.\d+)", " ".join(_SETTINGS["project"]["classifiers"]))
    built = [f"3.{minor}" for minor in re.findall(r"cp3(\d+)-", _SETTINGS["tool"]["cibuildwheel"]["build"])]
    assert promised == built == _workflow("ci.yml")["jobs"]["checks"]["strategy"]["matrix"]["python"]
    assert _SETTINGS["project"]["requires-python"] == f">={promised[0]}"


def test_ci_runs_the_same_as_a_checkout() -> None:
    runs = [step.get("run") for step in _steps(_workflow("ci.yml"))]
    assert {".ci/run", "make docs", "make check-wheel", "make test-least"} <= set(runs)


def test_a_release_publishes_without_a_secret() -> None:
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    jobs = _workflow("release.yml")["jobs"]
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    assert "${{ secrets" not in text
    for name in ("attest", "publish", "announce"):
        assert jobs[name]["if"] == "startsWith(github.ref, 'refs/tags/v')"
    assert {"wheels", "source"} == set(jobs["attest"]["needs"])


@pytest.mark.parametrize("name", _LOCKS)
def test_locks_pin_files_by_hash_and_name_no_place(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    entries = re.split(r"(?m)^(?=\w)", text)[1:]
    assert not [entry for entry in entries if "==" not in entry.splitlines()[0] or "--hash=sha256:" not in entry]
    assert not re.search(r"https?://|file:|--find-links|--index|/(opt|work|tmp|home|root)/", text)


def test_the_lock_of_the_demo_is_a_part_of_that_of_development() -> None:
    demo, development = (_pins(name) for name in _LOCKS)
    assert {library: development.get(library) for library in demo} == demo


@pytest.mark.parametrize(("name", "extra"), [("requirements-demo.lock", "train"), ("requirements-dev.lock", "dev")])
def test_a_lock_has_what_it_is_for(name: str, extra: str) -> None:
    project = _SETTINGS["project"]
    lines = [*project["dependencies"], *project["optional-dependencies"][extra]]
    asked = {re.split(r"[^\w.-]", line)[0].lower() for line in lines} - {"blockfeat"}
    assert asked <= set(_pins(name)), "run make lock"


def test_least_versions_take_the_tools_from_the_lock(tool: Any) -> None:
    least = tool("least_versions")
    lock = (ROOT / "requirements-dev.lock").read_text(encoding="utf-8")
    for name in least.TOOLS:
        assert least.locked(name, lock).startswith(f"{name}==")
    with pytest.raises(SystemExit, match="no-such-tool"):
        least.locked("no-such-tool", lock)


def _metadata(folder: Path, address: str) -> Any:
    environment = {**os.environ, "BLOCKFEAT_COMPILE": "0", "BLOCKFEAT_REPOSITORY": address}
    command = [sys.executable, "setup.py", "--quiet", "dist_info", "--output-dir", str(folder)]
    folder.mkdir()
    subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)
    (file,) = folder.glob("*.dist-info/METADATA")
    return message_from_string(file.read_text(encoding="utf-8"))


@pytest.mark.skipif(not (ROOT / "blockfeat").exists(), reason="needs the sources of the package")
def test_the_links_of_the_metadata_follow_the_address(tmp_path: Path) -> None:
    pytest.importorskip("Cython", reason="builds with Cython")
    told = _metadata(tmp_path / "with", _ADDRESS)
    readme, links = told.get_payload(), dict(link.split(", ") for link in told.get_all("Project-URL"))
    assert (f"({_ADDRESS}/raw/main/docs/home.png)" in readme, re.findall(r"\]\((?!https:)", readme)) == (True, [])
    assert (links["Source"], links["Issues"]) == (_ADDRESS, f"{_ADDRESS}/issues")
    assert all(link.startswith(_ADDRESS) for link in links.values())
    assert "Project-URL" not in _metadata(tmp_path / "without", "")
    with pytest.raises(subprocess.CalledProcessError) as wrong:
        _metadata(tmp_path / "wrong", "git@example.org:owner/blockfeat")
    assert b"BLOCKFEAT_REPOSITORY" in wrong.value.stderr


def test_the_source_archive_names_the_address_and_is_packed_the_same_twice(tool: Any, tmp_path: Path) -> None:
    archives = [tmp_path / f"{number}.tar.gz" for number in range(2)]
    for number, archive in enumerate(archives):
        with tarfile.open(archive, "w:gz") as files:
            for name in ("SECURITY.md", "CITATION.cff", "README.md")[:: 1 - 2 * number]:
                files.add(ROOT / name, f"blockfeat-1/{name}")
        tool("build_release").repack(archive, 1_000_000_000, _ADDRESS)
    assert archives[0].read_bytes() == archives[1].read_bytes()
    with tarfile.open(archives[0]) as files:
        texts = {member.name: files.extractfile(member).read().decode() for member in files}  # type: ignore[union-attr]
    assert yaml.safe_load(texts["blockfeat-1/CITATION.cff"])["repository-code"] == _ADDRESS
    assert f"({_ADDRESS}/security/advisories/new)" in texts["blockfeat-1/SECURITY.md"]
    assert texts["blockfeat-1/README.md"] == (ROOT / "README.md").read_text(encoding="utf-8")


def test_an_archive_that_differs_when_built_again_is_found(tool: Any, tmp_path: Path) -> None:
    check_release = tool("check_release")
    for folder in ("first", "second"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "blockfeat-1.tar.gz").write_bytes(b"same")
    assert check_release._same(tmp_path / "first", tmp_path / "second", "*.tar.gz") == "blockfeat-1.tar.gz"
    (tmp_path / "second" / "blockfeat-1.tar.gz").write_bytes(b"other")
    with pytest.raises(check_release.ReleaseError, match="differs"):
        check_release._same(tmp_path / "first", tmp_path / "second", "*.tar.gz")


def test_an_sbom_has_what_attestations_need_and_its_number_follows_from_its_parts(tool: Any) -> None:
    completed = tool("check_release").completed

    def sbom(library: str) -> dict[str, Any]:
        parts = {"bomFormat": "CycloneDX", "specVersion": "1.6", "components": [{"name": library}]}
        return dict(json.loads(completed({**parts, "metadata": {"component": {"name": "blockfeat"}}}, "1.2.3")))

    one = sbom("lxml")
    assert one["serialNumber"].startswith("urn:uuid:")
    assert (one["metadata"]["component"]["version"], sbom("lxml")) == ("1.2.3", one)
    assert sbom("numpy")["serialNumber"] != one["serialNumber"]


def test_a_failure_fails_a_release(
    tool: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    check_release = tool("check_release")

    def fails() -> str:
        raise check_release.ReleaseError("the reason")

    parts = [check_release.Step("first", fails), check_release.Step("second", lambda: "all well")]
    monkeypatch.setattr(check_release, "steps", lambda jobs: parts)
    monkeypatch.setattr(sys, "argv", ["check_release.py"])
    assert check_release.main() == 1
    rows = capsys.readouterr().out.splitlines()[-2:]
    assert re.match(r"first +FAILED .* the reason", rows[0])
    assert re.match(r"second +ok .* all well", rows[1])
    monkeypatch.setattr(sys, "argv", ["check_release.py", "--only", "second"])
    assert check_release.main() == 0


def test_issue_forms_ask_for_the_version() -> None:
    for name in ("fault.yml", "wrong_text.yml"):
        form = _read(ROOT / ".github" / "ISSUE_TEMPLATE" / name)
        assert {"name", "description", "body"} <= set(form)
        assert "version" in [part.get("id") for part in form["body"]]
