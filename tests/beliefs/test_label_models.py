"""What the certified method believes: learnt from few answers, never from an item's own."""

import numpy as np
import pytest
from scipy.special import expit, logit
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

import altmas
from altmas.beliefs.cross_fit import FOLDS, CrossFit, stack
from altmas.beliefs.label_models import FEW_MODELS, FEW_OPINIONS, FromOutputs, label_models
from altmas.core.answers import Answers
from altmas.core.pool import Outputs, Pool
from altmas.metrics.belief import Belief, Own, scattered
from altmas.surrogates.outputs.evidence import evidence_from, log_odds, normal_scores
from altmas.surrogates.outputs.logistic import fit_logistic
from altmas.surrogates.outputs.score_calibrated import ScoreCalibrated
from altmas.surrogates.outputs.wrong_labels import WrongLabels


def vendor(items=400, classes=4, seed=0):
    """Labels, predictions, class scores that know a little more, and an opinion that is 90% right."""
    rng = np.random.default_rng(seed)
    y = rng.choice(classes, items, p=[0.4, 0.3, 0.2, 0.1])
    lean = np.eye(classes)[y] * rng.choice([0, 3], items, p=[0.2, 0.8])[:, None] + rng.gumbel(size=(items, classes))
    scores = np.exp(lean) / np.exp(lean).sum(1, keepdims=True)
    other = np.where(rng.random(items) < 0.9, y, rng.integers(0, classes, items))
    return y, scores.argmax(1), scores, other


def asked(y, count=80, seed=1):
    items = np.random.default_rng(seed).permutation(len(y))[:count]
    return Answers().extended(items, y[items], 0, np.full(count, 1 / len(y)))


def opinion(said, scores=None):
    return Outputs("model", np.asarray(said), scores)


# Logistic regression


@pytest.mark.parametrize("weighted", [False, True])
def test_the_fit_is_that_of_scikit_learn_with_the_same_ridge(weighted, rng):
    x = rng.normal(size=(150, 4))
    outcome = (rng.random(150) < expit(x @ [1.0, -2.0, 0.5, 0.0] - 0.3)).astype(float)
    weights = rng.uniform(0.2, 2, 150) if weighted else None
    ours = fit_logistic(x, outcome, np.zeros(4), np.full(4, 0.7), weights)
    theirs = LogisticRegression(C=0.7**2, fit_intercept=False, tol=1e-10, max_iter=10_000)
    theirs.fit(x, outcome, sample_weight=weights)
    assert ours.coefficients == pytest.approx(theirs.coef_[0], abs=1e-4)
    p = expit(x @ ours.coefficients)
    w = np.ones(150) if weights is None else weights
    assert ours.precision == pytest.approx((x * (w * p * (1 - p))[:, None]).T @ x + np.eye(4) / 0.49, rel=1e-3)


def test_a_prior_mean_is_kept_where_nothing_is_known_and_far_starts_converge():
    x = np.column_stack([np.ones(6), [-1e3, -1e3, -1e3, 1e3, 1e3, 1e3]])
    outcome = np.array([0.0, 0, 0, 1, 1, 1])
    far = fit_logistic(x, outcome, np.array([40.0, -3.0]), np.array([1e3, 10.0]))
    assert far.coefficients[1] > 0
    assert np.isfinite(far.precision).all()
    none = fit_logistic(np.zeros((0, 2)), np.zeros(0), np.array([1.0, -2.0]), np.array([0.5, 2.0]))
    assert none.coefficients.tolist() == [1, -2]
    assert none.precision.tolist() == [[4, 0], [0, 0.25]]


# Evidence


def test_columns_are_centred_and_constant_ones_left_out():
    y, said, scores, other = vendor()
    full = evidence_from(opinion(said, scores), 4, [opinion(other, scores.max(1))])
    assert full.columns.mean(0) == pytest.approx(np.zeros(full.columns.shape[1]), abs=1e-9)
    assert full.columns.shape[1] == len(full.prior_mean) == len(full.prior_sd) == 7 + 2 + 3 + 1
    flat = evidence_from(opinion(said, np.full(400, 0.8)), 4, [opinion(said)])  # says nothing, and always the same
    assert flat.columns.shape == (400, 0)
    assert flat.intercept == pytest.approx(np.log(4))
    assert evidence_from(opinion(said), 4).columns.shape == (400, 0)
    belief = ScoreCalibrated(flat)
    belief.fit(np.arange(50), y[:50])
    assert belief.agreement(np.arange(400)).std() > 0  # classes still have effects of their own


