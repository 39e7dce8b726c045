# %% [markdown]
# # Benchmark a method
#
# You have an idea for choosing questions. Is it better than BALD, than random sampling, than what there is? A method is
# three functions; the same loop runs it, and pools whose labels are all known say how far off it was.
#
# The idea here: ask where the model under test is least sure, and believe that the answers are typical. It is a bad
# idea, and the benchmark shows it.

# %%
from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.ensemble import BaggingClassifier
from sklearn.neighbors import KNeighborsClassifier

import altmas
from altmas.core.estimates import on_answers
from altmas.core.policies import Choice
from altmas.demo import vendor_digits


class LeastConfidentFirst:
    name = "least confident first"

    def begin(self, job):
        self.job = job
        return self

    def update(self, answers, round):
        self.answers = answers

    def choose(self, count):
        open_items = self.answers.unlabelled(self.job.pool)
        confidence = self.job.pool.confidence[open_items]
        return Choice(
            open_items[np.argsort(confidence)[:count]], np.ones(count)
        )

    def estimate(self, level):
        found = on_answers(
            self.job.metrics,
            self.answers.confusion(self.job.pool),
            self.job.pool.size,
            level,
        )
        return [
            replace(one, promise="nothing: the items were not chosen at random")
            for one in found
        ]


# %% [markdown]
# ## Methods beside it
#
# `bald` learns from features. Its surrogate is usually a network; here it is twenty
# nearest-neighbour classifiers, each a draw, which take a second.

# %%
vendor = vendor_digits()
ensemble = BaggingClassifier(KNeighborsClassifier(1), 20, random_state=0)
methods = {
    "least confident first": LeastConfidentFirst,
    "bald": lambda: altmas.make_method("bald", surrogate=ensemble, draws=20),
    "random": lambda: "random",
    "certified": lambda: "certified",
}
actual = float(np.mean(vendor.predictions == vendor.labels))
actual

# %% [markdown]
# ## Run them
#
# All begin with the same items for the same seed, so that differences are those of the methods.

# %%
runs = []
for seed in range(3):
    for name, made in methods.items():
        result = altmas.assess(
            vendor.predictions,
            scores=vendor.scores,
            features=vendor.images if name == "bald" else None,
            oracle=vendor.labels,
            metrics=["accuracy"],
            method=made(),
            budget=120,
            initial=20,
            batch=20,
            seed=seed,
            progress=False,
        )
        runs.append(result.history.assign(method=name, seed=seed))
history = pd.concat(runs)
history["error"] = (history["estimate"] - actual).abs()
history["covered"] = (history["low"] <= actual) & (actual <= history["high"])

# %%
curves = history.pivot_table(index="labels", columns="method", values="error")[
    list(methods)
]
ax = curves.mul(100).plot(
    marker="o",
    ylabel="mean error, points of accuracy",
    ylim=(0, None),
    figsize=(7, 4),
)
plt.grid(alpha=0.3)

# %%
last = history[history["labels"] == 120]
last.groupby("method")[["error", "covered"]].mean().loc[list(methods)].round(3)

# %% [markdown]
# `bald` believes its surrogate, so its error is the surrogate's: with a forest of fifty trees in its place it was 42
# points after as many labels (five runs). A comparison is one of settings, too; say which you tried.
#
# Three runs say who is far off; they do not tell neighbours apart, nor whether intervals cover 95 times in a hundred.
# For that, sweeps run many seeds on many pools, on all cores, and go on after a stop: `altmas bench sweep.toml`.

# %%
from pathlib import Path

from altmas.experiments.bench import Workers, parse_sweep, run_sweep, to_frame

sweep = parse_sweep(
    {
        "pools": [
            {"name": "made", "kind": "generated", "items": 300},
            "breast_cancer",
        ],
        "models": ["tree"],
        "metrics": ["accuracy"],
        "methods": ["random", "stratified", "certified"],
        "budgets": [80],
        "seeds": 3,
    }
)
run_sweep(sweep, Path("rows.jsonl"), Workers(jobs=1))
rows = to_frame(Path("rows.jsonl"), sweep.cells())
last = rows[rows["labels"] == rows["budget"]]
last.assign(error=(last["estimate"] - last["truth"]).abs()).groupby(
    ["pool", "method"]
)[["error", "covered"]].mean().round(3)
