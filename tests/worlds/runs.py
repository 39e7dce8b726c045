"""A method at work, without the loop around it."""

from altmas.core.answers import Answers
from altmas.core.method import Job
from altmas.metrics import metrics_named


def at_work(method, pool, y, *, metrics=("accuracy",), seed=0, sizes=(10, 10), look=lambda run: None):
    """A run after rounds of these sizes, as the loop would have it."""
    run = method.begin(Job(pool, tuple(metrics_named(metrics, pool.classes)), seed))
    answers = Answers()
    run.update(answers, 0)
    for number, size in enumerate(sizes):
        choice = run.choose(size)
        answers = answers.extended(choice.items, y[choice.items], number, choice.propensities)
        run.update(answers, number + 1)
        look(run)
    return run, answers