def test_an_answer_that_is_no_class_is_no_outlier_among_the_odds():
    scores = np.array([[0.9, 0.1], [0.4, 0.6], [0.7, 0.3], [0.2, 0.8]])
    some, all_classes = (evidence_from(opinion(said, scores), 2) for said in ([0, 1, 2, 1], [0, 1, 0, 1]))
    np.testing.assert_array_equal(some.columns, all_classes.columns)
    assert some.intercept == all_classes.intercept


def test_confidences_that_are_no_probabilities_enter_by_rank():
    said = np.array([0, 1] * 50)
    points = np.linspace(0, 37, 100)
    one, other = (evidence_from(opinion(said, p), 2) for p in (points, points**3 + 5))
    assert one.columns == pytest.approx(other.columns)
    assert one.intercept == evidence_from(opinion(said), 2).intercept  # as if there were no confidence
    assert np.isfinite(evidence_from(opinion(said, np.repeat([0.0, 1.0], 50)), 2).columns).all()


def test_a_full_confidence_is_halfway_from_the_next_lower_value():
    found = log_odds(np.array([0.0, 0.2, 0.6, 0.8, 1.0]))
    assert found == pytest.approx(logit([0.1, 0.2, 0.6, 0.8, 0.9]))
    assert (np.diff(found) > 0).all()  # the order is kept
    sure = 1 - 1e-15
    assert log_odds(np.array([0.5, sure, 1.0])) == pytest.approx([0.0, *[logit(1 - 1e-7)] * 2])  # beyond is rounding
    assert log_odds(np.array([0.0, 1.0, 1.0])) == pytest.approx(logit([0.25, 0.75, 0.75]))  # nothing in between
    inside = np.linspace(0.01, 0.99, 50)
    assert log_odds(inside) == pytest.approx(logit(inside))


@pytest.mark.parametrize(("low", "by_order"), [(0, False), (5, False), (6, True), (60, True)])
def test_a_confidence_often_below_one_in_c_is_read_by_its_order(low, by_order):
    """The best of four classes has a probability of 1/4 or more: what lies below is no probability of it."""
    said = np.arange(100) % 4
    sure = np.append(np.linspace(0.05, 0.2, low), np.linspace(0.3, 0.95, 100 - low))
    found = evidence_from(opinion(said, sure), 4)
    other = evidence_from(opinion(said, sure**2 / 2), 4)  # the same order, and too low as well
    odds = log_odds(sure) - log_odds(sure).mean()
    assert (found.columns[:, 0] == pytest.approx(odds)) is not by_order
    assert (found.columns == pytest.approx(other.columns)) is by_order
    assert found.intercept == pytest.approx(1.0 if by_order else log_odds(sure).mean())


def test_scores_of_every_class_are_no_confidence_below_one_in_c():
    said, scores = np.zeros(100, dtype=int), np.tile([0.1, 0.9], (100, 1))  # the model says what it finds less likely
    scores[:, 0] += np.linspace(0, 0.05, 100)
    scores[:, 1] = 1 - scores[:, 0]
    found = evidence_from(opinion(said, scores), 2)
    assert found.intercept == pytest.approx(logit(scores[:, 0]).mean())


def test_normal_scores_keep_ties_and_order():
    found = normal_scores(np.array([5.0, 1.0, 5.0, 9.0]))
    assert found[0] == found[2]
    assert found[1] < found[0] < found[3]
    assert found.mean() == pytest.approx(0, abs=0.05)


# Probabilities


