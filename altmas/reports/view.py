"""What a page shows beside the facts and their tables: figures, and pictures of intervals, model by model."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from altmas.plots.heat_maps import PairDisplay
from altmas.reports import figures, tables_surface
from altmas.reports.numbers import minus
from altmas.reports.svg import draw
from altmas.words.language import sentence
from altmas.words.wording import Row, clean, digits_for, ends, figure, is_share, listed, named

_SCALES = {"mcc": (-1.0, 1.0), "cohen_kappa": (-1.0, 1.0)}


def view(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Everything that is drawn; a figure is '' where there is nothing to draw."""
    models, level = facts["models"], facts["level"]
    whose = [sentence(" of {model}", model=clean(one["name"])) if len(models) > 1 else "" for one in models]
    maps = _maps(models)
    shown = [_model(one, level, f"m{k}", maps[k], whose[k]) for k, one in enumerate(models)]
    return {
        "models": shown,
        "pictures": [one["picture"] for one in shown if one["picture"]],
        "vendors": _vendors(facts["vendors"]) if facts["vendors"] else "",
        "ranked": ranked(facts["vendors"]["ranking"]) if facts["vendors"] else [],
    }


def ranked(rows: Sequence[Row]) -> list[dict[str, Any] | None]:
    """The intervals of several models on one scale, no wider than they need; none where the metric is no share.

    >>> row = {"metric": "accuracy", "estimate": 0.9, "low": 0.85, "high": 0.95}
    >>> [one["ticks"][0] for one in ranked([row, {**row, "estimate": 0.7, "low": 0.68, "high": 0.72}])]
    ['60%', '60%']
    """
    known = [row for row in rows if _known(row) and is_share(row["metric"])]
    if not known:
        return [None for _ in rows]
    bottom = max(math.floor(10 * min(row["low"] for row in known) + 1e-9) / 10, 0.0)
    top = min(math.ceil(10 * max(row["high"] for row in known) - 1e-9) / 10, 1.0)
    return [picture(row, (bottom, max(top, bottom + 0.1))) for row in rows]


def picture(row: Row | None, scale: tuple[float, float] | None = None) -> dict[str, Any] | None:
    """An interval on its whole scale, or another; in percent of the picture's width. None for a metric without a scale.

    >>> picture({"metric": "accuracy", "estimate": 0.9, "low": 0.85, "high": 0.95})["left"]
    85.0
    """
    if row is None or None in (row["estimate"], row["low"], row["high"]):
        return None
    share = is_share(row["metric"])
    scale = scale or ((0.0, 1.0) if share else _SCALES.get(row["metric"]))
    if scale is None:
        return None
    bottom, top = scale
    at, left, right = (
        round(100 * (min(max(row[name], bottom), top) - bottom) / (top - bottom), 2)
        for name in ("estimate", "low", "high")
    )
    ticks = [figure(bottom + (top - bottom) * k / 4, share=share, digits=0 if share else 1) for k in range(5)]
    digits = digits_for(row["high"] - row["low"], share=share)
    least, most = ends(row["low"], row["high"], share=share, digits=digits)
    value = figure(row["estimate"], share=share, digits=digits)
    said = sentence(
        "{metric} about {value}, between {low} and {high}",
        metric=named(row["metric"]), value=value, low=least, high=most,
    )  # fmt: skip
    return {"at": at, "left": left, "wide": max(round(right - left, 2), 0.4), "ticks": ticks, "said": said}


def _maps(models: Sequence[Row]) -> list[list[PairDisplay]]:
    """The heat maps of each model, all with one scale of shades."""
    pairs = [one["surface"]["pairs"] if one["surface"] else [] for one in models]
    made = iter(figures.one_scale([figures.pair_display(pair) for some in pairs for pair in some]))
    return [[next(made) for _ in some] for some in pairs]


def _model(one: Row, level: float, key: str, maps: Sequence[PairDisplay], whose: str) -> dict[str, Any]:
    main = next((row for row in one["estimates"] if row["metric"] == one["main"]), None)
    drawn = picture(main)
    overall = main["estimate"] if main and main["metric"] == "accuracy" else None
    cells = (one["confusion"] or {}).get("cells")
    return {
        "name": clean(one["name"]),
        "facts": one,
        "picture": {**drawn, "name": clean(one["name"])} if drawn else None,
        "groups": [
            _forest(found, level, overall, f"{key}-g{k}", whose, one["recalls"])
            for k, found in enumerate(one["groups"])
        ],
        "comparisons": _comparisons(one["comparisons"], f"{key}-d", whose),
        "surface": _surface(one["surface"], level, f"{key}-s", whose, maps) if one["surface"] else [],
        "confusion": _confusion(cells, f"{key}-c", whose),
        "calibration": _calibration(one["calibration"], level, f"{key}-r", whose),
        "history": _history(one, f"{key}-h", whose),
    }


