"""What the sheets of a workbook hold: the facts of a report as rows of words and numbers, in full precision."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from altmas.words.columns import head_in_words
from altmas.words.events import event_words
from altmas.words.language import sentence
from altmas.words.promises import promised
from altmas.words.wording import Row, is_share, named

Cell = tuple[Any, bool]
"""A value, and whether it is a share, to be shown in percent."""

_OF_METRIC = {"estimate", "low", "high", "plug_in", "design", "worst_case", "best_case", "low_alike", "high_alike"}
_ALWAYS_SHARES = {"share", "score", "bias"}
_SAID = {"metric": named, "promise": promised}
"""Keys whose values are data, and said in words."""

_NOT_TOLD = {"error", "below", "above", "sentence", "note", "plug_in_error"}


@dataclass(frozen=True)
class Sheet:
    """A name, the heads of its columns, and rows of cells."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    @classmethod
    def of(cls, name: str, rows: Sequence[Row], metric: str = "") -> Sheet:
        """Rows as they are: a column for every key that holds words or numbers; `metric` where the rows name none.

        >>> Sheet.of("Classes", [{"class": "cat", "estimate": 0.5}], "accuracy").rows
        ((('cat', False), (0.5, True)),)
        """
        names = [
            key
            for key in dict.fromkeys(key for row in rows for key in row)
            if key not in _NOT_TOLD and not any(isinstance(row.get(key), list | dict) for row in rows)
        ]
        made = tuple(tuple(_cell(row, key, metric) for key in names) for row in rows)
        return cls(name, tuple(head_in_words(key) for key in names), made)


def sheets(facts: Mapping[str, Any]) -> list[Sheet]:
    """Every table there is, an empty one left out; what was found comes first."""
    found = [_summary(facts), *_of_all(facts)]
    several = len(facts["models"]) > 1
    for one in facts["models"]:
        whose = f" {one['name']}" if several else ""
        found += [Sheet(f"{sheet.name}{whose}", sheet.columns, sheet.rows) for sheet in _of_model(one)]
    found += _of_people(facts)
    if facts["trail"] is not None:
        found += _of_record(facts["trail"])
    if facts["items"] is not None:
        found.append(Sheet.of(sentence("Items"), [_item(one) for one in facts["items"]]))
    return [one for one in found if one.rows]


def _summary(facts: Mapping[str, Any]) -> Sheet:
    kind = sentence("audit" if facts["kind"] == "audit" else "assessment")
    told: list[tuple[str, Any]] = [(sentence("report"), facts["title"] or kind)]
    told += [(sentence("verdict"), one) for one in facts["headline"]]
    for one in dict.fromkeys(one["verdict"]["promise"] for one in facts["models"]):
        told += [(sentence("how sure"), one)] if one else []
    told += [(sentence("target"), row["sentence"]) for row in (facts["targets"] or {"rows": []})["rows"]]
    told += [(sentence("no answer"), row["sentence"]) for row in facts["no_answer"] if row["sentence"]]
    told += [(sentence("labels"), facts["labels"]), (sentence("items"), facts["pool"]["size"])]
    told += [(sentence("method"), facts["method"]), (sentence("level"), facts["level"])]
    told += [(sentence("as of"), facts["as_of"] or sentence("not told"))]
    told += [(sentence("warning"), one) for one in facts["warnings"]]
    told += [(sentence("assumption"), one) for one in facts["assumptions"]]
    return _pairs(sentence("Summary"), told, (sentence("what"), sentence("says")))


def _of_all(facts: Mapping[str, Any]) -> list[Sheet]:
    models, vendors = facts["models"], facts["vendors"] or {"best": [], "differences": []}
    targets = facts["targets"]["rows"] if facts["targets"] else []
    return [
        Sheet.of(sentence("Targets"), targets),
        Sheet.of(sentence("Estimates"), _whose(models, "estimates")),
        Sheet.of(sentence("Ranking"), vendors["best"]),
        Sheet.of(sentence("Differences"), vendors["differences"]),
        Sheet.of(sentence("No answer"), [row for row in facts["no_answer"] if row["items"]]),
        Sheet.of(sentence("Labels and precision"), _whose(models, "forecast")),
        Sheet.of(sentence("Estimates against labels"), _whose(models, "history")),
    ]


