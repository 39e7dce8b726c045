# %% [markdown]
# # Groups and surfaces
#
# A model that is good on average can be bad for some. Which device, which region, and which combination of the two is
# the worst, from 300 labels?
#
# The pool is made up: 3,000 photographs from six devices in five regions, two classes. The model is 92% accurate,
# but for one device and one region, and for one combination that nobody thought of.

# %%
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import altmas
from altmas.plots import PairDisplay

rng = np.random.default_rng(5)
size = 3000
groups = pd.DataFrame(
    {
        "device": rng.choice(
            ["A1", "A2", "B1", "B2", "C1", "old"],
            size,
            p=[0.3, 0.25, 0.15, 0.15, 0.1, 0.05],
        ),
        "region": rng.choice(
            ["north", "south", "east", "west", "isles"],
            size,
            p=[0.3, 0.3, 0.2, 0.15, 0.05],
        ),
    }
)
chance = np.full(size, 0.92)
chance[groups.device == "old"] = 0.75
chance[groups.region == "isles"] = 0.85
chance[(groups.device == "B2") & (groups.region == "west")] = 0.5
truth = rng.choice(["healthy", "sick"], size, p=[0.7, 0.3])
right = rng.random(size) < chance
said = np.where(right, truth, np.where(truth == "sick", "healthy", "sick"))
confidence = np.clip(chance + rng.normal(0, 0.12, size), 0.5, 1)

# %% [markdown]
# ## One run, many questions
#
# The labels of one run tell of every group afterwards. Nothing has to be decided before.

# %%
result = altmas.assess(
    said,
    scores=confidence,
    groups=groups,
    oracle=truth,
    metrics=["accuracy"],
    budget=300,
    progress=False,
)
result

# %%
result.groups("device").round(3)

# %% [markdown]
# Do two groups differ? The interval is that of the difference.

# %%
pd.Series(result.compare("device", "old", "A1"))

# %% [markdown]
# ## Look for the worst
#
# Where the worst group is all you want, labels can be spent on finding it: group methods ask where it matters. The
# prior is shared by all groups, so that they learn from each other.

# %%
found = altmas.assess(
    said,
    scores=confidence,
    groups=groups,
    oracle=truth,
    method="hierarchical-thompson",
    task=altmas.Identify(m=1, by="device"),
    budget=200,
    progress=False,
)
print(found.verdict)
found.ranking.head(3).round(3)

# %% [markdown]
# ## Every combination
#
# Thirty combinations, ten labels each: too few to look at them one by one. A surface estimates them together;
# combinations that share a device or a region teach each other.

# %%
surface = altmas.assess(
    said,
    scores=confidence,
    groups=groups,
    oracle=truth,
    metrics=["accuracy"],
    task=altmas.Surface(
        ["device", "region"],
        estimator=altmas.SurfaceRecipe(settings={"steps": 200}),
    ),
    budget=300,
    progress=False,
)
print(surface.verdict)
surface.fitted.worst(5).round(3)

# %%
_, ax = plt.subplots(figsize=(7, 4))
ax = PairDisplay.from_surface(surface.fitted, "device", "region").plot(ax)

# %% [markdown]
# Beside it the truth, of those with ten items or more:

# %%
actual = (
    groups.assign(right=said == truth)
    .groupby(["device", "region"])
    .right.agg(["mean", "size"])
)
actual[actual["size"] >= 10].sort_values("mean").head(5).round(3)
