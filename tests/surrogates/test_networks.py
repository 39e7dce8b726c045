"""One draw is one coherent world: the same masks for every item, whatever the blocks."""

import numpy as np
import pytest

from altmas.surrogates import MCDropoutLeNet, MCDropoutMLP
from altmas.surrogates.networks.architectures import MLP, LeNet, draw_probabilities


@pytest.fixture(scope="module")
def mlp(digits):
    x = digits.images.reshape(-1, 64).astype(np.float32) / 255
    return x, MCDropoutMLP(hidden=(64, 48), epochs=150).fit(x[:150], digits.labels[:150], n_classes=10)


@pytest.fixture(scope="module")
def lenet():
    rng = np.random.default_rng(0)
    x = rng.random((60, 16, 18), dtype=np.float32)
    x[30:, :8] += 1.0
    return x, MCDropoutLeNet(epochs=20, max_steps=40).fit(x, np.repeat([0, 1], 30))


@pytest.mark.parametrize("which", ["mlp", "lenet"])
def test_the_same_whatever_the_chunk_size_and_the_order(which, request):
    x, net = request.getfixturevalue(which)
    whole = net.draw(x, draws=6, rng=np.random.default_rng(3))
    for chunk in (1, 7, 50):
        parts = [net.draw(x[i : i + chunk], draws=6, rng=np.random.default_rng(3)) for i in range(0, 60, chunk)]
        np.testing.assert_allclose(np.concatenate(parts, axis=1)[:, :60], whole[:, :60], atol=1e-5)
    np.testing.assert_allclose(net.draw(x[::-1], draws=6, rng=np.random.default_rng(3))[:, ::-1], whole, atol=1e-5)
    assert np.abs(net.draw(x, draws=6, rng=np.random.default_rng(4)) - whole).max() > 1e-3


@pytest.mark.parametrize("which", ["mlp", "lenet"])
def test_identical_items_are_identical_within_a_draw_but_not_between_draws(which, request):
    """Per-item masks would tell twins apart."""
    x, net = request.getfixturevalue(which)
    p = net.draw(np.repeat(x[:1], 20, axis=0), draws=8, rng=np.random.default_rng(0))
    assert np.ptp(p, axis=1).max() < 1e-6
    assert np.ptp(p[:, 0], axis=0).max() > 1e-3


def literal_mlp(x, weights, masks, j):
    h = np.maximum(x @ weights[0] + weights[1], 0) * masks[0][j]
    h = np.maximum(h @ weights[2] + weights[3], 0) * masks[1][j]
    z = h @ weights[4] + weights[5]
    e = np.exp(z - z.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def test_leaving_units_out_equals_multiplying_by_masks(rng):
    x = rng.normal(size=(30, 5)).astype(np.float32)
    shapes = MLP((12, 9)).weight_shapes((5,), 3)
    weights = [rng.normal(size=shape).astype(np.float32) for shape in shapes]
    masks = [(rng.random((4, n)) < 0.6).astype(np.float32) / np.float32(0.6) for n in (12, 9)]
    masks[0][2] = 0  # a draw may drop a whole layer
    got = draw_probabilities(x, weights, masks)
    for j in range(4):
        np.testing.assert_allclose(got[j], literal_mlp(x, weights, masks, j), atol=1e-5)


def test_the_fast_mlp_equals_the_network_in_tensorflow(mlp):
    x, net = mlp
    masks = net._network.masks(1 - net.dropout, 5, np.random.default_rng(1))
    np.testing.assert_allclose(net._network.probabilities(x[:40], masks), net._probabilities(x[:40], masks), atol=1e-5)


def test_fits_repeat_and_share_one_compiled_step(digits):
    x = digits.images.reshape(-1, 64).astype(np.float32) / 255
    net = MCDropoutMLP(hidden=(32,), epochs=10)
    first = net.fit(x[:50], digits.labels[:50], n_classes=10, rng=np.random.default_rng(5)).predict_proba(x[:20])
    network = net._network
    net.fit(x[:90], digits.labels[:90], n_classes=10, rng=np.random.default_rng(6))
    again = net.fit(x[:50], digits.labels[:50], n_classes=10, rng=np.random.default_rng(5)).predict_proba(x[:20])
    np.testing.assert_allclose(first, again, atol=1e-6)
    assert net._network is network
    assert network._train.experimental_get_tracing_count() == 1
    net.set_params(dropout=0.3, learning_rate=0.01).fit(x[:50], digits.labels[:50], n_classes=10)
    assert network._train.experimental_get_tracing_count() == 1


def test_the_networks_learn(mlp, lenet, digits):
    x, net = mlp
    assert (net.predict(x[150:]) == digits.labels[150:]).mean() > 0.8
    x, net = lenet
    assert (net.predict(x) == np.repeat([0, 1], 30)).mean() > 0.9


def test_the_share_of_kept_units_is_right(mlp):
    """Binomial with 1e5 trials: outside +-0.01 with probability below 1e-8."""
    _, net = mlp
    first, _ = net._network.masks(0.7, 2000, np.random.default_rng(0))
    assert abs((first > 0).mean() - 0.7) < 0.01
    np.testing.assert_allclose(first.max(), 1 / 0.7, rtol=1e-6)


def test_lenet_shapes():
    # LeNet-5: 5 x 5 x 16 units before the first dense layer, for 32 pixels and for 28 with padding.
    assert LeNet().weight_shapes((32, 32, 3), 10)[4] == (400, 120)
    assert LeNet().weight_shapes((28, 28), 10)[4] == (400, 120)
    assert LeNet().mask_shapes((28, 28))[0] == (28, 28, 6) == LeNet().mask_shapes((32, 32, 3))[0]


def test_settings_travel_between_processes_and_networks_do_not(mlp):
    import copy
    import pickle

    _, net = mlp
    for other in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        assert other.get_params() == net.get_params()
        assert not hasattr(other, "_network")
