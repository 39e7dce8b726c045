"""What the front page says around its numbers."""

OPENING = """\
# The four papers, item by item

Every table and figure of the papers that altmas implements, each as a row: the paper's number, ours, and a verdict.
Read off stored rows by one command, no number of ours typed by hand; where a verdict depends on a number, it is
worked out from that number.

- *Reproduced*: the same number, or a definition that holds.
- *In pattern*: other numbers, because data or networks are others, and what the paper says of them holds.
- *Contradicted*: what the paper says of them does not hold here, and why, as far as it was measured.
- *Not possible here*: no data; other data stand in where there are any.

For a reader with ten minutes: [what holds on real data](#what-the-papers-claim-and-what-holds-on-real-data), at the
end.
"""

PAPERS = {
    "Active Bayesian Assessment": """\
## Active Bayesian Assessment

Ji, Logan, Smyth, Steyvers 2021, "Active Bayesian Assessment of Black-Box Classifiers". Every number and figure, and how
often each was run: [active-bayesian-assessment.md](active-bayesian-assessment.md).
""",
    "Bayesian Evaluation (workshop)": """\
## Bayesian Evaluation, the workshop paper

Ji, Logan, Smyth, Steyvers 2019, "Bayesian Evaluation of Black-Box Classifiers". Pictures:
[on the same page](active-bayesian-assessment.md#figures). Its only table, of its data sets, has no result.
""",
    "ALT-MAS": """\
## ALT-MAS

"ALT-MAS: A Data-Efficient Framework for Active Testing of Machine Learning Algorithms". All panels, the networks'
accuracies and ablations: [results.md](results.md). The paper's curves are pictures without numbers, so what its text
says of them is what is compared. Most panels are run in batches, without tuning and for fewer queries than a cluster
would; one of each data set a query at a time and tuned, as the paper runs all of them, but for very few queries.
""",
    "Accuracy surfaces (appendix)": """\
## Accuracy surfaces

Piratla, Chakrabarti, Sarawagi 2021, "Active Assessment of Prediction Services as Accuracy Surface Over Attribute
Combinations": the appendix, whose Table 6 lists its sections, and which has no Table 14. All numbers with their
standard deviations, simulations and exploration: [surface-results.md](surface-results.md). CelebA's images are not
here: its service is ours, and predicts from attributes that are not arms, so that the order of estimators can be
compared and not the size of their errors. """,
}

ARMS = """
![Accuracies of arms: mean and quantiles of four services, and the 25 least accurate arms of each](papers-arms.svg)
"""

TIMES = """\
## All of it again

```
make papers DATA=/folder/of/stored/data
make papers-smoke
```

The first runs what is missing of the rows, each run once, and goes on where it stopped; then it writes this page and
those it links. From nothing, by the seconds stored with the rows (measured on a machine that others used as well):
{aba:.1f} hours for the first two papers on one core, {alt_mas:.1f} hours of ALT-MAS in two processes, {surface:.1f}
for the surfaces; about {wall:.1f} hours on two cores. The second tries every one of these runs in small, on bundled
data, in a minute or two.
"""

TEN_MINUTES = """\
## What the papers claim, and what holds on real data

All four ask how good a classifier is on data that nobody has labelled yet, with as few labels as can be, and all four
answer with a belief about the labels that are missing. Here is what became of their claims on networks, services and
data that are not theirs.

**Look where it is worst: holds, and is the best of it.** Active Bayesian Assessment asks for labels where a group's
accuracy is in doubt and may be the lowest, by Thompson sampling. To name the least accurate class for good, it needed
{resnet_active} of the labels of CIFAR-100 (ResNet-110) where random sampling needed {resnet_random} (the paper: 24.9%
and 81.1%), on ImageNet {imagenet_active} and {imagenet_random}, on 20 Newsgroups {news_active} and {news_random}.
Other networks, other classes, the same gap.

**Start from the model's own scores: holds as far as the scores do.** With two labels per class, the paper's error of
accuracies falls from 30.7 points to 15.0 by a prior from the scores; ours from {plain} to {informed}. But most of
that comes of having a prior at all: one that knows nothing, Beta(1, 1), has {uniform}. ResNet-110's scores here are
{overconfident} points too sure, and a prior is as good as the scores that it believes: WideResNet's are better, and
there it has {wide_informed} against {wide_uniform}.

**Active sampling for all groups at once: hardly pays.** For the accuracy of every class, Thompson sampling has
{active} where random labels with the same prior have {informed}, and is ahead in {active_ahead} rows of that table;
the paper speaks of small gains in 11 of 15. Active labels pay when the question is a choice: the worst, the
costliest, which of two.

**Errors of the confusion matrix by orders of magnitude less: no.** As the text defines it, with two labels per class
a prior from the scores takes the error on CIFAR-100 from {confusion_plain} to {confusion_informed}, where the paper
prints {confusion_paper}. The published program computes something else, and done its way the paper's picture returns.

**Any metric from a network trained on the answers (ALT-MAS): as it is written, not reliably.** On MNIST it is ahead
of BALD in {mnist} panels, on CIFAR-10 in {cifar}, on an embedding of Fashion-MNIST in {embedding}; and plain random
labels are ahead of it in {mnist_random}, {cifar_random} and {embedding_random} of 15. Two things decide. Where the
model under test is bad, ALT-MAS trains on that model's mistakes; a guard of ours against it makes MNIST {guarded}.
And where the network cannot learn the task from the first few hundred labels (CIFAR-10's was right in {weak}%), no
way to ask helps. Its idea holds all the same: a network need not be right everywhere to estimate a metric well.

**Surfaces over thousands of combinations: holds.** Sharing answers between similar combinations beats counting each
by itself: on 395 active combinations of CelebA's attributes, {betagp:.2f} against {beta_i:.2f} in squared error
(times 100). Scale supervision and pooling, the paper's remedies, mend a learnt kernel ({learnt:.2f} to {mended:.2f}),
and make worse one on the attributes themselves ({flat:.2f} to {flat_mended:.2f}), which is the better start: a plain
regression has {regression:.2f}.

**What none of them promises.** Their intervals are beliefs. Of the intervals on the grid of ALT-MAS at 95%, ALT-MAS
as written held the truth in {cover_literal}, BALD in {cover_bald}, Thompson sampling in {cover_thompson}; the method
`certified`, whose promise needs no prior, in {cover_certified}, with a median error of {ratio_certified:.2f} of
random sampling's where it sees features ({ratio_altmas:.2f} with guarded ALT-MAS, on MNIST alone).

**So, in practice**: for a number that must hold, [`certified`](certified.md); to find the worst group,
[`thompson`](groups.md) with scores as prior; for combinations of attributes, [a surface](surface.md); ALT-MAS,
guarded, where a small network learns the task from a few hundred answers, and checked against random labels by [a
sweep](benchmark.md).
"""
