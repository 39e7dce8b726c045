"""What the page about active Bayesian assessment says around its numbers."""

OPENING = """\
# Active Bayesian assessment: every table and figure

"Active Bayesian Assessment of Black-Box Classifiers" (Ji, Logan, Smyth, Steyvers 2021) and the workshop paper
before it, "Bayesian Evaluation of Black-Box Classifiers" (Ji, Logan, Smyth, Steyvers 2019), item by item beside
what comes out here. Generated from the rows in `benchmarks/results/papers`; nothing is typed by hand. The
methods: [groups.md](groups.md).

```
python -m altmas.experiments.active_bayesian.papers --data DATA --out benchmarks/results/papers
python -m altmas.experiments.active_bayesian.page --rows benchmarks/results/papers --docs docs
```

The first makes the rows that are not there ({times} in all, on a machine that others used as well; an item at a
time, and it goes on where it stopped); the second this page. ± is one standard error over runs; [brackets] hold
the paper's number.

**What is the same**: data sets, groups, priors, rewards, rules, measures and numbers of labels. **What
differs**:

- The networks. The paper's own outputs are not public; ours are other checkpoints and other networks on the
  same test sets. How good an informed prior is depends on how good the scores are, and ours are worse for
  ResNet-110 and better for WideResNet.
- The prior of the baseline. The paper's text says Beta(1, 1); its published program starts with 1e-6
  pseudo-counts, and its printed numbers fit those. Both are here.
- The confusion matrix. The published program counts the predicted class as the true one.
- The number of runs: 1,000 where they are quick, fewer where a run labels all of a test set of a hundred or a
  thousand classes one by one. Each table says how many.
- SVHN, DBpedia and the medical dialogues: no outputs of networks on them are among the data here.
"""

IN_SHORT = """\
## In short

*Reproduced*: the same number, or a definition that holds. *In pattern*: other numbers, because of other
networks, and the same order. *Contradicted*: not the same order. *Not possible here*: no data.
"""

TABLE_2 = """\
## Table 2: data and networks

In per cent. *RMSE of the scores*: how far the mean score of a predicted class is from its accuracy, the error
of an informed prior without any label.
"""

TABLE_3 = """\
## Table 3: RMSE of accuracy per predicted class

In points. 1,000 runs (ImageNet 50). The baseline with 1e-6 meets the paper's printed numbers, Beta(1, 1) does
not. The informed prior follows the scores: its RMSE without labels is 20.5 for our ResNet-110, 12.2 for
ResNet-20 and 8.5 for WideResNet (Table 2), and at N/K = 2 it has come to 18.4, 15.8 and 13.9. The paper's 15.0
lies between the last two, as does any checkpoint whose scores are off by 9 to 12 points. Thompson sampling adds
nothing to it here, and little in the paper. *hierarchical* is ours.
"""

TABLE_4 = """\
## Table 4: error of the confusion matrix

Divided by the error of the informed prior without labels. *As defined* is the RMSE of the paper's text: true
classes scatter, and no method gets below it by orders of magnitude. *Squared, predicted as true* is what the
published program computes: no root is taken, and each answer counts as the class that was predicted, so the
first answer of a column settles it. That has the paper's shape, and the paper's numbers stand beside it. 1,000
runs, with Thompson sampling 20. ResNet-110 and ImageNet: no whole softmax is stored.
"""

TABLE_5 = """\
## Table 5: error of the expected calibration error

In per cent of the ECE; ten bins of equal weight, 1,000 runs. A relative error is large where the ECE is small,
so the networks differ by their calibration more than by anything else: the paper's 76.7 for its baseline on
CIFAR-100 lies between our ResNet-110 (ECE 18.5) and ResNet-20 (ECE 10.3). Where scores are far off, as those of
ResNet-110 and of 20 Newsgroups are here, a prior that believes them slows the estimate down, and the plain
frequencies win.
"""

TABLE_6 = """\
## Table 6: labels to identify the least accurate classes

Per cent of all labels until the mean reciprocal rank is above 0.99. The paper's sentence allows two readings,
and both are here: where the mean curve rises above 0.99 for good, which fits its numbers, and the mean over
runs of the first time, which does not. *Never*: with everything labelled the prior still ranks the classes
otherwise than the test set does; a run that never gets there counts as all labels in the other columns. *Ranked
by the pool*: by the accuracy of the pool, its labelled items known.
"""

TABLE_7 = """\
## Table 7: labels to compare two groups

All 190 pairs of superclasses of CIFAR-100 and of classes of 20 Newsgroups, 4 runs each, with Thompson sampling
2; ± is over runs. Our numbers are higher than the paper's, and the rows take its published program's readings
one at a time to find out why. *text*: the likeliest region is the one on the full test set, and its probability
within 5%. *program*: the region in which the difference lies, likeliest or not; *never counts*: as what a pair
counts that never gets there; nearly all do. *By draws*: probabilities are shares of 10,000 draws, and 1,000 for
the goal, as there. *Its pairs*: the 100 pairs that its seeds draw; ± is over pairs. *superclass*: right if the
true class is any of the superclass's own, with summed scores for WideResNet. Readings, draws and pairs that
never get there explain nothing. The choice of pairs may explain a part: labels differ between pairs with a
standard deviation near 250, so a mean over 100 of them is uncertain by 24. On the program's own pairs the
baseline on ResNet-110 is within about two such errors of the paper's if the very class is asked for, and four
away if the superclass is. Where an informed prior saves less than in the paper, the scores are farther off. The
order of the methods is the paper's on both data sets. On 20 Newsgroups some 60 labels remain unexplained:
another classifier.
"""

