# %% [markdown]
# # Audit a vendor
#
# A vendor's service reads handwritten digits. You have its answers on 1,497 of your images, failures included, and
# money for 120 labels. How good is it, how sure can you be, and where is it worst?
#
# The vendor is a logistic regression trained on 300 of scikit-learn's digits; the labels stand for the person who
# would be asked.

# %%
import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

import altmas

X, y = load_digits(return_X_y=True)
vendor = LogisticRegression(C=0.02, max_iter=500).fit(X[:300] / 16, y[:300])
scores = vendor.predict_proba(X[300:] / 16)
said = vendor.predict(X[300:] / 16).astype(str).astype(object)
said[::150] = "ERROR"  # now and then the service fails
truth = y[300:].astype(str)

# %% [markdown]
# ## The pool
#
# The items and what the vendor said about them. `ERROR` is no digit, so we say so: those answers count as wrong, and
# belong to no class.

# %%
pool = altmas.Pool.build(
    said,
    scores=scores,
    not_a_class=["ERROR"],
    ids=[f"image{i:04d}" for i in range(len(said))],
)
pool

# %% [markdown]
# ## Ask and tell
#
# An audit is a folder. It gives out questions, and keeps every answer: what `tell` returned from is on disk. Here a
# table answers; with people, `altmas label` opens a page for them. No two audits ask the same questions, so that no
# vendor can know them beforehand.

# %%
audit = altmas.Audit.create(
    "digits", pool, metrics=["accuracy", "macro_recall", "recall:8", "ece"]
)
while audit.status().answered < 120:
    for query in audit.ask(10):
        audit.tell(query.id, truth[query.position])
audit.findings()

# %% [markdown]
# How far off is it? Only a demonstration can tell.

# %%
right = said == truth
print(f"accuracy on all {len(truth):,} items: {right.mean():.3f}")
print(f"recall of 8: {right[truth == '8'].mean():.3f}")

# %% [markdown]
# ## Where is it worst?

# %%
worst = audit.worst("class")
print(worst.attrs["verdict"])
worst.head(4).round(3)

# %% [markdown]
# ## The report
#
# One file, with all of this in words and pictures, and with what is needed to check it.

# %%
print(audit.report("report.html").name)
print("log and files are as they were written:", audit.verify().ok)
audit.close()

# %% [markdown]
# ## The same in one call
#
# Where the labels come from a table, a function or a service, `assess` does all of it. The picture shows the
# intervals narrow as labels come in; the dashed line is the truth.

# %%
result = altmas.assess(
    said,
    scores=scores,
    oracle=truth,
    not_a_class=["ERROR"],
    metrics=["accuracy"],
    budget=120,
    progress=False,
)
result

# %%
_, ax = plt.subplots(figsize=(7, 3.5))
ax = result.plot(truth={"accuracy": right.mean()}, ax=ax)

# %%
result.forecast(within=0.02)
