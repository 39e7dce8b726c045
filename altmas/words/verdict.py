"""The verdict: what the numbers say, in sentences that never say more than the promise of their interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from altmas.words.clusters import clusters_in
from altmas.words.language import sentence, to_say
from altmas.words.promises import ROUGH_BELOW, kind_of
from altmas.words.wording import (
    Row,
    counted,
    digits_for,
    ends,
    figure,
    interval,
    is_share,
    level_of,
    marked,
    named,
    points,
)

_TOO_SURE = to_say("Its scores say {scores} on average, more than its accuracy ({interval}): it is too sure of itself.")
_TOO_MODEST = to_say(
    "Its scores say {scores} on average, less than its accuracy ({interval}): it is better than it says."
)
_AGREES = to_say("Its scores say {scores} on average, in agreement with its accuracy ({interval}).")


def no_labels() -> str:
    """What is said before the first label.

    >>> no_labels()
    'No item has a label yet, so nothing can be said about how good it is.'
    """
    return sentence("No item has a label yet, so nothing can be said about how good it is.")


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
    subject = metric[:1].upper() + metric[1:]
    if of:
        subject = sentence("{metric} of {model}", metric=subject, model=of)
    value, low, high, missing = row["estimate"], row["low"], row["high"], row.get("missing")
    labels, items = counted(row["labels"], "label"), counted(pool, "item")
    whole: dict[str, str] = {"subject": subject, "items": items, "labels": labels}
    if value is None:
        return sentence("{subject} cannot be told yet from {labels}.", **whole)
    kind = kind_of(row["promise"])
    if kind == "exact":
        return sentence(
            "{subject} is exactly {value} on these {items}: every one of them is labelled.",
            value=figure(value, share=share, digits=2), **whole,
        )  # fmt: skip
    if low is None or high is None:
        return sentence(
            "{subject} is about {about} on these {items}, from {labels}; how sure is not known.",
            about=figure(value, share=share), **whole,
        )  # fmt: skip
    digits = digits_for(high - low, share=share)
    whole["about"] = figure(value, share=share, digits=digits)
    least, most = ends(low, high, share=share, digits=digits)
    if kind == "spread":
        return sentence(
            "{subject} is about {about} by guesses of the labels, on these {items}, from {labels}; "
            "the guesses lie between {low} and {high}.",
            low=least, high=most, **whole,
        )  # fmt: skip
    whole["between"] = sentence(
        "between {low} and {high} ({level}% credible interval)"
        if kind == "credible"
        else "between {low} and {high} ({level}% interval)",
        low=least, high=most, level=level_of(level),
    )  # fmt: skip
    if clusters := clusters_in(row["promise"]):
        return _of_clusters(whole, marked(clusters), missing or 0)
    return _of_this_pool(whole, missing or 0)


def _of_this_pool(whole: Mapping[str, str], missing: int) -> str:
    if missing:
        return sentence(
            "{subject} is {between} on these {items}, whatever the {questions} without a label is, from {labels}; "
            "about {about} if it is like the others."
            if missing == 1
            else "{subject} is {between} on these {items}, whatever the {questions} without a label are, "
            "from {labels}; about {about} if they are like the others.",
            questions=counted(missing, "question"), **whole,
        )  # fmt: skip
    return sentence("{subject} is about {about}: {between} on these {items}, from {labels}.", **whole)


def _of_clusters(whole: Mapping[str, str], clusters: str, missing: int) -> str:
    if missing:
        return sentence(
            "{subject} is {between} on clusters like these {clusters}, whatever the {questions} without a label is, "
            "from {labels}; about {about} if it is like the others."
            if missing == 1
            else "{subject} is {between} on clusters like these {clusters}, whatever the {questions} without a label "
            "are, from {labels}; about {about} if they are like the others.",
            questions=counted(missing, "question"), clusters=clusters, **whole,
        )  # fmt: skip
    return sentence(
        "{subject} is about {about}: {between} on clusters like these {clusters}, from {labels}.",
        clusters=clusters, **whole,
    )  # fmt: skip


def reach(row: Row) -> str:
    """Half the width of an interval, in a sentence; empty where it is exact, promises nothing, or is lopsided.

    >>> reach({"metric": "mcc", "estimate": 0.5, "low": 0.44, "high": 0.56, "promise": "approximate"})
    'Give or take 0.060.'
    """
    known = None not in (row["estimate"], row["low"], row["high"])
    without = ("exact", "spread", "nothing")
    known = known and not row.get("missing")  # which pull to one side
    if not known or kind_of(row["promise"]) in without:
        return ""
    return sentence("Give or take {half_width}.", half_width=half_width(row))


def half_width(row: Row) -> str:
    """Half the width of an interval.

    >>> half_width({"metric": "accuracy", "low": 0.88, "high": 0.942})
    '3.1 points'
    """
    half, share = (row["high"] - row["low"]) / 2, is_share(row["metric"])
    digits = digits_for(2 * half, share=share) + 1
    return points(half, digits) if share else marked(f"{half:.{digits}f}")


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
    within = points(row["within"]) if is_share(row["metric"]) else marked(f"{row['within']:g}")
    about = {"metric": named(row["metric"]), "goal": f"±{within}"}
    if row["labels_needed"] is None and (row.get("least_half_width") or 0.0) >= row["within"]:
        least = row["least_half_width"]
        reach = points(least) if is_share(row["metric"]) else marked(f"{least:g}")
        return sentence(
            "No number of labels from this pool brings {metric} to {goal}: with every item labelled it would still be "
            "about {least}, and only more clusters bring it below.",
            least=f"±{reach}", **about,
        )  # fmt: skip
    if row["labels_needed"] is None:
        return sentence(
            "Answer the questions without a label first: without them, more labels do not bring {metric} to {goal}.",
            **about,
        )
    more = int(row["labels_needed"] - row["labels"])
    if more <= 0:
        return sentence("No more labels are needed for {metric} within {goal}.", **about)
    labels = counted(more, "more label")
    if row["labels_needed"] >= pool:
        return sentence(
            "For {metric} within {goal} the whole pool would have to be labelled: {labels}.", labels=labels, **about
        )
    return sentence("About {labels} would bring {metric} to {goal}.", labels=labels, **about)


def random_needed(row: Row) -> str:
    """What random sampling would have needed for the present precision; the row has `labels` and `random_needed`.

    >>> random_needed({"metric": "accuracy", "labels": 200, "random_needed": 540})
    'Random sampling would have needed about 540 labels for accuracy as precise as this; 200 were spent.'
    """
    few = row["labels"] < ROUGH_BELOW  # of few labels a forecast says little
    if row.get("random_needed") is None or few or row.get("missing"):
        return ""
    return sentence(
        "Random sampling would have needed about {labels} for {metric} as precise as this; {spent} were spent.",
        labels=counted(int(row["random_needed"]), "label"), metric=named(row["metric"]),
        spent=marked(f"{row['labels']:,}"),
    )  # fmt: skip


def calibration_sentence(bins: Sequence[Row], ece: Mapping[str, float] | None, accuracy: Row | None) -> str:
    """What the scores say and what they are worth; too sure, or not sure enough, only where the interval says so.

    >>> bins = [{"size": 10, "score": 0.9}, {"size": 30, "score": 0.98}]
    >>> calibration_sentence(bins, {"estimate": 0.065, "low": 0.03, "high": 0.1}, {"low": 0.84, "high": 0.93})
    'Its scores say 96.0% on average, more than its accuracy (84.0% to 93.0%): it is too sure of itself. \
The expected calibration error is about 6.5% (3.0% to 10.0%).'
    """
    size = sum(row["size"] for row in bins)
    said = sum(row["size"] * row["score"] for row in bins) / size
    values = {"scores": figure(said, share=True)}
    if accuracy and accuracy["low"] is not None and accuracy["high"] is not None:
        low, high = accuracy["low"], accuracy["high"]
        values["interval"] = interval(low, high, share=True)
        out = sentence(_TOO_SURE if said > high else _TOO_MODEST if said < low else _AGREES, **values)
    else:
        out = sentence("Its scores say {scores} on average.", **values)
    if ece is None:
        return out
    error = sentence(
        "The expected calibration error is about {error} ({interval}).",
        error=figure(ece["estimate"], share=True), interval=interval(ece["low"], ece["high"], share=True),
    )  # fmt: skip
    return f"{out} {error}"
