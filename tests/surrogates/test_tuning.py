import numpy as np
import pytest

import altmas
from altmas.surrogates import MCDropoutMLP, tune
from altmas.surrogates.networks.tuning import RANGES, held_out_loss


@pytest.fixture
def data(digits):
    return digits.images.reshape(-1, 64)[:60].astype(np.float32) / 255, digits.labels[:60]


def test_tuning_finds_the_best_trial_within_ranges_and_repeats(data):
    x, y = data
    seen = []
    net = MCDropoutMLP(hidden=(16,), max_steps=60)
    found = tune(net, x, y, n_classes=10, calls=8, draws=5, progress=lambda done, calls: seen.append((done, calls)))
    assert seen == [(i, 8) for i in range(1, 9)]
    assert found.loss == min(loss for _, loss in found.trials)
    for settings, _ in found.trials:
        for name, (low, high) in RANGES.items():
            assert low <= settings[name] <= high
    assert {name: net.get_params()[name] for name in RANGES} == found.settings
    again = tune(MCDropoutMLP(hidden=(16,), max_steps=60), x, y, n_classes=10, calls=8, draws=5)
    points = [[list(settings.values()) for settings, _ in one.trials] for one in (found, again)]
    np.testing.assert_allclose(*points, rtol=1e-4)


def test_held_out_loss_leaves_the_fold_out(data):
    class Remembers:
        def fit(self, X, y, *, n_classes, rng):
            self.known = {row.tobytes() for row in X}
            return self

        def draw(self, X, *, draws, rng):
            assert not any(row.tobytes() in self.known for row in X)
            return np.full((draws, len(X), 10), 0.1)

    x, y = data
    x = x + np.arange(60, dtype=np.float32)[:, None] * 1e-3  # no two rows alike
    loss = held_out_loss(Remembers(), x, y, np.arange(60) % 3, 10, 2, np.random.default_rng(0))
    assert loss == pytest.approx(np.log(10))


def test_too_few_labels_to_tune_on(data):
    x, y = data
    with pytest.raises(altmas.InputError, match="labels to tune on must be at least 10; got 9"):
        tune(MCDropoutMLP(), x[:9], y[:9])
