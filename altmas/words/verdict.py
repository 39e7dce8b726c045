"""The verdict: what the numbers say, in sentences that never say more than the promise of their interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from altmas.words.wording import Row, counted, digits_for, ends, figure, interval, is_share, listed, named, points

_PROMISE_KINDS = (
    ("exact", "exact"),
    ("spread", "not coverage"),
    ("search", "not to measure"),
    ("nothing", "nothing"),
    ("anytime", "all looks"),
    ("credible", "credible"),
    ("published", "as published"),
    ("random", "under random sampling"),
    ("approximate", "approximate"),
)

ROUGH_BELOW = 30
"""From fewer labels than this, approximate intervals are rough."""

NO_LABELS = "No item has a label yet, so nothing can be said about how good it is."

NO_COVERAGE = (
    "The spread is no coverage: it shows how far guesses of the labels lie apart, not how far they all are from the "
    "truth, which may lie outside."
)

NO_INTERVAL = "It comes without an interval: the questions were chosen to find the best model, not to measure it."


def kind_of(promise: str) -> str:
    """What sort of promise an interval comes with.

    >>> kind_of("approximate 95% coverage, whatever the surrogate believes")
    'approximate'
    >>> kind_of("spread of 50 draws, not coverage")
    'spread'
    """
    return next((kind for kind, sign in _PROMISE_KINDS if sign in promise), "other")


def how_good(row: Row, level: float, pool: int, of: str = "") -> str:
    """One estimate as a sentence; `of` names the model, where it has a name.

    >>> row = {"metric": "accuracy", "estimate": 0.911, "low": 0.883, "high": 0.938, "labels": 200}
    >>> how_good({**row, "promise": "approximate 95% coverage, whatever the surrogate believes"}, 0.95, 10_000)
    'Accuracy is about 91%: between 88% and 94% (95% interval) on these 10,000 items, from 200 labels.'
    >>> how_good({**row, "missing": 9, "low": 0.84, "promise": "approximate 95% coverage"}, 0.95, 10_000)
    'Accuracy is between 84% and 94% (95% interval) on these 10,000 items, whatever the 9 questions without a label \
are, from 200 labels; about 91% if they are like the others.'
    >>> how_good({**row, "promise": "spread of 50 draws, not coverage"}, 0.95, 10_000)
    'Accuracy is about 91% by guesses of the labels, on these 10,000 items, from 200 labels; the guesses lie between \
88% and 94%.'
    """
    metric, share = named(row["metric"]), is_share(row["metric"])
    subject = metric[:1].upper() + metric[1:] + (f" of {of}" if of else "")
    value, low, high, missing = row["estimate"], row["low"], row["high"], row.get("missing")
    labels, items = counted(row["labels"], "label"), f"these {counted(pool, 'item')}"
    if value is None:
        return f"{subject} cannot be told yet from {labels}."
    kind = kind_of(row["promise"])
    if kind == "exact":
        return f"{subject} is exactly {figure(value, share=share, digits=2)} on {items}: every one of them is labelled."
    if low is None or high is None:
        return f"{subject} is about {figure(value, share=share)} on {items}, from {labels}; how sure is not known."
    digits = digits_for(high - low, share=share)
    about = figure(value, share=share, digits=digits)
    least, most = ends(low, high, share=share, digits=digits)
    if kind == "spread":
        return (
            f"{subject} is about {about} by guesses of the labels, on {items}, from {labels}; "
            f"the guesses lie between {least} and {most}."
        )
    what = "credible interval" if kind == "credible" else "interval"
    between = f"between {least} and {most} ({100 * level:.6g}% {what})"
    if missing:
        questions = f"{counted(missing, 'question')} without a label {'is' if missing == 1 else 'are'}"
        return (
            f"{subject} is {between} on {items}, whatever the {questions}, from {labels}; "
            f"about {about} if {'it is' if missing == 1 else 'they are'} like the others."
        )
    return f"{subject} is about {about}: {between} on {items}, from {labels}."


def taken_as_alike(missing: int) -> str:
    """What an interval assumes that does not allow for missing answers.

    >>> taken_as_alike(2)
    'it takes the 2 questions without a label to be like the others'
    """
    questions = "question" if missing == 1 else f"{missing:,} questions"
    return f"it takes the {questions} without a label to be like the others"


def reach(row: Row) -> str:
    """Half the width of an interval, in a sentence; empty where it is exact, promises nothing, or is lopsided.

    >>> reach({"metric": "mcc", "estimate": 0.5, "low": 0.44, "high": 0.56, "promise": "approximate"})
    'Give or take 0.060.'
    """
    known = None not in (row["estimate"], row["low"], row["high"])
    without = ("exact", "spread", "nothing")
    known = known and not row.get("missing")  # which pull to one side
    return f"Give or take {half_width(row)}." if known and kind_of(row["promise"]) not in without else ""


def promise_in_words(row: Row, level: float) -> str:
    """What the interval promises, and no more.

    >>> row = {"metric": "accuracy", "estimate": 0.91, "low": 0.88, "high": 0.94, "labels": 200}
    >>> promise_in_words({**row, "promise": "approximate 95% coverage, whatever the surrogate believes"}, 0.95)
    'Of 100 intervals made this way about 95 hold the true value, however good our guesses of the other labels are.'
    >>> promise_in_words({**row, "promise": "95% credible under the uniform prior"}, 0.95)
    'This is a belief, not coverage: it is as good as the prior it began with.'
    """
    if kind_of(row["promise"]) == "search":
        return NO_INTERVAL
    if None in (row["estimate"], row["low"], row["high"]):
        return "No interval can be given yet."
    out_of = f"{100 * level:.6g}"
    missing = " and whatever the questions without a label are" if row.get("missing") else ""
    made = f"Of 100 intervals made this way about {out_of} hold the true value"
    few = " With so few labels it may be fewer." if row["labels"] < ROUGH_BELOW else ""
    return {
        "exact": "As sure as the labels are: nothing was left to estimate.",
        "spread": NO_COVERAGE,
        "nothing": "This method promises nothing about it: it asked about two groups only.",
        "anytime": f"Of 100 audits made this way at least {out_of} have the true value in the interval at every look, "
        "so you may watch and stop when you like.",
        "credible": "This is a belief, not coverage: it is as good as the prior it began with.",
        "published": "The normal interval of the literature: it fails with few labels, and near 0 and 1.",
        "random": f"{made}, under random sampling{missing}.{few}",
        "approximate": f"{made}, however good our guesses of the other labels are{missing}.{few}",
    }.get(kind_of(row["promise"]), f"The interval's promise: {row['promise']}.")


def half_width(row: Row) -> str:
    """Half the width of an interval.

    >>> half_width({"metric": "accuracy", "low": 0.88, "high": 0.942})
    '3.1 points'
    """
    half, share = (row["high"] - row["low"]) / 2, is_share(row["metric"])
    digits = digits_for(2 * half, share=share) + 1
    return points(half, digits) if share else f"{half:.{digits}f}"


def next_step(row: Row | None, pool: int) -> str:
    """What more labels would bring; the row is one of a forecast, with `within`.

    >>> row = {"metric": "accuracy", "labels": 200, "half_width": 0.04, "labels_needed": 340, "within": 0.03}
    >>> next_step(row, 10_000)
    'About 140 more labels would bring accuracy to ±3 points.'
    >>> next_step({**row, "half_width": 0.02, "labels_needed": 200}, 10_000)
    'No more labels are needed for accuracy within ±3 points.'
    """
    if row is None or "labels_needed" not in row:
        return ""
    metric = named(row["metric"])
    goal = f"±{points(row['within'])}" if is_share(row["metric"]) else f"±{row['within']:g}"
    if row["labels_needed"] is None:
        return f"Answer the questions without a label first: without them, more labels do not bring {metric} to {goal}."
    more = int(row["labels_needed"] - row["labels"])
    if more <= 0:
        return f"No more labels are needed for {metric} within {goal}."
    if row["labels_needed"] >= pool:
        return f"For {metric} within {goal} the whole pool would have to be labelled: {counted(more, 'more label')}."
    return f"About {counted(more, 'more label')} would bring {metric} to {goal}."


def random_needed(row: Row) -> str:
    """What random sampling would have needed for the present precision; the row has `labels` and `random_needed`.

    >>> random_needed({"metric": "accuracy", "labels": 200, "random_needed": 540})
    'Random sampling would have needed about 540 labels for accuracy as precise as this; 200 were spent.'
    """
    few = row["labels"] < ROUGH_BELOW  # of few labels a forecast says little
    if row.get("random_needed") is None or few or row.get("missing"):
        return ""
    needed, spent = int(row["random_needed"]), f"{row['labels']:,} {'was' if row['labels'] == 1 else 'were'} spent"
    about = counted(needed, "label")
    return f"Random sampling would have needed about {about} for {named(row['metric'])} as precise as this; {spent}."


def how_to_answer(missing: Mapping[str, int]) -> str:
    """What brings questions back that have no label.

    >>> how_to_answer({"open": 3, "skip": 1})
    'altmas label and altmas next bring the open ones next; altmas next --again asks about the others once more.'
    """
    waiting = sum(missing.get(name, 0) for name in ("open", "taken_back"))
    settled = sum(missing.get(name, 0) for name in ("unsure", "skip", "disputed"))
    next_up, again = "altmas label and altmas next bring", "altmas next --again asks about"
    if waiting and settled:
        return f"{next_up} the open ones next; {again} the others once more."
    it = "it" if waiting + settled == 1 else "them"
    return f"{next_up} {it} next." if waiting else f"{again} {it} once more."


def unanswered(missing: Mapping[str, int], row: Row | None) -> str:
    """How many questions have no label, and what they could change.

    >>> row = {"metric": "accuracy", "worst_case": 0.88, "best_case": 0.92}
    >>> unanswered({"unsure": 7, "skip": 3, "disputed": 0, "open": 0}, row)
    '10 questions have no label: 7 unsure and 3 skipped. altmas next --again asks about them once more. With all of \
them against the model, accuracy would be about 88.0%; with all for it, about 92.0%.'
    """
    words = {
        "unsure": "unsure", "skip": "skipped", "disputed": "disputed", "taken_back": "taken back", "open": "open"
    }  # fmt: skip
    parts = [f"{missing[name]:,} {word}" for name, word in words.items() if missing.get(name)]
    total = sum(missing.get(name, 0) for name in words)
    if not parts:
        return "Every question asked so far has a label."
    verb = "has" if total == 1 else "have"
    said = f"{counted(total, 'question')} {verb} no label: {listed(parts)}. {how_to_answer(missing)}"
    if row is None or row.get("worst_case") is None or row.get("best_case") is None:
        return said
    least, most = (figure(row[name], share=is_share(row["metric"])) for name in ("worst_case", "best_case"))
    metric = named(row["metric"])
    return f"{said} With all of them against the model, {metric} would be about {least}; with all for it, about {most}."


def calibration_sentence(bins: Sequence[Row], ece: Mapping[str, float] | None, accuracy: Row | None) -> str:
    """What the scores say and what they are worth; too sure, or not sure enough, only where the interval says so.

    >>> bins = [{"size": 10, "score": 0.9}, {"size": 30, "score": 0.98}]
    >>> calibration_sentence(bins, {"estimate": 0.065, "low": 0.03, "high": 0.1}, {"low": 0.84, "high": 0.93})
    'Its scores say 96.0% on average, more than its accuracy (84.0% to 93.0%): it is too sure of itself. \
The expected calibration error is about 6.5% (3.0% to 10.0%).'
    """
    size = sum(row["size"] for row in bins)
    said = sum(row["size"] * row["score"] for row in bins) / size
    out = f"Its scores say {figure(said, share=True)} on average"
    if accuracy and accuracy["low"] is not None and accuracy["high"] is not None:
        low, high = accuracy["low"], accuracy["high"]
        reach = f"its accuracy ({interval(low, high, share=True)})"
        if said > high:
            out += f", more than {reach}: it is too sure of itself"
        elif said < low:
            out += f", less than {reach}: it is better than it says"
        else:
            out += f", in agreement with {reach}"
    if ece is None:
        return f"{out}."
    reach = interval(ece["low"], ece["high"], share=True)
    return f"{out}. The expected calibration error is about {figure(ece['estimate'], share=True)} ({reach})."