@pytest.mark.parametrize("with_scores", ["none", "one", "all"])
@pytest.mark.parametrize("answers", [0, 5, 80])
def test_rows_sum_to_one_and_no_mass_is_lost_where_there_is_no_class(with_scores, answers):
    y, said, scores, other = vendor()
    said = said.copy()
    said[::7] = 4  # no class
    given = {"none": None, "one": scores.max(1), "all": scores}[with_scores]
    mixed = np.where(np.arange(400) % 5 == 0, 4, other)  # an opinion may be no class too
    pool = Pool.build(np.append(np.arange(4), 9)[said], scores=given, classes=range(4), opinions={"other": mixed})
    few = asked(y, answers)
    for model in label_models(pool):
        p = model.about(np.arange(400), few, np.ones(answers), None).rows()
        assert p.shape == (400, 4)
        assert p.sum(1) == pytest.approx(np.ones(400), abs=1e-12)
        assert (p >= 0).all()
    rest = WrongLabels.fit(evidence_from(opinion(said, given), 4, [opinion(mixed)]), few.items, few.labels)
    wrong = rest.probabilities(np.arange(400))
    real = said < 4
    assert wrong[real, said[real]].max() < 1e-12
    assert wrong.sum(1) == pytest.approx(np.ones(400))


def test_agreement_is_calibrated_by_answers():
    """A vendor that is right on half of what it is 90% sure of: 200 answers tell."""
    rng = np.random.default_rng(0)
    said, y = np.zeros(1000, int), rng.integers(0, 2, 1000)
    belief = ScoreCalibrated(evidence_from(opinion(said, np.full(1000, 0.9) + 0.01 * rng.random(1000)), 2))
    assert belief.agreement(np.arange(1000)).mean() == pytest.approx(0.9, abs=0.02)
    belief.fit(np.arange(200), y[:200])
    assert belief.agreement(np.arange(1000)).mean() == pytest.approx(0.5, abs=0.1)
    draws = belief.draw_agreement(np.arange(1000), 400, rng)
    assert draws.shape == (400, 1000)
    assert draws.mean(0) == pytest.approx(belief.agreement(np.arange(1000)), abs=0.03)


def test_where_the_model_is_wrong_a_good_opinion_says_what_is_right():
    y, said, scores, other = vendor()
    answers = asked(y, 150)
    alone = WrongLabels.fit(evidence_from(opinion(said, scores.max(1)), 4), answers.items, answers.labels)
    helped = WrongLabels.fit(
        evidence_from(opinion(said, scores.max(1)), 4, [opinion(other)]), answers.items, answers.labels
    )
    wrong = np.setdiff1d(np.flatnonzero(said != y), answers.items)
    of_truth = [one.probabilities(wrong)[np.arange(len(wrong)), y[wrong]].mean() for one in (alone, helped)]
    assert of_truth[1] > of_truth[0] + 0.2
    assert helped.weights[1] > 0.5


# Opinions


def test_opinions_are_taken_in_every_form():
    y, said, scores, other = vendor()
    names = np.array(["ant", "bee", "cat", "dog"])
    forms = {
        "a list": names[other].tolist(),
        "an array": names[other],
        "a pair": (names[other], scores.max(1)),
        "a pair with points": (names[other], 37 * scores.max(1)),
        "scores": scores,
        "with others": np.where(np.arange(400) % 9 == 0, "?", names[other]),
    }
    pool = Pool.build(names[said], classes=names.tolist(), opinions=forms)
    found = {one.name: one for one in pool.opinions}
    assert list(found) == list(forms)
    for name in ("a list", "an array", "a pair", "a pair with points"):
        assert found[name].predictions.tolist() == other.tolist()
    assert found["a list"].scores is None
    assert found["a pair"].scores.tolist() == scores.max(1).tolist()
    assert found["scores"].predictions.tolist() == scores.argmax(1).tolist()
    assert found["with others"].predictions[0] == 4
    models = label_models(pool)
    assert [one.name for one in models] == ["scores", "vote"]
    for model in models:
        assert model.about(np.arange(400), asked(y), np.ones(80), None).rows().sum() == pytest.approx(400)


def test_two_predictions_in_a_tuple_are_no_pair_of_columns():
    pool = Pool.build(["cat", "dog"], opinions={"other": ("dog", "dog")})
    assert pool.opinions[0].predictions.tolist() == [1, 1]


# Candidates and their mixture


