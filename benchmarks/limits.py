"""How far accuracy's error can fall below random sampling's, for whoever knows all that a model's outputs tell.

    python benchmarks/limits.py --data DIR [--out limits.csv] [--smoke]

With a = P(agreement | outputs), cross-fitted on all the labels, an estimator that asks in proportion to
w = sqrt(a (1 - a)) and corrects a by what it hears has the variance mean((agreement - a)^2 / w) / n; random sampling
has var(agreement) / n. The root of their ratio is the limit: own, from the model's outputs alone, and opinions, from
those of the other services too. A method that learns a from few labels stays above it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from altmas.experiments.data.audit_pools import DIGITS, audit_pool_names, load_audit_pool
from altmas.experiments.data.bench_pool import BenchPool

FOLDS, TOP = 5, 5
LEAST = 1e-3
"""How near 0 and 1 an agreement probability may come."""


def logit(p):
    inside = np.clip(p, 1e-4, 1 - 1e-4)
    return np.log(inside / (1 - inside))


def columns(pool: BenchPool, opinions: bool):
    """Class indices `[N, A]` and numbers `[N, B]` known of each item before it is labelled."""
    named, numbers = [as_index(pool.predictions, pool.classes)], _numbers(pool.scores)
    if opinions:
        others = list(pool.opinions.values())
        named += [as_index(said, pool.classes) for said, _ in others]
        numbers += [column for _, sure in others for column in (sure, logit(sure))]
        same = [(said == pool.predictions).astype(float) for said, _ in others]
        numbers += [*same, *(s * sure for s, (_, sure) in zip(same, others, strict=True)), np.sum(same, 0)]
    return np.stack(named, 1), np.stack(numbers, 1)


def as_index(said, classes: Sequence[int]):
    """Position of each prediction among the classes; one more for no class."""
    return np.array([{c: i for i, c in enumerate(classes)}.get(int(one), len(classes)) for one in said])


def _numbers(scores):
    if scores.ndim == 1:
        return [scores, logit(scores)]
    top = np.sort(scores, 1)[:, ::-1]
    entropy = -(scores * np.log(np.maximum(scores, 1e-12))).sum(1)
    own = [top[:, 0], logit(top[:, 0]), top[:, 0] - top[:, 1], entropy]
    return own + [np.log(np.maximum(top[:, k], 1e-6)) for k in range(min(TOP, top.shape[1]))]


def agreement_probabilities(named, numbers, agrees):
    """Cross-fitted by logistic regression or gradient boosting, whichever has the lower log loss `[N]`."""
    from sklearn.compose import make_column_transformer
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import log_loss
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, SplineTransformer, StandardScaler

    x, names = np.concatenate([named, numbers], 1), list(range(named.shape[1]))
    rest = list(range(named.shape[1], x.shape[1]))
    spread = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), names),
        (make_pipeline(StandardScaler(), SplineTransformer(5, degree=2)), rest),
    )
    makers = (
        make_pipeline(spread, LogisticRegression(solver="newton-cholesky", max_iter=200)),
        HistGradientBoostingClassifier(
            learning_rate=0.05, max_iter=150, max_leaf_nodes=15, categorical_features=names, early_stopping=False,
            l2_regularization=1.0,
        ),
    )  # fmt: skip
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    fitted = [cross_val_predict(one, x, agrees, cv=folds, method="predict_proba")[:, 1] for one in makers]
    return min(fitted, key=lambda a: log_loss(agrees, a))


def limit(pool: BenchPool, opinions: bool) -> float:
    agrees = (pool.predictions == pool.labels).astype(int)
    a = np.clip(agreement_probabilities(*columns(pool, opinions), agrees), LEAST, 1 - LEAST)
    w = np.sqrt(a * (1 - a))
    return float(np.sqrt(np.mean((agrees - a) ** 2 * w.mean() / w)) / agrees.std())


@click.command()
@click.option("--data", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Folder with the pools.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="CSV for the table.")
@click.option("--smoke", is_flag=True, help="The bundled digits alone.")
def main(data: Path | None, out: Path | None, smoke: bool) -> None:
    """Print the limits of all the pools that ask for accuracy."""
    if not smoke and data is None:
        raise click.UsageError("Give --data, or --smoke.")
    er = audit_pool_names("er")
    names = (DIGITS,) if smoke else tuple(name for name in audit_pool_names() if name not in er)
    rows = []
    for name in names:
        pool = load_audit_pool(name, data)
        with threadpool_limits(1):  # small trees: threads cost more than they bring
            rows.append((name, limit(pool, False), limit(pool, True) if pool.opinions else np.nan))
        click.echo(f"{name}: {rows[-1][1]:.3f} {rows[-1][2]:.3f}", err=True)
        table = pd.DataFrame(rows, columns=["pool", "own", "opinions"])
        if out is not None:
            table.to_csv(out, index=False)
    click.echo("Limit of accuracy's RMSE, random sampling's = 1:")
    click.echo(table.round(3).to_string(index=False))
    click.echo(f"ratio: {np.exp(np.log(table['own']).mean()):.3f} of random sampling's error, geometric mean")


if __name__ == "__main__":
    main()
