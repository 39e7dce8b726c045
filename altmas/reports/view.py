"""What a page shows of the facts: figures, tables and the pictures of intervals, section by section."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from altmas.plots.heat_maps import PairDisplay
from altmas.reports import figures, surface_tables, tables
from altmas.reports.svg import draw
from altmas.words.wording import Row, clean, digits_for, ends, figure, is_share, named

MOST_CONFUSED = 12
_SCALES = {"mcc": (-1.0, 1.0), "cohen_kappa": (-1.0, 1.0)}


def view(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Everything the template needs beside the facts themselves."""
    models, level = facts["models"], facts["level"]
    several = len(models) > 1
    maps = _maps(models)
    shown = [_model(one, level, f"m{k}", maps[k], several=several) for k, one in enumerate(models)]
    people = facts["agreement"]["annotators"] if facts["agreement"] else facts["status"]["annotators"]
    record = facts["trail"]
    return {
        "models": shown,
        "pictures": [one["picture"] for one in shown if one["picture"]],
        "estimates": tables.estimates_table(models, level) if any(one["estimates"] for one in models) else None,
        "vendors": _vendors(facts["vendors"], level),
        "surface": any(
            one["surface"] or any(why["part"] == "combinations" for why in one["left_out"]) for one in models
        ),
        "forecast": tables.forecast_table(models, facts["method"]) if any(one["forecast"] for one in models) else None,
        "annotators": tables.annotators_table(people) if people else None,
        **tables.record_tables(record),
        "events": tables.events_table(record["events"]),
        "items": None if facts["items"] is None else tables.items_table(facts["items"]),
    }


def picture(row: Row | None) -> dict[str, Any] | None:
    """An interval on its whole scale, in percent of the picture's width; None for a metric without a scale.

    >>> picture({"metric": "accuracy", "estimate": 0.9, "low": 0.85, "high": 0.95})["left"]
    85.0
    """
    if row is None or None in (row["estimate"], row["low"], row["high"]):
        return None
    share = is_share(row["metric"])
    scale = (0.0, 1.0) if share else _SCALES.get(row["metric"])
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
    said = f"{named(row['metric'])} about {value}, between {least} and {most}"
    return {"at": at, "left": left, "wide": max(round(right - left, 2), 0.4), "ticks": ticks, "said": said}


def _maps(models: Sequence[Row]) -> list[list[PairDisplay]]:
    """The heat maps of each model, all with one scale of shades."""
    pairs = [one["surface"]["pairs"] if one["surface"] else [] for one in models]
    made = iter(figures.one_scale([figures.pair_display(pair) for some in pairs for pair in some]))
    return [[next(made) for _ in some] for some in pairs]


def _model(one: Row, level: float, key: str, maps: Sequence[PairDisplay], *, several: bool) -> dict[str, Any]:
    whose = f" of {clean(one['name'])}" if several else ""
    main = next((row for row in one["estimates"] if row["metric"] == one["main"]), None)
    drawn = picture(main)
    overall = main["estimate"] if main and main["metric"] == "accuracy" else None
    return {
        "name": clean(one["name"]),
        "facts": one,
        "picture": {**drawn, "name": clean(one["name"])} if drawn else None,
        "groups": [
            {
                "verdict": found["verdict"],
                "title": "By predicted class" if found["by"] == "class" else f"By {clean(found['by'])}",
                "table": tables.groups_table(found, level),
                "figure": _forest(found, level, overall, f"{key}-g{k}", whose),
            }
            for k, found in enumerate(one["groups"])
        ],
        "comparisons": _comparisons(one["comparisons"], level, f"{key}-d", whose),
        "surface": _surface(one["surface"], level, f"{key}-s", whose, maps),
        "confusion": _confusion(one["confusion"], level, f"{key}-c", whose),
        "calibration": _calibration(one["calibration"], level, f"{key}-r", whose),
        "history": _history(one, level, f"{key}-h", whose),
    }


def _forest(found: Row, level: float, overall: float | None, key: str, whose: str) -> str:
    if all(row["estimate"] is None for row in found["rows"]):
        return ""
    return draw(key, f"Accuracy{whose} by {clean(found['by'])}", figures.forest, found["rows"], level, overall)


