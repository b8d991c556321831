"""How blocks of documents are found, run and compared: faults put into a block, a marker or an output are told."""

import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from cases import CASES
from documented.console import end_served
from documented.environments import Environment, Unavailable, environment_of, install_into
from documented.fences import ROOT, Fence, fences_of, installs_named_in
from documented.outputs import difference
from documented.running import Session, new_session

_TRAINING = ROOT / "docs" / "training.md"


def _block(
    text: str, *, language: str = "", install: str = "development", mark: str | None = None, reason: str = ""
) -> Fence:
    return Fence(ROOT / "README.md", 3, language, text, install, mark, reason)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with new_session(tmp_path, "http://127.0.0.1:9") as begun:
        yield begun


def test_a_marker_holds_until_the_next_and_a_reason_for_one_block(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "```\na\n```\n\n<!-- install: train -->\n```\nb\n```\n\n<!-- not run: takes hours -->\n```\nc\n```\n\n"
        "<!-- output: within 0.1 -->\n```\nd\n```\n\n```python\ne\n```\n\n"
        "<!-- install: web,monitor -->\n<!-- not code: a drawing -->\n```\nf\n```\n\n"
        "|a|\n|-|\n\n<!-- output -->\n\n|b|\n|-|\n|1|\n\nmore\n"
    )
    found = [(fence.text.strip(), fence.install, fence.mark, fence.reason) for fence in fences_of(page)]
    assert found == [
        ("a", "", None, ""),
        ("b", "train", None, ""),
        ("c", "train", "not run", "takes hours"),
        ("d", "train", "output", "within 0.1"),
        ("e", "train", None, ""),
        ("f", "web,monitor", "not code", "a drawing"),
        ("…\n|b|\n|-|\n|1|\n…", "web,monitor", "output", ""),
    ]


def test_install_lines_are_read_in_prose_and_in_blocks() -> None:
    text = """Needs `pip install "blockfeat[web]"`; pip install -U 'blockfeat[train,peers]'
    pip install blockfeat-web blockfeat.py
    pip install blockfeat
    pip install pebble"""
    assert installs_named_in(text) == [frozenset({"web"}), frozenset({"train", "peers"}), frozenset()]


@pytest.mark.parametrize(
    ("block", "problem"),
    [
        (_block("blockfeat train", install="train"), r"no line above installs blockfeat\[train\]"),
        (Fence(_TRAINING, 400, "", "pip install 'blockfeat[web]'\n", "train"), r"blockfeat\[web\], and names train"),
        (Fence(_TRAINING, 400, "", "pip install blockfeat\n", "train"), r"installs blockfeat\[\], and names train"),
        (_block("die", language="perl"), "nothing runs 'perl'"),
        (_block("blockfeat extrct page.html\n"), "no command 'extrct'"),
        (_block("true | false\ntrue\n"), "ends with 1"),
        (_block("pip install pebble-of-nobody\n"), "No matching distribution"),
        (_block("1 / 0\n", language="python"), "ZeroDivisionError"),
        (_block("import os\nos._exit(3)\n", language="python"), "Python ended"),
        (_block("x = 3\nx + 1   # 4\nx + 2   # more\nx + 3   # 5\n", language="python"), "document says 5, it is 6"),
    ],
)
def test_what_is_wrong_with_a_block_is_told(session: Session, block: Fence, problem: str) -> None:
    with pytest.raises(AssertionError, match=problem):
        session.run(block)


def test_python_keeps_its_names_and_shells_their_files(session: Session) -> None:
    session.run(_block("from pathlib import Path\nx = 1\n", language="python"))
    session.run(_block("echo 2 > number\n"))
    session.run(_block("int(Path('number').read_text()) + x   # 3\n", language="python"))


