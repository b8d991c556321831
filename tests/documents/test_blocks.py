"""Every code block of README and docs is run with the install that its page names, or says why not and is parsed.

The environments are made where they are not there yet, from the built wheel: `documented.environments`.
"""

import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from documented.command_lines import commands_of, problem_of
from documented.fences import ROOT, documents, fences_of
from documented.running import new_session
from documented.scratch import demo_records, write_scratch
from small_site import serving

_NAMES = [str(path.relative_to(ROOT)) for path in documents()]


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    """Serve a demo page under every path: the example.org of the documents."""
    with serving() as site:
        site.otherwise = 200, {"Content-Type": "text/html; charset=utf-8"}, demo_records()[1]["html"].encode()
        yield site.url


@pytest.mark.skipif(not (ROOT / "blockfeat").exists(), reason="the wheel is built from the sources, which are not here")
@pytest.mark.parametrize("name", _NAMES)
def test_blocks_run(name: str, tmp_path: Path, site: str) -> None:
    fences = fences_of(ROOT / name)
    with new_session(tmp_path, site) as session:
        if any(fence.mark is None for fence in fences):
            write_scratch(session.folder, site)
        for fence in fences:
            session.run(fence)
    for told in session.left_out:
        warnings.warn(f"not run: {told}", stacklevel=1)


@pytest.mark.parametrize("name", _NAMES)
def test_a_block_names_its_install_or_why_it_is_not_run(name: str) -> None:
    fences = fences_of(ROOT / name)
    assert [fence.place for fence in fences if fence.language == "indented"] == [], "write code in fences"
    assert [fence.place for fence in fences if fence.mark in ("not run", "not code") and len(fence.reason) < 8] == []
    assert [fence.place for fence in fences if fence.mark is None and not fence.install] == []


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("blockfeat extract page.html --modl margin", "No such option: --modl"),
        ("blockfeat extrct page.html", "blockfeat has no command 'extrct'"),
        ("blockfeat monitor report m.toml --formt csv", "No such option: --formt"),
        ("blockfeat monitor m.toml --onc", "No such option: --onc"),
        ("C=x; cat a | blockfeat corpus validat x", "blockfeat corpus has no command 'validat'"),
        ("*/10 * * * *  cd /srv && blockfeat monitor m.toml --twice", "No such option: --twice"),
        ("python -m experiments.nothing", "there is no module experiments.nothing"),
        ("python -m experiments.nested_folds --bye host", "has no option --bye"),
        ("python tools/nothing.py", "there is no tools/nothing.py"),
        ("make nothing JOBS=2", "make has no target nothing"),
        ("pip install 'blockfeat[nothing]'", "blockfeat has no extra nothing"),
    ],
)
def test_what_is_not_run_is_parsed(line: str, problem: str) -> None:
    found = [problem_of(words) for words in commands_of(line)]
    assert any(problem in one for one in found if one), found
