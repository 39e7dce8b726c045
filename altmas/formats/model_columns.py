"""Which columns of a file hold the ids, the predictions and the scores."""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from altmas.formats.columns import texts
from altmas.metrics.errors import InputError

PREDICTIONS = ("prediction", "predicted", "label", "class")
SCORES = ("p_*", "prob_*")
CONFIDENCES = ("score", "confidence")


@dataclass(frozen=True)
class ModelColumns:
    """Names of columns: ids; predictions; scores by the class they are of; or one confidence."""

    id: str
    prediction: str | None
    scores: Mapping[str, str]
    confidence: str | None
    guessed: tuple[str, ...] = ()

    @property
    def outputs(self) -> set[str]:
        """Columns that hold what the model said."""
        return {*self.scores.values()} | {one for one in (self.prediction, self.confidence) if one is not None}

    def note(self, subject: str) -> str:
        """A sentence that says which columns were taken, and which of them were guessed."""
        said = [f"id from {self.id!r}"]
        said += [f"predictions from {self.prediction!r}" if self.prediction else "predictions from the highest score"]
        said += [f"scores of {len(self.scores)} classes"] if self.scores else []
        said += [f"confidence from {self.confidence!r}"] if self.confidence else []
        guess = f" (guessed by name: {', '.join(map(repr, self.guessed))})" if self.guessed else ""
        return f"{subject}: {', '.join(said)}{guess}"


def model_columns(
    frame: pd.DataFrame,
    subject: str,
    id: str | None = None,
    prediction: str | None = None,
    scores: str | None = None,
    confidence: str | None = None,
) -> ModelColumns:
    """The columns named, or else those with a common name.

    >>> frame = pd.DataFrame({"id": ["a"], "label": ["cat"], "p_cat": [0.9], "p_dog": [0.1]})
    >>> model_columns(frame, "vendor.csv").note("vendor.csv")
    "vendor.csv: id from 'id', predictions from 'label', scores of 2 classes (guessed by name: 'id', 'label', 'p_*')"
    """
    names = [str(name) for name in frame.columns]
    guessed: list[str] = []
    key = id_column(names, subject, id)
    guessed += [key] if id is None else []
    if prediction is None:
        prediction = next((name for name in PREDICTIONS if name in names and name != key), None)
        guessed += [prediction] if prediction else []
    else:
        _there(prediction, names, subject)
    if scores is not None and confidence is not None:
        raise InputError("scores", "be given once", f"scores {scores!r} and confidence {confidence!r}")
    if scores is not None and "*" not in scores:
        scores, confidence = None, scores
    by_class: Mapping[str, str] = {}
    if scores is not None:
        by_class = by_pattern(names, scores)
        if len(by_class) < 2:
            hint = f"scores='p_*' takes p_cat, p_dog and so on. Columns: {', '.join(names[:12])}."
            raise InputError(f"scores {scores!r}", f"match a column for each class of {subject}", len(by_class), hint)
    elif confidence is not None:
        _there(confidence, names, subject)
    else:
        pattern, by_class = _guess_scores(frame, names, prediction)
        confidence = None if by_class else next((name for name in CONFIDENCES if name in names), None)
        guessed += [one for one in (pattern, confidence) if one]
    if prediction is None and not by_class:
        hint = f"Name them with prediction=... or scores=.... Columns: {', '.join(names[:12])}."
        raise InputError(subject, "have a column of predictions, or scores for each class", "neither by name", hint)
    return ModelColumns(key, prediction, by_class, confidence, tuple(guessed))


def id_column(names: Sequence[str], subject: str, wanted: str | None) -> str:
    """The column of ids: the one named, else `id`."""
    if wanted is not None and wanted in names:
        return wanted
    if wanted is None and "id" in names:
        return "id"
    hint = "Name it with id=...."
    raise InputError(subject, f"have a column {wanted or 'id'!r} of ids", f"columns {list(names)[:12]}", hint)


def by_pattern(names: Sequence[str], pattern: str) -> dict[str, str]:
    """Columns by the part of their name that the star stands for.

    >>> by_pattern(["id", "p_cat", "p_dog"], "p_*")
    {'cat': 'p_cat', 'dog': 'p_dog'}
    """
    if pattern.count("*") != 1:
        raise InputError("scores", "have one * for the class's name", repr(pattern))
    before, after = pattern.split("*")
    found = {}
    for name in names:
        if len(name) > len(before) + len(after) and name.startswith(before) and name.endswith(after):
            found[name[len(before) : len(name) - len(after)]] = name
    return found


def smells_of_a_model(name: str) -> bool:
    """Whether a column's name sounds like a model's output, or like the truth: neither is for annotators to see.

    >>> [name for name in ("text", "Pred_Class", "p_cat", "confidence", "label", "region") if smells_of_a_model(name)]
    ['Pred_Class', 'p_cat', 'confidence', 'label']
    """
    low = name.strip().casefold()
    telling = ("predict", "pred_", "score", "prob", "conf", "logit", "softmax", "y_true", "y_pred", "truth", "label")
    whole = {"pred", "class", "target", "answer", "gold"}
    return low in whole or any(word in low for word in telling) or fnmatch.fnmatchcase(low, "p_*")


def _guess_scores(frame: pd.DataFrame, names: Sequence[str], prediction: str | None) -> tuple[str, dict[str, str]]:
    """Columns that match a common pattern, if what it stands for are the classes predicted."""
    for pattern in SCORES:
        found = by_pattern(names, pattern)
        if len(found) >= 2 and (prediction is None or {*texts(frame[prediction])} & found.keys()):
            return pattern, found
    return "", {}


def _there(name: str, names: Sequence[str], subject: str) -> None:
    if name not in names:
        hint = "A column named by an option must be in every file; without the option common names are tried."
        raise InputError(subject, f"have a column {name!r}", f"columns {list(names)[:12]}", hint)
