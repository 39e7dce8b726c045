"""What the numbers rest on, and what should make a reader careful."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from altmas.words.language import sentence, to_say
from altmas.words.promises import NO_COVERAGE, kind_of, promised
from altmas.words.wording import Row, counted, level_of, marked, named

_ABOUT_INTERVALS = {
    "approximate": to_say(
        "The items were drawn with known chances, and every estimate is corrected by what the labels "
        "showed. Its interval covers approximately, whatever the surrogate believes; a better surrogate makes it "
        "narrower, a worse one wider."
    ),
    "random": to_say(
        "The items were drawn uniformly at random, and the numbers are those of the labelled items alone."
    ),
    "clusters": to_say(
        "The items were drawn with known chances, and every estimate is corrected by what the labels showed. Its "
        "interval has two parts: labels that were not asked for, and clusters that are not in this pool. More labels "
        "make the first smaller; the second only more clusters do."
    ),
    "anytime": to_say(
        "The intervals of the metrics hold at all looks together: they may be watched, and the audit stopped at "
        "any time. Those of groups, comparisons, cells and score bins are ordinary: approximate, and at one look."
    ),
    "credible": to_say("The intervals are credible under the method's prior. They promise no coverage."),
    "spread": to_say("The numbers are the surrogate's own, and inherit its bias."),
    "exact": to_say("Every item is labelled, so the numbers are counted, not estimated."),
    "search": to_say(
        "The questions were chosen to find the best model, not to measure it. How good each model is, the "
        "numbers say only roughly, and promise nothing."
    ),
    "nothing": to_say("The method asked about two groups only. Its numbers about the whole pool promise nothing."),
}


def assumptions(
    kinds: Iterable[str], pool: int, missing: int, level: float, *, experts: bool = False, about: str = ""
) -> list[str]:
    """Sentences a reader should know, given the kinds of promises made.

    `about` says what the numbers are about, where that is not the pool alone.

    >>> assumptions(["exact"], 100, 0, 0.95)[1]
    'Every item is labelled, so the numbers are counted, not estimated.'
    """
    found = sorted(set(kinds))
    out = [
        about
        or sentence(
            "The numbers are about the {items} of this pool. How the model does elsewhere they do not say.",
            items=counted(pool, "item"),
        )
    ]
    out += [_about_intervals(kind) for kind in found if kind in _ABOUT_INTERVALS]
    if experts:
        said = sentence(
            "What experts read is taken as the truth. Mistakes of annotators are allowed for, by what experts changed "
            "in the answers that were drawn for them; mistakes of experts are not."
        )
    else:
        said = sentence(
            "Labels are taken as the truth. Mistakes of annotators are in the numbers, and not in the intervals: what "
            "they would change is told beside the answers, and second readings by an expert correct it."
        )
    out.append(said)
    if {"approximate", "clusters", "random"} & set(found):
        one_look = sentence(
            "An interval is meant for one look at a number of labels set beforehand. "
            "Who watches and stops when it looks good has a somewhat smaller chance than it says."
        )
        if "anytime" not in found:
            out.append(one_look)
        each = sentence(
            "Each interval stands for itself: of many at {level}%, about one in {number} misses.",
            level=level_of(level), number=marked(f"{round(1 / (1 - level)):,}"),
        )  # fmt: skip
        out += [each, sentence("P(worst) and P(best) are approximate: errors are taken as normal.")]
    if missing:
        cases = sentence(
            "Questions without a label: the estimate of certified allows for their being skipped more where the model "
            "is wrong, as far as who answered shows that. Its intervals, and those of random, allow for the worst and "
            "the best case."
        )
        out.append(cases)
    return out


def _about_intervals(kind: str) -> str:
    about = sentence(_ABOUT_INTERVALS[kind])
    return f"{about} {sentence(NO_COVERAGE)}" if kind == "spread" else about


def warnings_of(found: Sequence[str], estimates: Sequence[Row], problems: Sequence[str]) -> list[str]:
    """Everything to be careful about, each thing once: the audit's own, and what the promises mention.

    >>> row = {"metric": "mcc", "promise": "approximate; surrogate and design disagree by 3.1 se"}
    >>> warnings_of(["a"], [row], [])
    ['a', 'MCC: surrogate and design disagree by 3.1 se.']
    """
    out = [sentence("The audit's record is not intact: {problem}.", problem=one) for one in problems]
    out += list(found)
    for row in estimates:
        for part in str(row["promise"]).split("; ")[1:]:
            if "disagree" in part or "not seen" in part:
                metric = named(row["metric"])
                whose = f"{row['model']}, {metric}" if row.get("model") else metric
                out.append(f"{whose}: {promised(part)}.")
    return list(dict.fromkeys(out))


def kinds_of(estimates: Sequence[Row]) -> list[str]:
    """The kinds of promises in a table of estimates."""
    return sorted({kind_of(str(row["promise"])) for row in estimates})
