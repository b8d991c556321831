"""Labelled pages: reading, writing, splitting, converting and checking corpora; the bundled demo pages."""

from __future__ import annotations

from blockfeat.data.convert import LAYOUTS, convert, parse_fields
from blockfeat.data.corpus import LabelledPage, demo_pages, load_corpora, read_corpus, write_corpus
from blockfeat.data.split import folds_by_host, read_page_list, split_by_host, split_pages, without_listed
from blockfeat.data.validate import CorpusProblem, CorpusReport, validate
from blockfeat.page.urls import registered_domain

__all__ = [
    "LAYOUTS",
    "CorpusProblem",
    "CorpusReport",
    "LabelledPage",
    "convert",
    "demo_pages",
    "folds_by_host",
    "load_corpora",
    "parse_fields",
    "read_corpus",
    "read_page_list",
    "registered_domain",
    "split_by_host",
    "split_pages",
    "validate",
    "without_listed",
    "write_corpus",
]