def _comparisons(rows: Sequence[Row], level: float, key: str, whose: str) -> dict[str, Any] | None:
    if not rows:
        return None
    known = [row for row in rows if None not in (row["estimate"], row["low"], row["high"])]
    labelled = [{**row, "label": tables.minus(row["a"], row["b"])} for row in known]
    title, rope = f"Differences of accuracy{whose}", rows[0]["rope"]
    drawn = draw(key, title, figures.differences, labelled, rope) if known else ""
    return {"rows": rows, "figure": drawn, "table": tables.comparisons_table(rows, level)}


def _surface(
    found: Row | None, level: float, key: str, whose: str, maps: Sequence[PairDisplay]
) -> dict[str, Any] | None:
    if found is None:
        return None
    drawn = []
    for k, (pair, display) in enumerate(zip(found["pairs"], maps, strict=True)):
        title = " and ".join(map(clean, pair["attributes"]))
        drawn.append(
            {
                "title": title,
                "figure": draw(f"{key}{k}", f"Accuracy{whose} by {title}", figures.pair, display),
                "caption": _map_caption(display),
                "table": surface_tables.pair_table(pair),
            }
        )
    if not drawn:
        [one] = found["attributes"]
        title = clean(one["attribute"])
        drawn = [
            {
                "title": title,
                "figure": draw(f"{key}0", f"Accuracy{whose} by {title}", figures.values, one, level),
                "caption": "Estimated accuracy and its interval, with the number of labels at the right.",
                "table": surface_tables.values_table(one, level),
            }
        ]
    return {"facts": found, "worst": surface_tables.arms_table(found, level), "pictures": drawn}


def _map_caption(display: PairDisplay) -> str:
    shade, *brackets = (f"{note[:1].upper()}{note[1:]}" for note in display.notes)
    shared = "" if display.scale is None else "; the same scale in all maps"
    said = ["Estimated accuracy, and below it the number of labels", f"{shade}{shared}", *brackets, "Hatched: no items"]
    return f"{'. '.join(said)}."


def _confusion(found: Row | None, level: float, key: str, whose: str) -> dict[str, Any] | None:
    if found is None:
        return None
    seen = [row for row in found["cells"] if (row["estimate"] or 0) >= 0.05]
    return {
        "classes": found["classes"],
        "figure": draw(key, f"Confusion{whose}", figures.confusion, found["cells"]) if found["cells"] else "",
        "worst": tables.cells_table(found["worst"][:MOST_CONFUSED], level, MOST_CONFUSED),
        "table": tables.cells_table(seen, level, 400) if seen else tables.cells_table(found["worst"], level, 200),
    }


def _calibration(found: Row | None, level: float, key: str, whose: str) -> dict[str, Any] | None:
    if found is None:
        return None
    drawn = draw(key, f"Accuracy against score{whose}", figures.reliability, found["bins"], level)
    return {"sentence": found["sentence"], "figure": drawn, "table": tables.calibration_table(found["bins"], level)}


def _history(one: Row, level: float, key: str, whose: str) -> dict[str, Any] | None:
    rows = [row for row in one["history"] if None not in (row["estimate"], row["low"], row["high"])]
    main = one["main"]
    if len({row["labels"] for row in rows if row["metric"] == main}) < 2:
        return None
    metrics = list(dict.fromkeys([main, *(row["metric"] for row in rows)]))
    shares = [metric for metric in metrics if is_share(metric)]
    within = one["forecast"][0]["within"] if one["forecast"] else 0.03
    title = f"{named(main)}{whose} and its interval against labels"
    drawn = [draw(f"{key}0", title, figures.history, rows, main)]
    if shares:
        title = f"Width of intervals{whose} against labels"
        drawn.append(draw(f"{key}1", title, figures.widths, rows, shares, within))
    return {"figures": drawn, "table": tables.history_table(one["history"], level)}


def _vendors(found: Row | None, level: float) -> dict[str, Any] | None:
    if found is None:
        return None
    shares = [row for row in found["differences"] if is_share(row["metric"]) and row["estimate"] is not None]
    labelled = [
        {**row, "label": f"{named(row['metric'])}: {tables.minus(row['first'], row['second'])}"} for row in shares[:20]
    ]
    return {
        "sentences": found["sentences"],
        "figure": draw("v-d", "Differences of the models", figures.differences, labelled, None) if labelled else "",
        "best": tables.best_table(found["best"]),
        "table": tables.differences_table(found["differences"], level),
    }
