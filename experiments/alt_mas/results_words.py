"""What the results page says around its numbers."""

OPENING = """\
# Results

Generated from stored rows by `make results`; nothing is typed by hand. The methods: [alt-mas.md](alt-mas.md),
[groups.md](groups.md), [field.md](field.md), [certified.md](certified.md).

An error is |estimate - truth| / truth, averaged over the metrics of a set, in percent. A metric that is 0 is
left out; no estimate at all (no item predicted as the class among the answers) counts as an estimate of 0.
Where a metric is nearly 0, as most of a bad model's are, errors far above 100% are small in absolute terms. ±
is one standard error over seeds.
"""

RUN_SETTINGS = """
The paper has 50 draws, tunes, and asks one question at a time; how many it asks is not in its text. *panel1* and
*panel2* do as it does, for one panel of each data set and few queries. *Steps* is
the most that a fit takes. Times are those of processes that shared a busy machine. The test images of CIFAR-10
are re-encoded JPEGs.
"""

COMMANDS = """
Commands (`DATA` holds the images and `paper_models.npz`, see [benchmark.md](benchmark.md)):
"""

FIGURE = """\
Curves, and the end in the table, are means over {smooth}; *curve* is the mean over all labels spent.

ALT-MAS here has a guard of ours on its pseudo-labels; *literally* is the paper as it is written. Of {panels}
panels, ALT-MAS is best of the four in {best_end} at the end and {best_curve} over the curve, and ahead of BALD in
{own_end} and {own_curve}; at the end it is ahead of BALD or within one standard error in {close}.
Literally, it is ahead of BALD in {literal_end} and {literal_curve}. The paper's text: ALT-MAS is ahead of BALD
for most combinations, by a high margin on per-class metrics and on the good model, and performs well throughout;
random sampling (Tradition) does very well on the good model of MNIST and badly on the others.

*Best?* says whether the order "ALT-MAS best" holds; *(close)* where the best two lie within one standard error
of their difference.
"""

PANEL = """\
One panel as the paper runs all of its own: a refit for every query, and learning rate, passes and dropout tuned. Cut
are the queries, to {queries} (the paper does not say how many it has), models and sets of metrics, to one; seeds:
{seeds} (the paper: 3). A run of a method with a network took {minutes} minutes here (the longest, on a busy machine),
so that all panels with hundreds of queries are work for a cluster (`--paper`). Curves, and the end in the table, are
means over {smooth}; *curve* is the mean over all labels spent.
"""

LITERAL_FIGURE = """\
Curves, and the end in the table, are means over {smooth}; *curve* is the mean over all labels spent.

ALT-MAS is here as the paper is written, without our guard. Of {panels} panels it is best of the three in
{best_end} at the end and {best_curve} over the curve, and ahead of BALD in {literal_end} and {literal_curve}; at the
end it is ahead of BALD or within one standard error in {close}. From 500 labels of CIFAR-10's pixels no small network
learns much (the accuracies below); the embedding that follows shows the same figure where one does.

*Best?* says whether the order "ALT-MAS best" holds; *(close)* where the best two lie within one standard error
of their difference.
"""

EVERY_METHOD = """\
## The same grid, every method

ALT-MAS, BALD and *certified with features* see the images; the others see only what the model under test said.
Methods that do not look at the metrics ran once for all sets: their five panels of a model are one run.

![Error of each method as a share of random sampling's, a dot per panel](results-field.svg)

*Wins*: panels with the smallest error at the last label, on the seeds that all methods have. *Of random's
error*: median over panels. *Random needs*: how many times as many labels random sampling needs for the same
error, quartiles over panels (seeds are few: a method as good as random may show anything from a half to two).
*Covered*: share of intervals at the last label that hold the truth, a metric once per run, ± one standard error
over runs; nominal 95%, where the method promises that. *Seconds*: median of a run, MNIST and CIFAR-10.
"""

PANELS = "Error at the last label in percent, mean over the seeds that all methods have (bold: the smallest):\n"

ABLATIONS = """\
## Ablations of ALT-MAS

`alt_mas_3` on the models of the first study, {initial} initial labels, {last} at the end, in batches of {batch}
unless said: error in percent at the last label (one refit), and in brackets its mean over all labels spent.
*Refit every* is the size of a batch; ALT-MAS, here as the paper is written, is refitted every {batch}.
"""
