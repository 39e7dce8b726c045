"""The figures of "Bayesian Evaluation of Black-Box Classifiers" as rows of the front page, from the stored rows."""

from __future__ import annotations

from altmas.experiments.active_bayesian.front_figures import OTHER_NETWORK, RESNET, worst_class, worst_is_surer
from altmas.experiments.active_bayesian.stored import (
    CONTRADICTED,
    IMPOSSIBLE,
    PATTERN,
    REPRODUCED,
    Front,
    Maker,
    Stored,
    workshop,
)


def _workshop_1(stored: Stored) -> Front:
    rows = stored.picked("workshop-figure1", network=RESNET)
    top, bottom = rows.tail(10), rows.head(10)
    none = int(((top["bias low"] <= 0) & (top["bias high"] >= 0)).sum())
    sure = int((bottom["bias low"] > 0).sum())
    ours = f"no bias ruled out in {sure} of the 10 least accurate classes, possible in {none} of the 10 most accurate"
    return workshop(
        "Figure 1",
        "accuracy and calibration bias per class",
        "10 of 10 biased; most accurate near 0",
        ours,
        PATTERN if sure >= 9 and none >= 5 else CONTRADICTED,
        "this checkpoint is surer than its accuracy by 18 points, and of its most accurate classes, too",
    )


def _workshop_2(stored: Stored) -> Front:
    return workshop(
        "Figure 2",
        "P(least accurate)",
        "lizard 0.68; the most accurate unsure",
        worst_class(stored, "workshop-figure2"),
        worst_is_surer(stored, "workshop-figure2"),
        OTHER_NETWORK,
    )


def _steady(stored: Stored, network: str, line: str, panel: str = "least accurate") -> float:
    return stored.cell("workshop-figure3", "labels", measure="nine in ten", network=network, line=line, top=panel)


def _workshop_3(stored: Stored) -> Front:
    said = []
    for panel in ("least accurate", "most biased"):
        active, random = (_steady(stored, RESNET, line, panel) for line in ("Thompson", "random"))
        said.append(f"{panel} {active:,.0f} against {random:,.0f}")
    active, random = (_steady(stored, RESNET, line) for line in ("Thompson", "random"))
    why = "labels after which nine in ten runs stay right; here two classes are close, P(least) 0.47 instead of 0.68"
    return workshop(
        "Figure 3",
        "success rates",
        "all runs right within 3,000; random almost all 10,000",
        "; ".join(said),
        PATTERN if active < 0.7 * random else CONTRADICTED,
        why,
    )


def _workshop_4(stored: Stored) -> Front:
    row = stored.picked("workshop-figure4", region="class 1").iloc[0]
    ours = f"class 1 beyond x = {row['x']:.2f}; accuracy {row['accuracy']:.3f}, bias {row['bias']:.3f}"
    return workshop(
        "Figure 4",
        "two classes on a line",
        "a sketch",
        ours,
        REPRODUCED,
        "the paper does not say how its model's scores were made; ours have 1.5 times the true logit",
    )


def _missing(number: int, data: str, what: str, stand_in: str) -> Maker:
    return lambda stored: workshop(
        f"Figure {number}", f"{what}, {data}", "", stand_in, IMPOSSIBLE, f"{data} data are not here"
    )


STAND_IN = "20 Newsgroups and two more networks stand in its place, in the figure of CIFAR-100"
WORKSHOP: tuple[Maker, ...] = (
    _workshop_1,
    _workshop_2,
    _workshop_3,
    _workshop_4,
    *(
        _missing(3 * k + n, data, what, STAND_IN)
        for k, data in ((1, "SVHN"), (2, "medical dialogue"))
        for n, what in ((2, "accuracy and bias"), (3, "P(least accurate)"), (4, "success rates"))
    ),
)