def _of_model(one: Row) -> list[Sheet]:
    found = [Sheet.of(_by(group["by"]), group["rows"], group["metric"]) for group in one["groups"]]
    recalls = one["recalls"]["rows"] if one["recalls"] else []
    confusion = one["confusion"] or {"cells": [], "worst": []}
    found += [
        Sheet.of(sentence("Recall by true class"), recalls, "recall:"),
        Sheet.of(sentence("Comparisons"), one["comparisons"], "accuracy"),
        Sheet.of(sentence("Confusion"), confusion["cells"] or confusion["worst"]),
        Sheet.of(sentence("Calibration"), one["calibration"]["bins"] if one["calibration"] else [], "accuracy"),
    ]
    if one["surface"]:
        arms = [{**row["values"], **{k: v for k, v in row.items() if k != "values"}} for row in one["surface"]["arms"]]
        found.append(Sheet.of(sentence("Combinations"), arms, "accuracy"))
    return found


def _of_people(facts: Mapping[str, Any]) -> list[Sheet]:
    agreement, people = facts["agreement"] or {}, facts["people"] or {}
    conduct = [(name, value) for name, value in (facts["conduct"] or {}).items() if not isinstance(value, list)]
    return [
        Sheet.of(sentence("Declared classes"), facts["classes_seen"]),
        Sheet.of(sentence("Annotators"), agreement.get("by_annotator", [])),
        Sheet.of(sentence("Agreement by class"), agreement.get("by_class", [])),
        Sheet.of(sentence("If answers are wrong"), people.get("sensitivity", [])),
        _pairs(sentence("Conduct"), conduct, (sentence("what"), sentence("how often"))),
    ]


def _of_record(trail: Row) -> list[Sheet]:
    events = [
        {"number": one["seq"], "time (UTC)": one["at"], "event": one["kind"],
         "what": event_words(one["kind"], one["body"]), "hash": one["hash"]}
        for one in trail["events"]
    ]  # fmt: skip
    settings = [(name, value) for name, value in trail["settings"].items()]
    return [
        _pairs(sentence("Inputs"), trail["inputs"].items(), (sentence("file"), "SHA-256")),
        _pairs(sentence("Settings"), settings, (sentence("setting"), sentence("value"))),
        _pairs(sentence("Versions"), trail["versions"].items(), (sentence("of"), sentence("version"))),
        Sheet.of(sentence("Events"), events),
    ]


def _item(one: Row) -> dict[str, Any]:
    answers = {"annotator": "; ".join(str(a["annotator"]) for a in one["answers"])}
    answers["label"] = "; ".join(str(a["label"]) for a in one["answers"])
    answers["note"] = "; ".join(a["note"] for a in one["answers"] if a["note"])
    content = {sentence("content: {name}", name=name): value for name, value in one["content"].items()}
    return {"id": one["id"], **answers, **content}


def _whose(models: Sequence[Row], part: str) -> list[dict[str, Any]]:
    """The rows of all models, each with its model first where there are several."""
    several = len(models) > 1
    return [{**({"model": one["name"]} if several else {}), **row} for one in models for row in one[part]]


def _pairs(name: str, pairs: Iterable[tuple[str, Any]], heads: tuple[str, str]) -> Sheet:
    plain = (str, int, float, bool)
    rows = tuple(((key, False), (value if isinstance(value, plain) else _text(value), False)) for key, value in pairs)
    return Sheet(name, heads, rows)


def _text(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(_text, value))
    return "" if value is None else str(value)


def _cell(row: Row, key: str, metric: str) -> Cell:
    value = row.get(key)
    if key in _SAID:
        return _SAID[key](str(value)), False
    of = str(row.get("metric", metric))
    return value, key in _ALWAYS_SHARES or (key in _OF_METRIC and bool(of) and is_share(of))


def _by(groups: str) -> str:
    return sentence("By {by}", by=sentence("predicted class") if groups == "class" else groups)
