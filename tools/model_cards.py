"""Write docs/models.md: a card for every bundled model, from the model files themselves.

Command: python tools/model_cards.py [--check]
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from blockfeat.models import bundled_models, load_model  # noqa: E402
from blockfeat.models.model import Model  # noqa: E402
from blockfeat.models.threshold import JOINT, ThresholdModel  # noqa: E402
from blockfeat.training.evaluation.strategies import METRICS  # noqa: E402

ABOUT = {
    "default": "A small residual network over the blocks of a page and 85 features of each: what it is, what stands "
    "around it, what class names and words say. The most accurate.",
    "margin": "Soft thresholds and weights over 32 features by regression, bias and costs by the particle swarm, "
    "decoded by Viterbi; a person can read and edit it.",
    "crunch": "Gupta, Kaiser, Neistadt & Grimm 2003: what the filters of `blockfeat clean` leave, their thresholds and "
    "switches found by the particle swarm; see [Clean pages](crunch.md).",
    "crunch2003": "The same with the default settings: the filters of the paper; their numbers are ours.",
    "longest-block": "Pasternack & Roth 2009: the longest table cell or DIV; a baseline.",
    "mss-simple": "Pasternack & Roth 2009: maximum subsequence over +1 a word and a penalty a tag; a baseline.",
    "mss-supervised": "Pasternack & Roth 2009: maximum subsequence over token scores of naive Bayes; "
    "see [The papers](papers.md#pasternack-and-roth-2009).",
    "mss-supervised-hr": "The same, cut at the first HR inside the run.",
    "web2text": "Vogels, Ganea & Eickhoff 2018: collapsed DOM, 128 block and 25 edge features, two networks, Viterbi.",
    "thresholds": "Eight thresholds on the table for modern pages, decoded by the maximum subsequence: a block that "
    "passes all counts by its words, one that fails counts against, and the best contiguous run is the content.",
    "ziegler2007": "After Ziegler & Skubacz 2007: table of tags, eight features (stop-word ratio not normalised, "
    "argmax over 14 languages), conjunction and fitness. Right for layouts of 2007; on modern pages its table "
    "makes a few giant blocks.",
}
HEAD = """# The bundled models

For each bundled model: what it is, what it was trained on, and its thresholds if
it has some. [Which model](which-model.md) compares them.

Only numbers were learnt from the corpora; no page or text of theirs is in the
project. Gold texts of older corpora mostly begin with the headline, those of newer
ones do not.

`blockfeat.models.load_model("default").record` has the options, languages and the
command that made a model, `tools/train_bundled.sh FOLDER NAME` trains it anew.
`python tools/model_cards.py` writes this page. In scores FE is the model, PR all blocks,
TB all text.
"""


def card(name: str, model: Model, corpora: str) -> str:
    """Return the card of one model that was trained on some corpora, "" for none."""
    lines = [f"## {name}", "", ABOUT[name], "", f"- table `{model.table.name}`{version(model.record)}"]
    lines += [f"- trained on {corpora}" if corpora else "- not trained"]
    if isinstance(model, ThresholdModel):
        bounds = list(zip(model.features, model.thresholds[JOINT].tolist(), strict=True))
        lines += [
            f"- decoder `{model.decoder.name}`, stop words by {model.stop_word_scope}",
            *(f"- {line}" for line in score_lines(model.record["scores"])),
            "",
            "| feature | bound | threshold | unit |",
            "|---|---|---|---|",
            *(
                f"| {feature.title} | {feature.bound} | {value:.4f} | {feature.unit} |"
                for feature, value in bounds
                if isfinite(value)
            ),
            "",
            f"Never binding: {', '.join(feature.title for feature, value in bounds if not isfinite(value))}.",
        ]
    elif "left_out" in model.record:
        lines += [f"- without {model.record['left_out']} pages whose gold is wrong"]
    return "\n".join([*lines, ""])


def version(record: Mapping[str, Any]) -> str:
    """Return the version and the seed that a model was trained with."""
    return "".join(
        f", {name} {record[key]}" for key, name in (("blockfeat", "blockfeat"), ("seed", "seed")) if key in record
    )


def trained_on(record: Mapping[str, Any]) -> str:
    """Return the corpora of a model, and how many pages of theirs."""
    corpora = record.get("corpora") or {}
    if not corpora:
        return ""
    if isinstance(corpora, dict):
        return f"{sum(corpora.values())} pages of {', '.join(corpora)}"
    return f"{record['pages']} pages of {', '.join(corpora)}"


def score_lines(scores: dict[str, Any]) -> list[str]:
    """Return a line for each measure and part; records of version 0.1 have one figure over pages of both measures."""
    training, test = scores["training"], scores["test"]
    if "metric" in test:
        metric = "word F1" if test["metric"] == "f1" else "cosine × length ratio"
        return [
            f"fitness ({metric}; snippet F1 for pages with snippets only): training {training:.3f}; "
            f"{test['pages']} test pages of other hosts: {strategies(test)}"
        ]
    return [
        f"{METRICS[group['metric']]}, {group['pages']} {part} pages: {strategies(group)}"
        for part, groups in (("training", training), ("test", test))
        for group in groups.values()
    ]


def strategies(group: dict[str, Any]) -> str:
    """Return the scores of the model, of all blocks and of all text."""
    values = {"FE": group["extraction"], "PR": group["all_blocks"], "TB": group["all_text"]}
    return ", ".join(f"{name} {value:.3f}" for name, value in values.items() if value is not None)


def main() -> int:
    """Write the page, or check that it is up to date."""
    cards, first = [], {"": ""}
    for name in bundled_models():
        model = load_model(name)
        corpora = trained_on(model.record)
        other = first.setdefault(corpora, name)
        cards.append(card(name, model, f"the pages of `{other}`" if other not in ("", name) else corpora))
    text = HEAD + "\n" + "\n".join(cards)
    target = ROOT / "docs" / "models.md"
    if "--check" in sys.argv:
        return 0 if target.exists() and target.read_text(encoding="utf-8") == text else 1
    target.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
