"""ALT-MAS: guarded by default, as the paper is written when asked, and said which in the result."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

import altmas
from altmas.methods.alt_mas import MOST_WRONG, weights_of
from altmas.surrogates import EnsembleSurrogate
from altmas.surrogates.networks.mc_dropout import training_order, weighted_order


class Remembers:
    """A surrogate of a user's own, whose fit knows no weights."""

    def __init__(self):
        self.forest, self.taught = EnsembleSurrogate(RandomForestClassifier(5)), []

    def __deepcopy__(self, memo):
        return self

    def fit(self, X, y, *, n_classes=None, rng=None):
        self.taught.append(len(y))
        self.forest.fit(np.asarray(X), y, n_classes=n_classes, rng=rng)
        return self

    def draw(self, X, *, draws, rng):
        return self.forest.draw(X, draws=draws, rng=rng)


class Weighs(Remembers):
    """One that does."""

    def fit(self, X, y, *, n_classes=None, rng=None, sample_weight=None):
        self.weights = sample_weight
        return super().fit(X, y, n_classes=n_classes, rng=rng)


def assessed(digits, surrogate, **options):
    method = altmas.make_method("altmas", surrogate=surrogate, draws=5, **options)
    return altmas.assess(
        digits.predictions[:400], scores=digits.scores[:400], features=digits.images[:400], classes=range(10),
        oracle=digits.labels[:400], method=method, budget=60, initial=50, batch=10, progress=False,
    )  # fmt: skip


@pytest.mark.parametrize("kind", [Remembers, Weighs])
def test_pseudo_labels_are_taught_and_answers_weigh_more(digits, kind):
    surrogate = kind()
    result = assessed(digits, surrogate)
    stand = surrogate.taught[-1] - 60
    assert stand > 60
    assert result.estimates["promise"][0].endswith(f"; {stand} predictions stand as labels, by our guard")
    if kind is Weighs:
        assert (surrogate.weights[:60] == 1).all()
        assert (surrogate.weights[60:] < 1).all()


def test_literally_the_paper_has_no_guard_and_no_weights(digits):
    surrogate = Weighs()
    result = assessed(digits, surrogate, literal=True)
    assert surrogate.weights is None
    assert result.estimates["promise"][0].endswith("coverage")
    assert "guard" not in assessed(digits, Weighs(), pseudo_labels=False).estimates["promise"][0]


@pytest.mark.parametrize(("answers", "taught", "precision"), [(100, 5000, 0.9), (30, 310, 0.85), (77, 9000, 0.98)])
def test_batches_hold_answers_as_their_weights_say(answers, taught, precision, rng):
    order = weighted_order(weights_of(answers, taught, precision), 64, 100, 1000, rng)
    share = answers / (answers + MOST_WRONG / (1 - precision))
    assert np.abs((order < answers).sum(1) - order.shape[1] * share).max() <= 1
    times = np.bincount(order.ravel(), minlength=answers + taught)
    assert times[:answers].max() <= 101
    assert np.ptp(times[:answers]) <= 1
    assert np.ptp(times[answers:]) <= 1


def test_equal_weights_are_no_weights():
    plain = training_order(50, 8, 5, 1000, np.random.default_rng(0))
    assert (weighted_order(np.ones(50), 8, 5, 1000, np.random.default_rng(0)) == plain).all()


def test_the_network_sees_the_outputs_of_a_model_that_is_nearly_always_right(digits):
    """And only then: the network of a middling model would echo it."""
    from altmas.beliefs.on_features import OnFeatures
    from altmas.core.pool import Pool
    from altmas.surrogates import MCDropoutMLP

    pool = Pool.build(digits.predictions, scores=digits.scores, features=digits.images, classes=range(10))
    bound = OnFeatures(MCDropoutMLP(hidden=(8,), max_steps=5)).bind(pool)
    items, rng = np.arange(40), np.random.default_rng(0)
    for both, wide in ((True, 64 + 20), (False, 64)):
        bound.fit(items, digits.labels[:40], rng=rng, with_outputs=both)
        assert bound.learnt_from.rows(items).reshape(40, -1).shape[1] == wide
        assert bound.draw(items, draws=3, rng=rng).shape == (3, 40, 10)
    forest = OnFeatures(RandomForestClassifier(3)).bind(pool)
    forest.fit(items, digits.labels[:40], rng=rng, with_outputs=True)
    assert not forest.with_outputs
