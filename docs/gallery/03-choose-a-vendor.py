# %% [markdown]
# # Choose a vendor
#
# Five vendors want to sell you a classifier. Choosing takes fewer labels than measuring: ask where they differ, and
# stop when choosing the leader can cost next to nothing.
#
# The vendors are classifiers of scikit-learn, each trained on 150 digits; the pool are the other 1,647.

# %%
import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import altmas

X, y = load_digits(return_X_y=True)
X = X / 16
makers = {
    "regression": LogisticRegression(max_iter=500),
    "forest": RandomForestClassifier(100, random_state=0),
    "neighbours": KNeighborsClassifier(5),
    "bayes": GaussianNB(),
    "tree": DecisionTreeClassifier(random_state=0),
}
vendors = {name: maker.fit(X[:150], y[:150]) for name, maker in makers.items()}
items, truth = X[150:], y[150:]

# %% [markdown]
# ## Who is best?
#
# Fitted models are asked what they say; files of predictions work as well. `within=0.01` stops as soon as choosing
# the leader costs at most one point of accuracy, with 95% probability.

# %%
choice = altmas.assess(
    model=vendors,
    items=items,
    oracle=truth,
    task="best",
    within=0.01,
    budget=150,
    progress=False,
)
choice

# %%
choice.best[
    ["model", "p_best", "behind", "behind_low", "behind_high", "ruled_out"]
].round(3)

# %%
_, ax = plt.subplots(figsize=(7, 3))
ax = choice.plot(ax=ax)

# %% [markdown]
# The truth, which a buyer does not have:

# %%
for name, model in vendors.items():
    print(f"{name:12s}{model.score(items, truth):.3f}")

# %% [markdown]
# ## Two models, one question
#
# Is the forest better than the neighbours? `is_better` draws labels for the difference, and answers in a sentence.

# %%
answer = altmas.is_better(
    vendors["forest"],
    vendors["neighbours"],
    items=items,
    oracle=truth,
    names=("forest", "neighbours"),
    progress=False,
)
answer

# %%
answer.yes, round(answer.low, 3), round(answer.high, 3)
