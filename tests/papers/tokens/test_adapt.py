"""``adapt``: from the pages of a site to a model file that extracts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from blockfeat.commands.models import adapt as adapt_command
from blockfeat.errors import ModelError, TrainingError
from blockfeat.extraction.extractor import Extractor
from blockfeat.models import store
from blockfeat.models.store import load_model, save_model
from blockfeat.page.document import Document
from blockfeat.page.page import Page
from blockfeat.papers.tokens.adapt import adapt
from blockfeat.papers.tokens.bootstrapping import AdaptOptions
from blockfeat.papers.tokens.classifier import Scale, TokenClassifier
from blockfeat.papers.tokens.counts import TokenCounter
from blockfeat.papers.tokens.model import TokenModel
from blockfeat.papers.tokens.page_tokens import PageTokens
from pages import SENTENCES, article_page

TAGS = ("a", "aside", "body", "footer", "h1", "h2", "head", "html", "li", "main", "nav", "p", "title", "ul")
GOLD = "\n".join(f"{SENTENCES[number % 4]} {SENTENCES[(number + 1) % 4]}" for number in range(4))


def base() -> TokenModel:
    counter = TokenCounter(TAGS)
    for number in range(3):
        counter.add_gold(PageTokens.of(Page.parse(article_page()).tags), GOLD, source=f"site {number}", lang="en")
    vocabulary, bayes = counter.finish(neighbours=True)
    return TokenModel(
        "base", "classifier", classifier=TokenClassifier(vocabulary, replace(bayes, balanced=True), Scale())
    )


def documents(count: int) -> list[Document]:
    return [Document(id=f"page {number}", data=article_page(3 + number % 4)) for number in range(count)]


def test_a_model_for_a_site(tmp_path: Path) -> None:
    read: list[int] = []
    broken = Document(id="broken", data=b"%PDF-1.4"), Document(id="gone", data=None, error="gone: not found")
    found = adapt([*documents(8), *broken], base(), name="site", on_page=read.append)
    assert read == list(range(1, 11))
    assert (found.pages, len(found.skipped)) == (8, 2)
    assert found.skipped[0].startswith("broken: ")
    assert found.model.name == "site"
    assert found.model.record["adapted_from"] == "base"
    save_model(found.model, tmp_path / "site.npz")
    text = Extractor.of(load_model(tmp_path / "site.npz")).extract(article_page(5)).text
    assert "harbour council" in text
    assert "Zephyrona" not in text


def test_too_few_pages_are_refused() -> None:
    with pytest.raises(TrainingError, match="at least 5 pages"):
        adapt(documents(4), base())


def test_a_model_without_a_classifier_is_refused() -> None:
    with pytest.raises(ModelError, match="mss-supervised"):
        adapt(documents(6), TokenModel("simple", "simple"))


def test_options_are_kept_in_the_record() -> None:
    options = AdaptOptions(window=5, iterations=1)
    record = adapt(documents(6), base(), options=options).model.record
    assert (record["options"]["window"], record["options"]["iterations"], len(record["changed"])) == (5, 1, 1)


def test_the_command_writes_a_model_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    for document in documents(6):
        (folder / f"{document.id}.html").write_text(str(document.data), encoding="utf-8")
    monkeypatch.setattr(store, "load_model", lambda name: base())
    app = typer.Typer()
    app.command()(adapt_command)
    output = tmp_path / "site.npz"
    done = CliRunner().invoke(app, ["--pages", str(folder), "--output", str(output), "--quiet"])
    assert done.exit_code == 0, done.output
    assert "6 pages" in done.output
    assert load_model(output).name == "site"
