"""Which columns of a file hold the ids, the predictions and the scores."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from altmas.core.spelling import folded
from altmas.formats.columns import mostly_numbers, numbers, texts
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
    numbered: bool = False
    """Whether predictions are the places of the columns of scores, from 0."""

    @property
    def outputs(self) -> set[str]:
        """Columns that hold what the model said."""
        return {*self.scores.values()} | {one for one in (self.prediction, self.confidence) if one is not None}

    def note(self, subject: str) -> str:
        """A sentence that says which columns were taken, and which of them were guessed."""
        said = [f"id from {self.id!r}"]
        said += [f"predictions from {self.prediction!r}" if self.prediction else "predictions from the highest score"]
        said += [f"which are places of the scores, 0 being {next(iter(self.scores))!r}"] if self.numbered else []
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
        prediction = _guess_prediction([name for name in names if name != key], subject)
        guessed += [prediction] if prediction else []
    else:
        prediction = _there(prediction, names, subject)
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
        confidence = _there(confidence, names, subject)
    else:
        pattern, by_class = _guess_scores(frame, names, prediction)
        confidence = None if by_class else _called(CONFIDENCES, names)
        if confidence is not None and not mostly_numbers(frame[confidence]):
            confidence = None
        guessed += [one for one in (pattern, confidence) if one]
    if prediction is None and not by_class:
        hint = f"Name them with prediction=... or scores=.... Columns: {', '.join(names[:12])}."
        raise InputError(subject, "have a column of predictions, or scores for each class", "neither by name", hint)
    numbered = prediction is not None and _are_places(frame, prediction, by_class)
    return ModelColumns(key, prediction, by_class, confidence, tuple(guessed), numbered)


def named_columns(models: int, opinions: int, **given: str | Sequence[str] | None) -> list[dict[str, str | None]]:
    """The columns named for each file: one name for all, or one for each, models first; opinions may go without.

    >>> named_columns(2, 0, id="case", prediction=["said", "guess"])
    [{'id': 'case', 'prediction': 'said'}, {'id': 'case', 'prediction': 'guess'}]
    """
    files: list[dict[str, str | None]] = [{} for _ in range(models + opinions)]
    for option, names in given.items():
        each: list[str | None] = [names] if names is None or isinstance(names, str) else [*names] or [None]
        if len(each) == 1:
            each *= len(files)
        elif len(each) == models:
            each += [None] * opinions
        if len(each) != len(files):
            rule = "name one column for all files, or one for each in turn"
            raise InputError(option, rule, f"{len(each)} for {len(files)} files")
        for columns, name in zip(files, each, strict=True):
            columns[option] = name
    return files


def id_column(names: Sequence[str], subject: str, wanted: str | None, *, of_model: bool = False) -> str:
    """The column of ids: the one named, else `id`."""
    found = _called(("id",) if wanted is None else (wanted,), names)
    if found is not None:
        return found
    parted = len(names) > 1 or not re.search(r"[|: ]", names[0]) if names else True
    hint = "Name it with id=...." if parted else "Part its cells by commas, semicolons or tabs."
    if parted and of_model and _called(PREDICTIONS, names) is None:
        hint = "Name it with id=..., and the predictions with prediction=...."
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
        if len(found) >= 2 and (
            prediction is None
            or {*map(folded, texts(frame[prediction]))} & {*map(folded, found)}
            or _are_places(frame, prediction, found)
        ):
            return pattern, found
    return "", {}


def _are_places(frame: pd.DataFrame, prediction: str, scores: Mapping[str, str]) -> bool:
    """Whether predictions are numbers from 0 where columns of scores have names, and the highest score is at each."""
    said = [folded(one) for one in texts(frame[prediction])]
    known = {str(place) for place in range(len(scores))}
    if len(scores) < 2 or not known >= {*said} - {""} or {*map(folded, scores)} & known or not any(said):
        return False
    try:
        table = np.column_stack([numbers(frame[name], name, may_miss=True) for name in scores.values()])
    except InputError:
        return False
    highest = np.where(np.isnan(table), -np.inf, table).argmax(1)
    agree = [int(one) == place for one, place in zip(said, highest.tolist(), strict=True) if one]
    return bool(sum(agree) >= 0.9 * len(agree))


def _guess_prediction(names: Sequence[str], subject: str) -> str | None:
    """The column with a common name; `label` and `class` may as well be the truth beside what a model said."""
    found = _called(PREDICTIONS, names)
    others = [name for name in names if name != found and _PREDICTED.search(name.casefold())]
    if found is not None and folded(found) in MAY_BE_TRUTH and others:
        got = f"{found!r} and {', '.join(map(repr, others[:5]))}"
        hint = f"Say which: prediction={others[0]!r}, or prediction={found!r}."
        raise InputError(subject, "have one column of predictions", got, hint)
    return found


MAY_BE_TRUTH = ("label", "class")
_PREDICTED = re.compile(r"pred(ict|_|\b)|(model|classifier|vendor).*(said|output|label|class)")


def _called(wanted: Sequence[str], names: Sequence[str]) -> str | None:
    """The first of these names that a column has: exactly, else but for case and blanks around it, if one has it so."""
    for one in wanted:
        alike = [name for name in names if folded(name) == folded(one)]
        if one in names or len(alike) == 1:
            return one if one in names else alike[0]
    return None


def _there(name: str, names: Sequence[str], subject: str) -> str:
    found = _called((name,), names)
    if found is None:
        hint = "An option given once names the column of every file; given once for each file, that of each in turn."
        raise InputError(subject, f"have a column {name!r}", f"columns {list(names)[:12]}", hint)
    return found
