"""Labelled pages: reading, writing, splitting, converting and checking corpora; the bundled demo pages."""

from __future__ import annotations

from blockfeat.data.convert import LAYOUTS, convert, parse_fields
from blockfeat.data.corpus import (
    LabelledPage,
    demo_pages,
    load_corpora,
    page_from_record,
    page_to_record,
    read_corpus,
    write_corpus,
)
from blockfeat.data.labels import ROLES, BlockRoles, cut_digest
from blockfeat.data.split import folds_by_host, read_page_list, seeded_key, split_by_host, split_pages, without_listed
from blockfeat.data.validate import CorpusProblem, CorpusReport, validate
from blockfeat.page.document import registered_domain

__all__ = [
    "LAYOUTS",
    "ROLES",
    "BlockRoles",
    "CorpusProblem",
    "CorpusReport",
    "LabelledPage",
    "convert",
    "cut_digest",
    "demo_pages",
    "folds_by_host",
    "load_corpora",
    "page_from_record",
    "page_to_record",
    "parse_fields",
    "read_corpus",
    "read_page_list",
    "registered_domain",
    "seeded_key",
    "split_by_host",
    "split_pages",
    "validate",
    "without_listed",
    "write_corpus",
]
