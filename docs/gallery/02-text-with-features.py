# %% [markdown]
# # Texts, and features made of them
#
# A service sorts letters to a town hall into four topics. It gives no confidence at all, so nothing of its own tells
# which answers are doubtful. The letters do: features made of the texts let the same labels tell more.
#
# The letters are made up by a few lines below.

# %%
import numpy as np
import pandas as pd

import altmas

WORDS = {
    "roads": "street pothole traffic crossing asphalt bus parking".split(),
    "waste": "bins rubbish collection recycling smell bags glass".split(),
    "taxes": "bill payment invoice refund account fee reminder".split(),
    "permits": "permit building plan garage fence approval roof".split(),
}
COMMON = (
    "dear hello again week since house nobody told phone soon thanks".split()
)
rng = np.random.default_rng(3)
topics = np.array(list(WORDS))


def letter(topic):
    own = rng.choice(WORDS[topic], rng.integers(2, 5))
    other = rng.choice(WORDS[rng.choice(topics)], rng.integers(0, 3))
    return " ".join(rng.permutation([*own, *other, *rng.choice(COMMON, 12)]))


truth = rng.choice(topics, 800, p=[0.4, 0.3, 0.2, 0.1])
letters = [letter(topic) for topic in truth]
right = rng.random(800) < np.select(
    [truth == "permits", truth == "taxes"], [0.45, 0.6], 0.85
)
said = np.where(right, truth, rng.choice(topics, 800))
letters[0]

# %% [markdown]
# ## Without features
#
# What is left to learn from is which topic was predicted.

# %%
asked = {
    "oracle": truth,
    "metrics": ["accuracy", "macro_recall", "recall:permits"],
    "budget": 120,
    "progress": False,
}
without = altmas.assess(said, **asked)
without

# %% [markdown]
# ## With features
#
# `features="auto"` makes numbers of whatever the items are: texts, images, mixed tables. Never of what the service
# said.

# %%
with_letters = altmas.assess(said, features="auto", items=letters, **asked)
print(with_letters.findings.job.pool.features_from)
print(with_letters.features)
with_letters

# %% [markdown]
# ## What it brought
#
# Three runs of each, and how far their estimates were from the truth. A few letters about permits decide about recall,
# and the features know a permit when they see one.

# %%
actual = {
    "accuracy": np.mean(said == truth),
    "macro_recall": np.mean(
        [np.mean(said[truth == one] == one) for one in topics]
    ),
    "recall:permits": np.mean(said[truth == "permits"] == "permits"),
}
rows = []
for seed in range(3):
    for name, given in {
        "without": {},
        "with features": {"features": "auto", "items": letters},
    }.items():
        found = altmas.assess(
            said, **given, **asked, seed=seed
        ).estimates.set_index("metric")
        rows += [
            {
                "": name,
                "metric": metric,
                "error": found.estimate[metric] - value,
                "width": found.high[metric] - found.low[metric],
            }
            for metric, value in actual.items()
        ]
runs = pd.DataFrame(rows)
runs.groupby(["metric", ""]).agg(
    rmse=("error", lambda e: np.sqrt(np.mean(e**2))), width=("width", "mean")
).round(3)
