from dataclasses import replace

import numpy as np
import pytest

from blockfeat.errors import TrainingError
from blockfeat.models.decoding import best_labels
from blockfeat.papers.web2text.features import page_features
from blockfeat.papers.web2text.model import Layer, Network, log_softmax
from blockfeat.papers.web2text.networks import LabelledLeaves, Recipe, layers_of, train_web2text
from leaves_of import leaves_of, to_torch
from pages import SENTENCES, article_page

torch = pytest.importorskip("torch")
QUICK = Recipe(steps=80, batch=32, check_every=20)
BRIEF = replace(QUICK, steps=3, check_every=1)


def labelled(paragraphs):
    measured = leaves_of(article_page(paragraphs))
    labels = np.array([text.startswith(tuple(SENTENCES)) for text in measured.blocks.texts()])
    return LabelledLeaves(page_features(measured), labels, np.ones(labels.size))


def pages(*counts):
    return [labelled(count) for count in counts]


def test_it_learns_what_an_article_is():
    trained = train_web2text(pages(3, 5, 8, 12, 20), pages(4, 10), QUICK)
    page = labelled(7)
    assert trained.labeller.predict(page.features).kept.tolist() == page.labels.tolist()
    assert 0 < trained.errors["unary"] < 0.3


def test_the_seed_decides():
    trained = [train_web2text(pages(3, 6), pages(4), BRIEF, seed=seed).labeller for seed in (1, 1, 2)]
    weights = [labeller.pairwise.layers[0].weights for labeller in trained]
    np.testing.assert_array_equal(weights[0], weights[1])
    assert (weights[0] != weights[2]).any()


def test_leaves_without_weight_say_nothing():
    silent = [replace(page, weights=np.zeros(page.labels.size)) for page in pages(4)]
    wrong = [replace(page, labels=~page.labels) for page in silent]
    trained = [train_web2text(pages(3, 6) + extra, pages(4), BRIEF).labeller for extra in (silent, wrong)]
    np.testing.assert_array_equal(*(labeller.unary.layers[0].weights for labeller in trained))


def test_early_stopping_keeps_the_best_weights():
    wild = Recipe(steps=200, batch=8, check_every=5, patience=2, learning_rate=0.5)
    trained = train_web2text(pages(3, 6), pages(4, 9), wild)
    checked = pages(4, 9)
    logits = [torch.from_numpy(trained.labeller.unary.logits(page.features.blocks)) for page in checked]
    answers = torch.from_numpy(np.concatenate([page.labels for page in checked]).astype(np.int64))
    error = float(torch.nn.functional.cross_entropy(torch.cat(logits), answers))
    assert error == pytest.approx(trained.errors["unary"], rel=1e-3)


def test_torch_and_numpy_label_alike():
    labeller = train_web2text(pages(3, 6), pages(4), replace(QUICK, steps=20)).labeller
    for count in (1, 7, 30):
        features = labelled(count).features
        potentials = []
        for network, matrix in ((labeller.unary, features.blocks), (labeller.pairwise, features.edges)):
            with torch.no_grad():
                logits = to_torch(network)(torch.from_numpy(network.standardise(matrix).T.copy())[None])[0].T
            np.testing.assert_allclose(network.logits(matrix), logits.numpy(), atol=1e-5)
            potentials.append(log_softmax(logits.numpy()))
        assert best_labels(*potentials).tolist() == labeller.predict(features).kept.tolist()


def test_weights_of_next_to_nothing_are_zero():
    layer = Layer(np.array([[[0.5], [1e-40], [-1e-20]]], dtype=np.float32), np.array([0.25], dtype=np.float32))
    found = layers_of(to_torch(Network(np.zeros(3, np.float32), np.ones(3, np.float32), (layer,))))
    assert (found[0].weights.tolist(), found[0].bias.tolist()) == ([[[0.5], [0.0], [0.0]]], [0.25])


def test_too_few_pages():
    single = labelled(1)
    short = LabelledLeaves(page_features(leaves_of("<p>x</p>")), np.array([True]), np.ones(1))
    for learnt, checked in (([], [single]), ([single], []), ([short], [single])):
        with pytest.raises(TrainingError, match="page"):
            train_web2text(learnt, checked, QUICK)
