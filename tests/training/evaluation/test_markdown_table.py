"""Markdown tables of texts."""

from __future__ import annotations

from blockfeat.training.evaluation.markdown_table import markdown_table


def test_table() -> None:
    assert markdown_table(["a", "b"], [["x|y", "1"]]) == "| a | b |\n| --- | ---: |\n| x\\|y | 1 |\n"


def test_table_without_rows() -> None:
    assert markdown_table(["a"], []) == "| a |\n| --- |\n"
