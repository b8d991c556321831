"""How often each source of metadata is right, by field and by what the others say; the order in which they are asked.

python -m experiments.metadata_sources ../shared/corpora/metadata [--output blockfeat/metadata/source_records.json]
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from zlib import crc32

from benchmarks.metadata_scores import GivenMetadata, GoldPage, count_field, read_gold
from blockfeat.extraction.extractor import Extractor
from blockfeat.metadata.dates import parse_moment
from blockfeat.metadata.metadata import Candidates, Metadata, SourceRecords, plain, source_records
from blockfeat.metadata.names import clean_names
from blockfeat.metadata.read import declared_claims
from blockfeat.page.document import registered_domain
from blockfeat.training.evaluation.metrics import markdown_table
from experiments.needs import check_needs

FIELDS = {
    "title": ("title", "title"),
    "authors": ("authors", "author"),
    "published": ("day", "published"),
    "description": ("description", "description"),
    "tags": ("tags", "tag"),
}
"""What is scored, and claimed, of each field of `Metadata` that has gold."""
_USUAL = ("json-ld", "microdata", "rdfa", "open-graph", "meta")
_FOLDS, _BINS = 5, 10
_LEAST_GAIN, _LEAST_SHARE = 3.0, 0.2


@dataclass(frozen=True)
class PageValues:
    """What was read of one page: its gold, its metadata, and what each source declares."""

    page: GoldPage
    metadata: Metadata
    claims: list[Candidates]

    @property
    def fold(self) -> int:
        """Its part of the pages, by site."""
        site = registered_domain(self.page.url) if self.page.url else None
        return crc32((site or self.page.id).encode()) % _FOLDS

    def right(self, name: str, given: GivenMetadata) -> float | None:
        """Return the share of a field's values that are right; None without gold or without a value."""
        score = count_field(FIELDS[name][0], given, self.page.gold)
        return score.right / score.given if score.gold and score.given else None


def read_values(extractor: Extractor, pages: Iterable[GoldPage]) -> Iterator[PageValues]:
    """Read the pages."""
    for page in pages:
        analysis = extractor.extract(page.html.encode("utf-8", "replace"), url=page.url).analysis
        if analysis is not None and analysis.metadata is not None:
            claims = declared_claims(
                analysis.choice.page, analysis.measured.blocks, analysis.prediction.kept, analysis.headline
            )
            yield PageValues(page, analysis.metadata, claims)


def given_by(metadata: Metadata) -> GivenMetadata:
    """Return the fields that are scored."""
    return GivenMetadata(
        metadata.title, metadata.authors, metadata.published, description=metadata.description, tags=metadata.tags
    )


def claimed(claims: Candidates, name: str) -> GivenMetadata:
    """Return what a source declares of one field, read as `blockfeat.metadata.read` does."""
    values = claims[FIELDS[name][1]]
    if not values:
        return GivenMetadata()
    if name == "authors":
        return GivenMetadata(authors=clean_names(values))
    if name == "tags":
        return GivenMetadata(tags=tuple(tag.strip() for value in values for tag in plain(value).split(",")))
    if name == "published":
        return GivenMetadata(published=parse_moment(values[0]))
    text = plain(values[0])
    return GivenMetadata(title=text) if name == "title" else GivenMetadata(description=text)


def count_sources(values: Iterable[PageValues]) -> SourceRecords:
    """Count how often each source was right, by field and support; the order is that of the bundled records."""
    found: dict[str, dict[str, dict[str, tuple[float, int]]]] = {}
    for each in values:
        for name, said in each.metadata.support.items():
            right = each.right(name, given_by(each.metadata))
            if right is not None:
                by_support = found.setdefault(name, {}).setdefault(each.metadata.sources[name], {})
                before = by_support.get(said, (0.0, 0))
                by_support[said] = before[0] + right, before[1] + 1
    return SourceRecords(found, source_records().order)