def test_candidates_of_a_pool():
    _, said, scores, other = vendor(60)
    one = Pool.build(said, scores=scores, features=scores)
    assert [m.name for m in label_models(one, learners=True)] == ["scores and features", "scores"]
    assert [m.name for m in label_models(one)] == ["scores"]
    two = Pool.build({"a": said, "b": other}, scores={"a": scores})
    models = label_models(two)
    assert [m.name for m in models] == ["scores of a", "scores of b"]
    assert models[1].evidence.second[0].tolist() == said.tolist()  # each is the other's opinion


def test_where_three_or_more_speak_they_vote_and_those_without_scores_do_no_more():
    _, said, scores, other = vendor(60)
    opinions = {"other": other, "third": said}
    assert [m.name for m in label_models(Pool.build(said, opinions=opinions))] == ["scores", "vote"]
    three = Pool.build({"a": said, "b": other, "c": said}, scores={"b": scores})
    assert [m.name for m in label_models(three)] == ["scores of b", "vote"]
    assert [m.name for m in label_models(three, vote=False)] == ["scores of a", "scores of b", "scores of c"]
    with_features = [m.name for m in label_models(three, learners=True)]
    assert with_features == ["scores of b and features", "scores of b", "vote"]


def test_of_many_models_the_best_few_by_the_vote_are_gone_into(rng):
    y, _, scores, _ = vendor(60)
    said = {f"m{h}": np.where(rng.random(60) < 0.5 + 0.04 * h, y, rng.integers(0, 4, 60)) for h in range(12)}
    pool = Pool.build(said, scores=dict.fromkeys(said, scores.max(1)), classes=range(4))
    *gone_into, vote = label_models(pool)
    best = np.argsort(-vote.vote.weights, kind="stable")[:FEW_MODELS]
    assert [one.name for one in gone_into] == [f"scores of m{h}" for h in best]
    assert {len(one.evidence.second) for one in gone_into} == {FEW_OPINIONS}


def test_the_mixture_prefers_the_better_candidate(rng):
    p = rng.uniform(0.2, 0.9, 60)
    assert stack(np.column_stack([p, np.minimum(p + 0.3, 1)]), np.ones(60))[1] > 0.8
    assert stack(np.column_stack([p, p - 0.15]), np.ones(60))[0] > 0.95
    assert stack(np.column_stack([p, p]), np.ones(60))[0] >= 0.5  # a tie goes to the first
    assert stack(np.column_stack([p, p]), np.ones(60)).sum() == pytest.approx(1)
    assert stack(np.zeros((0, 3)), np.zeros(0)).tolist() == [1, 0, 0]
    better_half = np.column_stack([np.full(60, 0.5), np.repeat([0.9, 0.1], 30)])
    assert stack(better_half, np.repeat([2.0, 0.1], 30))[1] > stack(better_half, np.repeat([0.1, 2.0], 30))[1]


class Oracle:
    """A label model that knows the truth."""

    name, asks_learners = "oracle", False

    def __init__(self, y):
        self.p = 0.9 * np.eye(4)[y] + 0.025

    def about(self, wanted, answers, weights, says):
        return Belief.dense(self.p[wanted])


def test_a_belief_is_mixed_by_out_of_fold_likelihood():
    y, said, scores, _ = vendor()
    evidence = evidence_from(opinion(said, scores), 4)
    fit = CrossFit([FromOutputs("scores", evidence), Oracle(y)], 400, 4, 0)
    learnt = fit.fit(asked(y), np.ones(80))
    assert learnt.weights["oracle"] > 0.75
    assert sum(learnt.weights.values()) == pytest.approx(1)
    assert learnt.belief.rows().sum(1) == pytest.approx(np.ones(400))


# Cross-fitting


def changed(answers, row, classes):
    labels = answers.labels.copy()
    labels[row] = (labels[row] + 1) % classes
    return Answers(answers.items, labels, answers.rounds, answers.propensities)


def test_no_candidate_predicts_an_item_by_its_own_label():
    y, said, scores, other = vendor()
    pool = Pool.build(said, scores=scores, opinions={"other": other}, classes=range(4))
    answers = asked(y, 40)
    for model in label_models(pool):
        fit = CrossFit([model], 400, 4, 0)
        before = fit.fit(answers, np.ones(40)).belief.rows()
        for row in range(0, 40, 7):
            item = answers.items[row]
            after = fit.fit(changed(answers, row, 4), np.ones(40)).belief.rows()
            inside = fit.fold == fit.fold[item]
            assert (before[inside] == after[inside]).all()  # its own fold, and itself in it
            assert not np.allclose(before[~inside], after[~inside])  # everyone else learns from it


