"""What README, CONTRIBUTING, SECURITY, docs, docstrings and comments name is there."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from blockfeat.models import bundled_models
from documented.fences import ROOT, documents, fences_of
from documented.names import model_problem, problem_of_name, problems_of_text, remarks_of, source_files, spans_of

_DOCUMENTS = [*documents(), ROOT / "SECURITY.md"]
_EXTRAS = re.compile(r"blockfeat\[([\w,-]+)\]")
_COLUMN = 70  # of the site, on a desktop
_REMARKED = ("", ".py", ".toml", ".yml", ".sh")


def _named(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("name", [*map(_named, _DOCUMENTS)])
def test_documents_name_what_is_there_and_link_to_it(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    problems = {span: problem for span in spans_of(ROOT / name) if (problem := problem_of_name(span))}
    assert problems == {}
    assert model_problem(text) is None
    assert set(",".join(_EXTRAS.findall(text)).split(",")) - {""} <= _extras()
    dead = [link for link in _links(ROOT / name) if "://" not in link and not _is_linked(ROOT / name, link)]
    assert dead == []


@pytest.mark.parametrize("name", [*map(_named, documents())])
def test_code_fits_the_column_and_links_have_titles(name: str) -> None:
    wide = [line for fence in fences_of(ROOT / name) for line in fence.text.splitlines() if len(line) > _COLUMN]
    assert [line for line in wide if not line.startswith("|")] == []
    assert re.findall(r"\[(?:https?:[^\]]*|[\w/.-]+\.md)\]\(", (ROOT / name).read_text(encoding="utf-8")) == []


def test_docstrings_and_comments_name_what_is_there() -> None:
    files = [path for path in source_files() if path.suffix in _REMARKED]
    problems = {str(path): found for path in files if (found := list(problems_of_text(remarks_of(path))))}
    assert problems == {}


def test_tables_of_models_and_extras_are_whole() -> None:
    assert sorted(_first_column("which-model.md", "What is bundled")) == sorted(bundled_models())
    assert sorted(_first_column("installation.md", "Extras")) == sorted(_extras() - {"dev"})


@pytest.mark.parametrize(
    ("span", "problem"),
    [
        *((path, f"there is no {path}") for path in ("blockfeat/sources/fetch.py", "sources/", "test_sources.py")),
        *((f"blockfeat.{n}", f"nothing knows blockfeat.{n}") for n in ("sources.fetch", "extraction.Extraction.txt")),
        ("blockfeat.extract_all(html)", "nothing knows blockfeat.extract_all"),
        ("--modell thresholds", "nothing knows --modell"),
        ("blockfeat extract --modell x", "No such option: --modell"),
        ("monitor rematch FILE --gone", "No such option: --gone"),
        ("BLOCKFEAT_" + "GONE=1", "nothing knows BLOCKFEAT_" + "GONE"),
        ("Gone" + "Extractor", "nothing knows Gone" + "Extractor"),
    ],
)
def test_a_name_of_nothing_is_found(span: str, problem: str) -> None:
    assert problem in str(problem_of_name(span))


@pytest.mark.parametrize(
    "span",
    [
        *("tests/pages.py", "page/", "walls.py", "blockfeat.extract(html)", "blockfeat.models"),
        *("blockfeat.Extraction.text", "blockfeat.integrations.langchain", "--jobs", "--favour precision", "make test"),
        *("blockfeat.trainers", "monitor rematch FILE", "BLOCKFEAT_BOUNDSCHECK=1", "BlockfeatExtractor"),
        "https://example.org/a_b",
    ],
)
def test_a_name_that_is_there_and_what_is_no_name_pass(span: str) -> None:
    assert problem_of_name(span) is None


def test_remarks_are_read() -> None:
    text = "Stands in tests/gone.py and io/test_gone, made by blockfeat.gone; tests/pages.py and test_pool are there."
    gone = ["tests/gone.py", "blockfeat.gone", "test io/test_gone"]
    assert list(problems_of_text(text)) == [f"there is no {name}" for name in gone]
    assert model_problem("blockfeat extract --model gone page.html") == "no bundled model gone"
    assert model_problem("blockfeat extract --model margin -m mine.json page.html") is None


def _extras() -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return set(project["optional-dependencies"])


def _first_column(document: str, heading: str) -> list[str]:
    """Return the names between backticks in the first column of the first table behind a heading."""
    text = (ROOT / "docs" / document).read_text(encoding="utf-8").partition(f"## {heading}\n")[2]
    table = re.search(r"(?:^\|.*\n)+", text, re.MULTILINE)
    return [name for row in table[0].splitlines() for name in re.findall(r"`([^`]+)`", row.split("|")[1])]


def _links(path: Path) -> Iterator[str]:
    for token in MarkdownIt("commonmark").enable("table").parse(path.read_text(encoding="utf-8")):
        for child in token.children or []:
            if child.type in ("link_open", "image"):
                yield str(child.attrs.get("href") or child.attrs.get("src"))


def _is_linked(source: Path, link: str) -> bool:
    """Look for the file of a link, and for the heading that its anchor names."""
    name, _, anchor = link.partition("#")
    target = (source.parent / name) if name else source
    if not target.exists() or not anchor:
        return target.exists() or name.startswith("reference/")
    headings = re.findall(r"^#+ (.*)$", target.read_text(encoding="utf-8"), re.MULTILINE)
    return anchor in [re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings]
