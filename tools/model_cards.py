"""Write docs/models.md: a card for every bundled model, from the model files themselves.

Command: python tools/model_cards.py [--check]
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from blockfeat.models import DEFAULT_MODEL, bundled_models, load_model  # noqa: E402
from blockfeat.models.model import Model  # noqa: E402
from blockfeat.models.threshold import JOINT, ThresholdModel  # noqa: E402
from blockfeat.training.evaluation.strategies import METRICS  # noqa: E402

ABOUT = {
    "default": "A small residual network over the blocks of a page and 85 features of each: what it is, what stands "
    "around it, what class names and words say. The most accurate.",
    "margin": "Soft thresholds and weights over 32 features by regression, bias and costs by the particle swarm, "
    "decoded by Viterbi; a person can read and edit it.",
    "crunch": "Gupta, Kaiser, Neistadt & Grimm 2003: what the filters of `blockfeat clean` leave, their thresholds and "
    "switches found by the particle swarm; see crunch.md.",
    "crunch2003": "The same with the settings of the paper.",
    "longest-block": "Pasternack & Roth 2009: the longest table cell or DIV; a baseline.",
    "mss-simple": "Pasternack & Roth 2009: maximum subsequence over +1 a word and a penalty a tag; a baseline.",
    "mss-supervised": "Pasternack & Roth 2009: maximum subsequence over token scores of naive Bayes; see mss.md.",
    "mss-supervised-hr": "The same, cut at the first HR inside the run.",
    "web2text": "Vogels, Ganea & Eickhoff 2018: collapsed DOM, 128 block and 25 edge features, two networks, Viterbi.",
    "thresholds": "Eight thresholds on the table for modern pages, decoded by the maximum subsequence: a block that "
    "passes all counts by its words, one that fails counts against, and the best contiguous run is the content.",
    "ziegler2007": "The paper to the letter: its table of tags, its eight features (stop-word ratio not normalised, "
    "argmax over 14 languages), conjunction, and its fitness. Right for layouts of 2007; on modern pages its table "
    "makes a few giant blocks.",
}
_COMMAND = "<!-- not code: as the file records it -->\n```\n{}\n```"
HEAD = """# The bundled models

A card for each, written from the model files by `python tools/model_cards.py`. Only numbers were learnt from the
corpora; no page or text of theirs is in the project. The commands are those recorded in the files: models trained
before `blockfeat train --config` name scripts that it has replaced; `tools/train_bundled.sh` has today's. Convention of
the gold texts: mixed (see the README of the corpora): headline mostly in for older pages, out for newer ones.
CleanEval's test part was not used.
"""


def card(name: str, model: Model) -> str:
    """Return the card of one model."""
    if isinstance(model, ThresholdModel):
        return threshold_card(name, model)
    record = {key: value for key, value in model.record.items() if key not in ("command", "corpora")}
    title = f"{name} (default)" if name == DEFAULT_MODEL else name
    corpora = model.record.get("corpora") or {}
    counts = corpora.items() if isinstance(corpora, dict) else ((corpus, "") for corpus in corpora)
    named = ", ".join(f"{corpus} {count}".strip() for corpus, count in counts)
    lines = [f"## {title}", "", ABOUT.get(name, ""), "", f"- table `{model.table.name}`"]
    lines += [f"- trained on: {named or 'nothing'}"]
    lines += [f"- {key.replace('_', ' ')}: {plain(value)}" for key, value in record.items() if value != {}]
    return "\n".join([*lines, "", _COMMAND.format(model.record.get("command", "")), ""])


def plain(value: Any) -> str:
    """Return a value of a record as people write it: names with their values, those within others in brackets."""
    if isinstance(value, dict):
        inner = ((str(key).replace("_", " "), plain(one), isinstance(one, dict)) for key, one in value.items())
        return ", ".join(f"{key} ({one})" if is_nested else f"{key} {one}" for key, one, is_nested in inner)
    if isinstance(value, list):
        return " ".join(map(plain, value))
    if isinstance(value, float):
        return f"{value:.4g}"
    return {"None": "none", "True": "yes", "False": "no"}.get(str(value), str(value))


def threshold_card(name: str, model: ThresholdModel) -> str:
    """Return the card of a threshold model."""
    record = model.record
    title = f"{name} (default)" if name == DEFAULT_MODEL else name
    corpora = ", ".join(f"{corpus} {count}" for corpus, count in record["corpora"].items())
    languages = ", ".join(f"{lang} {count}" for lang, count in record["languages"].items())
    rows = [
        f"| {feature.title} | {feature.bound} | {threshold(value)} | {feature.unit} |"
        for feature, value in zip(model.features, model.thresholds[JOINT].tolist(), strict=True)
    ]
    lines = [
        f"## {title}",
        "",
        ABOUT.get(name, ""),
        "",
        f"- table `{model.table.name}`, decoder `{model.decoder.name}`, stop words by {model.stop_word_scope}, "
        f"segmenter `{model.segmenter}`",
        f"- margins: softness {model.margins.softness:.4f}, penalty {model.margins.penalty:.3f}",
        f"- trained on {record['pages']['training']} pages ({corpora}), seed {record['seed']}, "
        f"{record['generations']} generations, blockfeat {record['blockfeat']}",
        f"- languages of those pages: {languages}",
        *(f"- {line}" for line in score_lines(record["scores"])),
        "",
        "| feature | bound | threshold | unit |",
        "|---|---|---|---|",
        *rows,
        "",
        _COMMAND.format(record["command"]),
        "",
    ]
    return "\n".join(lines)


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


def threshold(value: float) -> str:
    """Show a threshold; an infinite one never binds."""
    return "never binds" if abs(value) == float("inf") else f"{value:.4f}"


def main() -> int:
    """Write the page, or check that it is up to date."""
    text = HEAD + "\n" + "\n".join(card(name, load_model(name)) for name in bundled_models())
    target = ROOT / "docs" / "models.md"
    if "--check" in sys.argv:
        return 0 if target.exists() and target.read_text(encoding="utf-8") == text else 1
    target.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
