"""The systems of Pasternack & Roth (2009) by name: baselines, supervised, with the HR constraint."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from blockfeat.page.tags import Tags
from blockfeat.papers.mss.classifier import FeatureCounts, NaiveBayes, Scale, TokenClassifier
from blockfeat.papers.mss.model import Constraints, TokenModel
from blockfeat.training import load_config
from experiments.mss.counts import Trained

__all__ = [
    "BUNDLED",
    "EQUAL_PRIORS",
    "LONGEST",
    "PAPER",
    "PAPER_PENALTY",
    "PENALTIES",
    "bundled_classifier",
    "classifier_model",
    "equal_priors_classifier",
    "paper_classifier",
    "predicted_words",
    "simple_model",
    "simple_name",
    "systems",
]

PAPER_PENALTY = 3.25
PENALTIES = (0.5, 1.0, 1.5, 2.0, 2.5, PAPER_PENALTY, 4.0, 5.0)
LONGEST = "longest cell or DIV"
PAPER = "supervised, paper"
EQUAL_PRIORS = "supervised, equal priors"
BUNDLED = "supervised, bundled"
_FEWEST_SITES = 2


def paper_classifier(trained: Trained, scale: Scale | None = None) -> TokenClassifier:
    """Return the paper's classifier (6.2.3): trigrams and most recent unclosed tags, the labels' own frequencies."""
    vocabulary, bayes = trained
    return TokenClassifier(vocabulary, replace(_without_surroundings(bayes), balanced=False), scale or Scale())


def equal_priors_classifier(trained: Trained) -> TokenClassifier:
    """Return the paper's two features with equally likely labels, of trigrams from at least two sites if there are."""
    vocabulary, bayes = trained
    grams = _seen_on(bayes.grams, min(_FEWEST_SITES, int(bayes.grams.sources.max(initial=1))))
    return TokenClassifier(vocabulary, replace(_without_surroundings(bayes), grams=grams, balanced=True))


def bundled_classifier(trained: Trained, bias: float = 0.0) -> TokenClassifier:
    """Return the classifier of the bundled model ``mss-supervised``, by its configuration, trained on other pages."""
    vocabulary, bayes = trained
    _, config = load_config("mss-supervised")
    bayes = replace(
        bayes,
        grams=_seen_on(bayes.grams, config.least_sources),
        around=_seen_on(bayes.around, _FEWEST_SITES),
        neighbours=config.neighbours,
        balanced=config.balanced,
    )
    return TokenClassifier(vocabulary, bayes, replace(config.scale, bias=bias))


def _without_surroundings(bayes: NaiveBayes) -> NaiveBayes:
    return replace(bayes, around=FeatureCounts.sum([]))


def _seen_on(counts: FeatureCounts, sites: int) -> FeatureCounts:
    return counts.chosen(counts.sources >= sites)


def simple_name(penalty: float) -> str:
    """Return the name of the second baseline with a penalty."""
    return f"simple, {-penalty:g}"


def simple_model(penalty: float) -> TokenModel:
    """Return the second baseline (6.2.2)."""
    return TokenModel("simple", "simple", penalty=penalty)


def classifier_model(classifier: TokenClassifier, *, stop_at_rule: bool = False) -> TokenModel:
    """Return the model of a classifier."""
    return TokenModel(
        "supervised", "classifier", classifier=classifier, constraints=Constraints(stop_at_rule=stop_at_rule)
    )


def systems(paper: Trained, bundled: Trained) -> dict[str, TokenModel]:
    """Return all systems by name.

    Parameters
    ----------
    paper, bundled : Trained
        What was counted on the pages that pass the paper's filter, and on all.
    """
    classifiers = {
        PAPER: paper_classifier(paper),
        EQUAL_PRIORS: equal_priors_classifier(paper),
        BUNDLED: bundled_classifier(bundled),
    }
    found = {LONGEST: TokenModel("longest", "longest-block")}
    found |= {simple_name(penalty): simple_model(penalty) for penalty in PENALTIES}
    for name, classifier in classifiers.items():
        found[name] = classifier_model(classifier)
        found[f"{name}, HR"] = classifier_model(classifier, stop_at_rule=True)
    return found


def predicted_words(model: TokenModel, tags: Tags | None) -> list[str]:
    """Return the words of the run that a model finds on a page."""
    found = model.find(tags)
    return found.tokens.texts(np.flatnonzero(found.is_taken & found.tokens.is_word))
