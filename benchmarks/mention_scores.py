"""Precision and recall of mentions by system and language, as tables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from blockfeat._files import writing
from blockfeat.training.evaluation.metrics import markdown_table

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class MentionCounts:
    """Names of pages: found rightly, found though the article does not mention them, and missed."""

    right: int = 0
    wrong: int = 0
    missed: int = 0

    def __add__(self, other: MentionCounts) -> MentionCounts:
        """Add the counts of other pages."""
        return MentionCounts(self.right + other.right, self.wrong + other.wrong, self.missed + other.missed)

    @property
    def precision(self) -> float:
        """Share of the names found that the article mentions; NaN where none was found."""
        found = self.right + self.wrong
        return self.right / found if found else math.nan

    @property
    def recall(self) -> float:
        """Share of the names that the article mentions that were found; NaN where there are none."""
        there = self.right + self.missed
        return self.right / there if there else math.nan


@dataclass(frozen=True)
class SystemMentions:
    """The counts of one system by language (``"others"`` for languages with few pages)."""

    name: str
    version: str
    counts: Mapping[str, MentionCounts]

    def mean(self) -> tuple[float, float]:
        """Return the means of precision and recall over the languages; precision where any name was found."""
        return (
            _mean([counts.precision for counts in self.counts.values()]),
            _mean([counts.recall for counts in self.counts.values()]),
        )


@dataclass(frozen=True)
class MentionBench:
    """The result of `benchmarks.mentions.run_mentions`.

    Attributes
    ----------
    systems : tuple of SystemMentions
        In the order in which they ran.
    pages : mapping
        Number of pages by language.
    names : mapping
        By language the number of scored names that are in the article only, around it only, and in both.
    """

    systems: tuple[SystemMentions, ...]
    pages: Mapping[str, int]
    names: Mapping[str, tuple[int, int, int]]

    @property
    def languages(self) -> list[str]:
        """The languages, that with most pages first, ``"others"`` last."""
        return sorted(self.pages, key=lambda lang: (lang == "others", -self.pages[lang], lang))

    def to_markdown(self) -> str:
        """Return three tables: what was scored, precision, and recall."""
        columns = ["language", "pages", "names", "in the article only", "around it only", "in both"]
        rows = [
            [lang, str(self.pages[lang]), str(sum(self.names[lang])), *map(str, self.names[lang])]
            for lang in self.languages
        ]
        total = [sum(self.names[lang][place] for lang in self.languages) for place in range(3)]
        rows.append(["all", str(sum(self.pages.values())), str(sum(total)), *map(str, total)])
        return "\n".join([markdown_table(columns, rows), self._table("precision", 0), self._table("recall", 1)])

    def _table(self, title: str, place: int) -> str:
        """Return one measure by system and language, in per cent, with the mean over the languages."""
        rows = []
        for system in self.systems:
            by_language = [_percent((found.precision, found.recall)[place]) for found in self._counts(system)]
            rows.append([f"{system.name} {system.version}".rstrip(), _percent(system.mean()[place]), *by_language])
        return markdown_table([f"{title}, %", "mean", *self.languages], rows)

    def _counts(self, system: SystemMentions) -> list[MentionCounts]:
        return [system.counts.get(lang, MentionCounts()) for lang in self.languages]

    def to_frame(self) -> pandas.DataFrame:
        """Return a row for each system and language."""
        import pandas

        return pandas.DataFrame(
            [
                {
                    "system": system.name,
                    "version": system.version,
                    "lang": lang,
                    "pages": self.pages[lang],
                    "right": counts.right,
                    "wrong": counts.wrong,
                    "missed": counts.missed,
                    "precision": counts.precision,
                    "recall": counts.recall,
                }
                for system in self.systems
                for lang, counts in zip(self.languages, self._counts(system), strict=True)
            ]
        )

    def write(self, folder: Path) -> list[Path]:
        """Write ``mentions.md`` and ``mentions.csv`` into a folder that exists; return their paths."""
        table, frame = folder / "mentions.md", folder / "mentions.csv"
        with writing(folder):
            table.write_text(self.to_markdown(), encoding="utf-8")
            self.to_frame().to_csv(frame, index=False)
        return [table, frame]


def _mean(values: Sequence[float]) -> float:
    known = [value for value in values if not math.isnan(value)]
    return sum(known) / len(known) if known else math.nan


def _percent(value: float) -> str:
    return "" if math.isnan(value) else f"{100 * value:.1f}"
