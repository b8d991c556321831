"""Score the default model on pages that neither its weights nor its cut have seen, beside the peers.

Usage::

    python tools/nested_default.py --by host --prepared /tmp/acc --corpora ../shared/corpora
    python tools/nested_default.py --by corpus --prepared /tmp/acc --corpora ../shared/corpora --only daniel,dragnet

``--by host`` cuts the hosts of all corpora into four parts, ``--by corpus`` takes each corpus as a part. For each part
in turn, the model is trained on the others, as ``tools/fit_default.py fit`` does, the choice of the cut included, and
extracts the part, as `blockfeat extract` would. Pages that tell no host are in no
part of ``--by host``, but always trained on. The two corpora of CleanEval, which are one, are left out together.

"With the headline" is the same model with ``headline=True``, for corpora whose gold mostly has the headline.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import fmean

from blockfeat.data import LabelledPage, read_corpus
from blockfeat.evaluation.bootstrap import paired_difference
from blockfeat.evaluation.evaluate import score_page
from blockfeat.evaluation.peers import Peer, peers_named
from blockfeat.extraction.extractor import Extractor
from blockfeat.models.sequence.model import SequenceModel
from blockfeat.training.sequence_network import SequenceOptions
from fit_default import PARTS, Pages, part_of, train

__all__ = ["main"]

HEADLINE_IN_GOLD = frozenset({"daniel", "l3s-gn1", "dragnet", "cleaneval-dev", "cleaneval-test"})
# Its gold was cut short by machine.
_CUT_SHORT = "goose3"
_OURS, _WITH_HEADLINE = "default", "with the headline"
_LEAST_PAGES = 10
_logger = logging.getLogger("blockfeat.nested_default")


def parts_by_host(pages: Pages) -> dict[str, set[int]]:
    """Return the pages of each part of the hosts."""
    parts: dict[str, set[int]] = {f"hosts {part + 1} of {PARTS}": set() for part in range(PARTS)}
    names = list(parts)
    for place, record in enumerate(pages.records):
        if record["host"]:
            parts[names[part_of(record["host"])]].add(place)
    return parts


def parts_by_corpus(pages: Pages, only: Sequence[str]) -> dict[str, set[int]]:
    """Return the pages of each corpus, or of some; CleanEval is one."""
    parts: dict[str, set[int]] = defaultdict(set)
    for place, record in enumerate(pages.records):
        corpus = record["corpus"]
        if corpus in only if only else corpus != _CUT_SHORT:
            parts["cleaneval" if corpus.startswith("cleaneval-") else corpus].add(place)
    return dict(parts)


def score(text: str, page: LabelledPage) -> float:
    """Return the word F1 of a text, or its snippet F1 where the page has no gold text."""
    found = score_page(text, page)
    if found.f1 is not None:
        return found.f1
    return found.snippets.f1 if found.snippets is not None else 0.0


def score_part(model: SequenceModel, part: Iterable[LabelledPage], peers: Sequence[Peer]) -> list[dict[str, object]]:
    """Extract pages with the model and the peers; return corpus, id and the score of each system."""
    extractor = Extractor.of(model)
    headed = extractor.with_options(headline=True)
    loaded = {peer.name: peer.load() for peer in peers}
    rows: list[dict[str, object]] = []
    for page in part:
        found = {_OURS: extractor.extract(page.html, url=page.url).text}
        if page.corpus in HEADLINE_IN_GOLD:
            found[_WITH_HEADLINE] = headed.extract(page.html, url=page.url).text
        for name, extract in loaded.items():
            try:
                found[name] = extract(page.html, page.lang, page.url)
            except Exception as error:  # a peer that fails on a page has no text for it
                _logger.info("%s on %s: %s", name, page.id, error)
                found[name] = ""
        values = {name: score(text, page) for name, text in found.items()}
        rows.append({"corpus": page.corpus, "id": page.id, "type": page.page_type, "lang": page.lang, **values})
    return rows


def table(rows: Sequence[dict[str, object]], peers: Sequence[str], *, part: str = "") -> str:
    """Return a Markdown table: a line each corpus, with the difference to each peer and its 95 % interval.

    With a ``part``, ``"lang"`` or ``"type"``, a line each of those of a corpus that has several, of ten pages or more.
    """
    names = [_OURS, _WITH_HEADLINE, *peers]
    lines = [
        f"| corpus{part and ', ' + part} | pages | "
        + " | ".join((*names, *(f"default - {peer}, 95 % interval" for peer in peers)))
        + " |",
        "|---|" + "---:|" * (1 + len(names) + len(peers)),
    ]
    by_corpus: dict[str, list[dict[str, object]]] = defaultdict(list)
    for row in rows:
        if not part or row[part]:
            by_corpus[f"{row['corpus']} {row[part]}" if part else str(row["corpus"])].append(row)
    if part:
        large = {name: own for name, own in sorted(by_corpus.items()) if len(own) >= _LEAST_PAGES}
        several = Counter(name.split()[0] for name in large)
        by_corpus = {name: own for name, own in large.items() if several[name.split()[0]] > 1}
    means: dict[str, list[float]] = defaultdict(list)
    for corpus, own in by_corpus.items():
        cells = [corpus, str(len(own))]
        for name in names:
            mean = fmean(float(str(row[name])) for row in own) if name in own[0] else None
            means[name].append(mean if mean is not None else means[_OURS][-1])
            cells.append("" if mean is None else f"{mean:.3f}")
        for peer in peers:
            ours, theirs = ([float(str(row[name])) for row in own] for name in (_OURS, peer))
            found = paired_difference(ours, theirs)
            cells.append(f"{found.mean:+.3f} ({found.low:+.3f} to {found.high:+.3f})")
        lines.append(f"| {' | '.join(cells)} |")
    if part:
        return "\n".join(lines)
    cells = ["mean of the corpora", str(len(rows)), *(f"{fmean(means[name]):.3f}" for name in names)]
    cells += [f"{fmean(means[_OURS]) - fmean(means[peer]):+.3f}" for peer in peers]
    lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--by", choices=["host", "corpus"], required=True)
    parser.add_argument("--prepared", type=Path, required=True, help="folder that `train_default.py prepare` wrote")
    parser.add_argument("--corpora", type=Path, required=True, help="folder of the corpora, for the pages themselves")
    parser.add_argument("--only", default="", help="corpora to test on, separated by commas")
    parser.add_argument("--peers", default="trafilatura,resiliparse")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--report", type=Path, help="JSON Lines file for the score of each page; tables anew if it is there"
    )
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    peers = peers_named([name for name in options.peers.split(",") if name])
    if options.report is not None and options.report.exists():
        rows = [json.loads(line) for line in options.report.read_text(encoding="utf-8").splitlines()]
    else:
        rows = measured(options, peers)
    if options.report is not None:
        options.report.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    for part in ("", "lang", "type"):
        print(table(rows, [peer.name for peer in peers], part=part), end="\n\n")
    return 0


def measured(options: argparse.Namespace, peers: Sequence[Peer]) -> list[dict[str, object]]:
    """Train for each part and score its pages."""
    pages = Pages.load(options.prepared)
    only = [name for name in options.only.split(",") if name]
    parts = parts_by_host(pages) if options.by == "host" else parts_by_corpus(pages, only)
    names = sorted({record["corpus"] for record in pages.records} - {_CUT_SHORT})
    corpora = {
        (page.corpus, page.id): page
        for name in names
        if not only or name in only
        for page in read_corpus(options.corpora / f"{name}.jsonl.xz")
    }
    rows: list[dict[str, object]] = []
    training = SequenceOptions(seed=options.seed)
    for title, part in parts.items():
        model = train(pages, part, training)
        _logger.info("%s: cut %.2f", title, model.cut)
        wanted = {(pages.records[place]["corpus"], pages.records[place]["id"]) for place in sorted(part)}
        rows += score_part(model, (page for key, page in corpora.items() if key in wanted), peers)
    return rows


if __name__ == "__main__":
    sys.exit(main())