def _forest(found: Row, level: float, overall: float | None, key: str, whose: str, recalls: Row | None) -> str:
    if all(row["estimate"] is None for row in found["rows"]):
        return ""
    if found["by"] == "class" and recalls is not None:
        title = sentence("Precision and recall{whose} by class", whose=whose)
        return draw(key, title, figures.forest, found["rows"], level, overall, recalls["rows"])
    title = _accuracy_by(sentence("class") if found["by"] == "class" else clean(found["by"]), whose)
    return draw(key, title, figures.forest, found["rows"], level, overall)


def _accuracy_by(by: str, whose: str) -> str:
    return sentence("Accuracy{whose} by {by}", whose=whose, by=by)


def _confusion(cells: Sequence[Row] | None, key: str, whose: str) -> str:
    return draw(key, sentence("Confusion{whose}", whose=whose), figures.confusion, cells) if cells else ""


def _comparisons(rows: Sequence[Row], key: str, whose: str) -> str:
    labelled = [{**row, "label": minus(row["a"], row["b"])} for row in rows if _known(row)]
    title = sentence("Differences of accuracy{whose}", whose=whose)
    return draw(key, title, figures.differences, labelled, rows[0]["rope"]) if labelled else ""


def _surface(found: Row, level: float, key: str, whose: str, maps: Sequence[PairDisplay]) -> list[dict[str, Any]]:
    """Pictures with a title, a caption and their table: of pairs of attributes, or of the values of a single one."""
    if not maps:
        [one] = found["attributes"]
        by = clean(one["attribute"])
        drawn = draw(f"{key}0", _accuracy_by(by, whose), figures.values, one, level)
        caption = sentence("Estimated accuracy and its interval, with the number of labels at the right.")
        return [{"title": by, "figure": drawn, "caption": caption, "table": tables_surface.values_table(one, level)}]
    pictures = []
    for k, (pair, display) in enumerate(zip(found["pairs"], maps, strict=True)):
        by = listed(map(clean, pair["attributes"]))
        drawn = draw(f"{key}{k}", _accuracy_by(by, whose), figures.pair, display)
        caption = _map_caption(display)
        pictures.append({"title": by, "figure": drawn, "caption": caption, "table": tables_surface.pair_table(pair)})
    return pictures


def _map_caption(display: PairDisplay) -> str:
    shade, *brackets = (f"{note[:1].upper()}{note[1:]}" for note in display.notes)
    shared = "" if display.scale is None else sentence("; the same scale in all maps")
    what = sentence("Estimated accuracy, and below it the number of labels")
    said = [what, f"{shade}{shared}", *brackets, sentence("Hatched: no items")]
    return f"{'. '.join(said)}."


def _calibration(found: Row | None, level: float, key: str, whose: str) -> str:
    title = sentence("Accuracy against score{whose}", whose=whose)
    return draw(key, title, figures.reliability, found["bins"], level) if found else ""


def _history(one: Row, key: str, whose: str) -> list[str]:
    rows, main = [row for row in one["history"] if _known(row)], one["main"]
    if len({row["labels"] for row in rows if row["metric"] == main}) < 2:
        return []
    metrics = list(dict.fromkeys([main, *(row["metric"] for row in rows)]))
    shares = [metric for metric in metrics if is_share(metric)]
    within = one["forecast"][0]["within"] if one["forecast"] else 0.03
    title = sentence("{metric}{whose} and its interval against labels", metric=named(main), whose=whose)
    drawn = [draw(f"{key}0", title, figures.history, rows, main)]
    if shares:
        title = sentence("Width of intervals{whose} against labels", whose=whose)
        drawn.append(draw(f"{key}1", title, figures.widths, rows, shares, within))
    return drawn


def _vendors(found: Row) -> str:
    shares = [row for row in found["differences"] if is_share(row["metric"]) and row["estimate"] is not None]
    labelled = [
        {**row, "label": f"{named(row['metric'])}: {minus(row['first'], row['second'])}"} for row in shares[:20]
    ]
    return draw("v-d", sentence("Differences of the models"), figures.differences, labelled, None) if labelled else ""


def _known(row: Row) -> bool:
    return None not in (row["estimate"], row["low"], row["high"])