def document_of(records: SourceRecords) -> dict[str, object]:
    """Return records as plain values that JSON can hold."""
    counts = {
        name: {
            source: {support: [round(right, 2), count] for support, (right, count) in sorted(by_support.items())}
            for source, by_support in sorted(by_source.items())
        }
        for name, by_source in sorted(records.counts.items())
    }
    return {"schema_version": 1, "order": dict(records.order), "counts": counts}


def differences(values: Sequence[PageValues], name: str) -> dict[tuple[str, str], tuple[int, float]]:
    """Return, for pairs of sources of a field, the pages on which one is right more than the other, and by how much."""
    found: dict[tuple[str, str], tuple[int, float]] = defaultdict(lambda: (0, 0.0))
    for each in values:
        rights: dict[str, float] = {}
        for claims in each.claims:
            right = each.right(name, claimed(claims, name))
            if right is not None:
                rights.setdefault(claims.source, right)
        for one, other in permutations(rights, 2):
            if rights[one] != rights[other]:
                count, gain = found[one, other]
                found[one, other] = count + 1, gain + rights[one] - rights[other]
    return dict(found)


def learnt_order(found: dict[tuple[str, str], tuple[int, float]], present: Sequence[str]) -> tuple[str, ...]:
    """Return sources in order: one moves before another where it is right more often on pages where they differ.

    By three pages or more, and a fifth of those that differ; else they stay as they are.
    """
    order = list(present)
    for source in present:
        for place, other in enumerate(order[: order.index(source)]):
            count, gain = found.get((source, other), (0, 0.0))
            if gain >= _LEAST_GAIN and gain >= _LEAST_SHARE * count:
                order.remove(source)
                order.insert(place, source)
                break
    return tuple(order)


def calibration(values: Sequence[PageValues], name: str) -> list[tuple[int, float, float]]:
    """Return pages, mean confidence and share that is right, by tenths of a field's confidence, sites left out."""
    pairs = []
    for fold in range(_FOLDS):
        records = count_sources(each for each in values if each.fold != fold)
        for each in values:
            right = each.right(name, given_by(each.metadata)) if name in each.metadata.support else None
            if each.fold == fold and right is not None:
                source, said = each.metadata.sources[name], each.metadata.support[name]
                pairs.append((records.confidence(name, source, said) or 0.0, right))
    pairs.sort()
    rows = []
    for part in range(_BINS):
        of_part = pairs[part * len(pairs) // _BINS : (part + 1) * len(pairs) // _BINS]
        if of_part:
            confidence, right = (sum(column) / len(of_part) for column in zip(*of_part, strict=True))
            rows.append((len(of_part), confidence, right))
    return rows


def main(given: Sequence[str] | None = None) -> None:
    """Print precision by source and support, pairs of sources that differ, and calibration; write the records."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("gold", nargs="+", help="files or folders of gold metadata")
    parser.add_argument("--output", type=Path, help="write the records to this file")
    arguments = parser.parse_args(given)
    check_needs(files=arguments.gold)
    values = list(read_values(Extractor.load("default"), read_gold(arguments.gold)))
    records = count_sources(values)
    orders = dict(records.order)
    for name in FIELDS:
        rows = [
            [source, said, str(count), f"{right / count:.3f}"]
            for source, by_support in records.counts.get(name, {}).items()
            for said, (right, count) in by_support.items()
        ]
        print(f"## {name}\n\n{markdown_table(['source', 'other sources', 'pages', 'right'], sorted(rows))}")
        found = differences(values, name)
        shown = [[*pair, str(count), f"{gain:+.1f}"] for pair, (count, gain) in sorted(found.items()) if gain > 0]
        print(markdown_table(["source", "more often right than", "pages that differ", "gain"], shown))
        tenths = [[str(count), f"{sure:.3f}", f"{right:.3f}"] for count, sure, right in calibration(values, name)]
        print(markdown_table(["pages", "confidence", "right"], tenths))
        order = learnt_order(found, _USUAL)
        print(f"order: {', '.join(order)}\n")
        orders.pop(FIELDS[name][1], None)
        if order != _USUAL:
            orders[FIELDS[name][1]] = order
    if arguments.output is not None:
        document = document_of(SourceRecords(records.counts, orders))
        arguments.output.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