@pytest.mark.parametrize("language", ["", "python"])
def test_an_output_that_differs_is_told(session: Session, language: str) -> None:
    session.run(_block("print('two pages')\n" if language else "echo two pages\n", language=language))
    session.run(_block("two pages\n", mark="output"))
    with pytest.raises(AssertionError, match="three pages"):
        session.run(_block("three pages\n", mark="output"))


def test_addresses_of_this_machine_are_shown_as_documented(session: Session) -> None:
    session.run(_block("echo http://127.0.0.1:8137/ https://www.example.org/a > said; grep -v 8137 said; cat said\n"))
    session.run(_block("http://127.0.0.1:8137/ https://example.org/a\n" * 2, mark="output"))


def test_a_block_whose_environment_cannot_be_had_is_named_and_its_output_not_compared(tmp_path: Path) -> None:
    def none(_: str) -> Environment:
        raise Unavailable("Java is not installed")

    with new_session(tmp_path, "", none) as session:
        session.run(_block("exit 1\n"))
        session.run(_block("never printed\n", mark="output"))
        session.run(_block("exit 1\n", mark="not run", reason="it fails"))
    assert session.left_out == ["README.md:3: Java is not installed"]


def test_a_server_goes_on_for_the_blocks_behind_it_and_ends(session: Session) -> None:
    pytest.importorskip("uvicorn", reason="the extra 'web' is not installed")
    session.run(_block("blockfeat serve\n"))
    session.run(_block("The reader is at http://127.0.0.1:8137/ (Ctrl-C ends it)\n", mark="output"))
    session.run(_block("curl -s http://127.0.0.1:8137/api/v1/health\n"))
    with pytest.raises(AssertionError, match="ends with 22"):  # curl's: the answer is an error
        session.run(_block("curl -s http://127.0.0.1:8137/api/v1/nothing\n"))
    session.run(_block("blockfeat serve --rate 5\n"))  # in the place of the first
    assert [problem for place in session.work.glob("bin-*") for problem in end_served(place)] == []
    with pytest.raises(AssertionError, match="ends with 7"):
        session.run(_block("curl -s http://127.0.0.1:8137/api/v1/health\n"))


def test_a_server_that_does_not_start_is_told(session: Session) -> None:
    with pytest.raises(AssertionError, match="nothing-there"):
        session.run(_block("blockfeat serve --model nothing-there.json\n"))


@pytest.mark.parametrize(("shown", "printed", "within", "fits"), CASES["outputs_are_compared"])
def test_outputs_are_compared(shown: str, printed: str, within: float, fits: bool) -> None:
    assert (difference(shown, printed, within=within) is None) is fits


def test_an_environment_is_made_anew_only_where_the_wheel_asks_for_something_else(tmp_path: Path) -> None:
    def wheel(value: int, asks: str = ">=3.11") -> Path:
        path = tmp_path / "tiny-1-py3-none-any.whl"
        texts = {
            "tiny.py": f"value = {value}\n",
            "METADATA": f"Metadata-Version: 2.1\nName: tiny\nVersion: 1\nRequires-Python: {asks}\n",
            "WHEEL": "Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
            "RECORD": "",
        }
        with zipfile.ZipFile(path, "w") as files:
            for name, text in texts.items():
                files.writestr(name if name == "tiny.py" else f"tiny-1.dist-info/{name}", text)
        return path

    folder = tmp_path / "environment"
    kept = folder / "kept"

    def value() -> str:
        return next(folder.rglob("tiny.py")).read_text()

    install_into(wheel(1), [], folder, sys.executable)
    assert value() == "value = 1\n"
    kept.touch()
    install_into(wheel(2), [], folder, sys.executable)
    assert (value(), kept.exists()) == ("value = 2\n", True)
    install_into(wheel(3, asks=">=3.10"), [], folder, sys.executable)
    assert (value(), kept.exists()) == ("value = 3\n", False)


def test_large_environments_are_made_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BLOCKFEAT_LARGE", raising=False)
    with pytest.raises(Unavailable, match="make delivered LARGE=1"):
        environment_of("sequence,web")