def test_the_mixture_for_a_fold_is_found_without_its_answers():
    """What is left of them: how candidates did on other answers, which they had learnt from these."""
    y, said, scores, other = vendor()
    both = [evidence_from(opinion(said, scores), 4, [opinion(other)]), evidence_from(opinion(said), 4)]
    answers = asked(y)
    fit = CrossFit([FromOutputs(f"candidate {k}", one) for k, one in enumerate(both)], 400, 4, 0)
    before = fit.fit(answers, np.ones(80)).belief.rows()
    after = fit.fit(changed(answers, 3, 4), np.ones(80)).belief.rows()
    inside = fit.fold == fit.fold[answers.items[3]]
    assert np.abs(before[inside] - after[inside]).max() < 0.005


def test_folds_are_even_and_fixed_by_the_seed():
    one, same, other = (CrossFit([], 103, 2, seed).fold for seed in (0, 0, 1))
    assert one.tolist() == same.tolist() != other.tolist()
    assert np.ptp(np.bincount(one, minlength=FOLDS)) <= 1


# Learners on features


def test_a_forest_of_ones_own_is_a_learner(digits):
    method = altmas.make_method("certified", learners=["kernel", RandomForestClassifier(5)])
    result = altmas.assess(
        digits.predictions[:200], digits.scores[:200], digits.images[:200], oracle=digits.labels[:200],
        classes=range(10), method=method, budget=50, initial=40, progress=False,
    )  # fmt: skip
    refit = result.findings.state.refit
    assert list(refit.weights) == ["scores and features", "scores"]
    assert sum(refit.weights.values()) == pytest.approx(1)
    assert list(refit.learners) == ["kernel", "RandomForestClassifier"]
    assert sum(refit.learners.values()) == pytest.approx(1)
    assert 0 < refit.features_error < 2
    assert result.estimates["estimate"].between(0, 1).all()
    assert refit.belief(result.findings.state.setup.job.pool).rows().sum(1) == pytest.approx(np.ones(200), abs=1e-5)


def test_of_scores_of_the_top_few_only_these_are_held(monkeypatch):
    """The belief is what it is with the table, and has no part with a number per item and label."""
    rng = np.random.default_rng(0)
    said = rng.integers(0, 40, 300)
    scores = np.zeros((300, 40))
    for at, share in ((said, 0.7), ((said + 1) % 40, 0.2), ((said + 5) % 40, 0.1)):
        scores[np.arange(300), at] += share
    few, everyone = (
        Answers().extended(np.arange(60), (said[:60] + (np.arange(60) % 3 == 0)) % 40, 0, np.ones(60)),
        np.arange(300),
    )

    def believed():
        [model] = label_models(Pool.build(said, scores=scores, classes=range(40)))
        return model.about(everyone, few, np.ones(60), None)

    top = believed()
    assert not any(isinstance(part, Own) for part in top.parts)
    monkeypatch.setattr("altmas.surrogates.outputs.evidence.FEW_OF_ALL", 1000)
    table = believed()
    assert any(isinstance(part, Own) for part in table.parts)
    np.testing.assert_allclose(top.rows(), table.rows(), atol=1e-12)


def test_what_a_learner_says_has_one_form_however_many_labels_it_gives_nothing():
    """Beliefs about the parts of a pool are put together part by part."""
    _, said, scores, _ = vendor(40)
    evidence = evidence_from(opinion(said, scores), 40, ())
    few, all_of_them = np.zeros((20, 40)), np.full((20, 40), 1 / 40)
    few[:, :2] = 0.5
    halves = [np.arange(20), np.arange(20, 40)]
    taught = [evidence.with_learner(half, says, 20) for half, says in zip(halves, (few, all_of_them), strict=True)]
    beliefs = [one.guesses[-1].scores for one in taught]
    rows = scattered(beliefs, halves).rows()
    np.testing.assert_allclose(rows, np.concatenate([few, all_of_them]))
