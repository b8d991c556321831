"""Word F1 beside extractors of npm, which a process of Node runs: Mozilla's Readability and Defuddle.

``npm install @mozilla/readability defuddle jsdom`` leaves them in ``node_modules`` of the current folder. What time
they take is not measured: it is that of another process.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from subprocess import PIPE, Popen

from blockfeat.data.corpus import LabelledPage
from blockfeat.errors import InputError
from blockfeat.extraction.extractor import Extractor
from blockfeat.training.evaluation.bench import bench_systems, run_bench
from blockfeat.training.evaluation.metrics import markdown_table
from blockfeat.training.evaluation.peers import Peer, PeerExtract, peers_named

NPM_PEERS = {"readability": "@mozilla/readability", "defuddle": "defuddle"}
"""Packages by the names of the peers."""
_NO_ADDRESS = "https://page.example/article"


def npm_peers(stack: ExitStack, folder: Path = Path("node_modules")) -> tuple[Peer, ...]:
    """Return the extractors that are installed in a folder; their processes end with the stack.

    Raises
    ------
    InputError
        There are none.
    """
    files = {name: folder / package / "package.json" for name, package in NPM_PEERS.items()}
    found = {name: json.loads(file.read_text(encoding="utf-8")) for name, file in files.items() if file.is_file()}
    if not found:
        raise InputError(f"{folder}: none of {', '.join(NPM_PEERS.values())}; npm install them, and jsdom")
    return tuple(
        Peer(f"{name} (npm)", NPM_PEERS[name], about["version"], partial(_in_node, stack, NPM_PEERS[name]))
        for name, about in found.items()
    )


def _in_node(stack: ExitStack, package: str) -> PeerExtract:
    """Return a function that reads pages in a process of Node; markup becomes text as that of readability-lxml does."""
    from resiliparse.extract.html2text import extract_plain_text

    script = Path(__file__).with_suffix(".mjs").read_text(encoding="utf-8")
    command = ["node", "--input-type=module", "--eval", script, package]
    process = stack.enter_context(Popen(command, stdin=PIPE, stdout=PIPE, encoding="utf-8"))

    def extract(html: str, lang: str | None = None, url: str | None = None) -> str:
        assert process.stdin is not None
        assert process.stdout is not None
        print(json.dumps([html, url or _NO_ADDRESS]), file=process.stdin, flush=True)
        answer = json.loads(process.stdout.readline())
        if "error" in answer:
            raise InputError(answer["error"])
        found = extract_plain_text(answer["content"], preserve_formatting=True, list_bullets=False, alt_texts=False)
        return str(found)

    return extract


def measure_npm(models: Iterable[Extractor], peers: Sequence[str], pages: Iterable[LabelledPage]) -> str:
    """Return a table of word F1 × 100 of models, of other peers by name, and of those of npm, by corpus."""
    with ExitStack() as stack:
        systems = bench_systems(models, (*peers_named(peers), *npm_peers(stack)))
        result = run_bench(systems, pages, deadline=None)
    names = [None, *result.corpora]
    rows = [
        [scores.name, scores.version, *(f"{100 * scores.summary(name)['f1']:.1f}" for name in names)]
        for scores in result.systems
    ]
    return markdown_table(["system", "version", "all", *result.corpora], rows)