TABLE_8 = """\
## Table 8: RMSE of accuracy per score bin

In points; ten bins of equal weight, 1,000 runs.
"""

TABLE_9 = """\
## Table 9: labels to identify the least calibrated classes

As Table 6, for the calibration error of each class over ten bins of equal width; the prior is the informed one
of strength 2. Ranked by posterior means, a prior that holds every bin for calibrated still has its say when everything
is labelled, and the mean curve often never gets to 0.99; the paper's numbers are met where classes are ranked by the
pool's own error, labelled items known.
"""

TABLE_10 = """\
## Tables 10 and 11: labels to identify the costliest classes

Thousands of labels: where the mean curve stays above 0.99, and the mean over runs of the first time.
WideResNet; the paper has ResNet-110, of which only the top score is stored here. At a ratio of 1 the two costs
are one matrix, and the two rows are the same up to chance; the paper's differ (5.0K and 2.2K).
"""

FIGURES = """\
## Figures

Figures 2, 10, 12 and 13 list algorithms: `altmas/bandits/rules.py`. Bands are one standard error.
"""

COST_LINES = {"random, uniform": "UPrior", "random, informed": "IPrior", "Thompson, informed": "IPrior + Thompson"}
TOP_TWO_LINES = {"Thompson, informed": "Thompson", "top-two, informed": "top-two Thompson"}
RULE_LINES = {
    "Thompson, uniform": "Thompson",
    "epsilon-greedy, uniform": "epsilon-greedy",
    "Bayesian UCB, uniform": "Bayesian UCB",
}  # fmt: skip
PRIOR_LINES = {
    "Thompson, informed": "informed", "Thompson, uniform": "uniform", "Thompson, hierarchical": "hierarchical (ours)",
}  # fmt: skip
STRENGTH_LINES = {
    "Thompson, informed": "strength 2", "Thompson, strength 10": "10", "Thompson, strength 100": "100",
    "random, 1e-6": "random, no prior",
}  # fmt: skip
CALIBRATION_LINES = {
    "Thompson, strength 2": "strength 2", "Thompson, strength 5": "5", "Thompson, strength 10": "10",
    "random, strength 2": "random, strength 2",
}  # fmt: skip
SUCCESS_LINES = {"Thompson": "Thompson", "random": "random"}

CAPTIONS = (
    ("figure3", "Figure 3: mean reciprocal rank of the costliest classes", "Dear mistakes cost ten times as much."),
    ("figure4", "Figure 4: reliability diagrams", "Prior strength 2, one sample each; bars below: the share of items."),
    ("figure5", "Figure 5: the posterior of the calibration error", "ResNet-110; the samples of Figure 4."),
    ("figure6", "Figure 6: error of the calibration error", "Signed, in per cent of its value; 500 samples."),
    ("figure7", "Figures 1 and 7: accuracy and calibration error per class",
     "Squares: least accurate, triangles: most, with 95% intervals."),
    ("figure8", "Figure 8: differences of accuracy", "Lines at 0.05, the region of practical equivalence."),
    ("figure9", "Figure 9 and the workshop's Figure 2: ranks of the classes", "ResNet-110, everything labelled."),
    ("figure11", "Figure 11: top-two Thompson sampling", "The least accurate class."),
    ("figure14", "Figure 14: the cost matrices", "By superclass: dark 10, light 1. Right predictions cost nothing."),
    ("figure15", "Figure 15: other rules", "Uniform prior of strength 2; the bound of UCB is exact."),
    ("figure16", "Figure 16: informed and uniform prior", "By posterior means: a learnt prior may end below 1."),
    ("figure17", "Figure 17: reliability diagrams with strong priors", "The samples of Figure 4."),
    ("figure18", "Figure 18: strength of the prior, least accurate classes", "Informed prior."),
    ("figure19", "Figure 19: strength of the prior, least calibrated classes", "Ranked by the pool."),
    ("workshop1", "Workshop, Figure 1 (and 5, 8): accuracy and calibration bias",
     "The ten least and most accurate classes. Figures 5 and 8 are of SVHN and of medical dialogues, not here; "
     "three more networks stand in their place."),
    ("workshop2", "Workshop, Figure 2 (and 6, 9): ranks on 20 Newsgroups", "In the place of SVHN and the dialogues."),
    ("workshop3", "Workshop, Figure 3 (and 7, 10): success rates",
     "Share of runs in which the least accurate, and the most biased class has come out first."),
    ("workshop4", "Workshop, Figure 4: two classes on a line", "The region of class 1 is shaded; dotted: the scores."),
)  # fmt: skip
