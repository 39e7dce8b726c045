"""`renew`: an audit that begins with what an earlier one learnt. Its answers teach; its labels count only if kept.

Labels of items that stayed the same may be kept where somebody says that they still hold. Each was drawn with a chance
that the earlier audit knows, 1 - exp(-H); this audit draws with clocks of its own, so that its hazards add to H, also
of items that stayed and were not asked about. Items that are new or changed begin at 0. So every chance stays known,
and estimates stay right on average, as far as nobody chose by the earlier answers which items stayed.
"""

from __future__ import annotations

import os
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import numpy as np

from altmas.audits.draws import draws_seed
from altmas.audits.earlier_files import save_earlier
from altmas.audits.looks import inclusion_of
from altmas.audits.sample import Drawing, drawing
from altmas.audits.staying import stayed
from altmas.audits.values import SKIP, UNSURE
from altmas.audits.verification import verify_folder
from altmas.core.earlier import Earlier
from altmas.core.method import Replays
from altmas.core.pool import Outputs, Pool
from altmas.core.pool_changes import same_models
from altmas.metrics.errors import InputError
from altmas.metrics.types import FloatArray, IntArray

if TYPE_CHECKING:
    from altmas.audits.audit import Audit

DOUBT = 4.0
"""So many standard errors too few or too many of the items that stayed were asked about: somebody chose them."""


def renew(audit: Audit, earlier: Audit | str | os.PathLike[str], *, keep_labels: bool = False) -> dict[str, Any]:
    """Begin an audit with an earlier one's answers, before its first question; what was taken over, as the log has it.

    The answers are evidence about the labels, weighed by the answers to come, and never part of an estimate. With
    `keep_labels`, labels of items that stayed the same (id, content, predictions, scores) count as this audit's, with
    the chances they were drawn with: say so only where they still hold.
    """
    from altmas.audits.audit import Audit

    with ExitStack() as held:
        known = earlier if isinstance(earlier, Audit) else held.enter_context(Audit.open(earlier))
        _check(audit, known, keep_labels=keep_labels)
        drawn = drawing(known.state)
        made, place = _kept(audit, known, drawn) if keep_labels else (None, np.full(audit.pool.size, -1))
        here = {int(at): k for k, at in enumerate(place.tolist()) if at >= 0}
        kept = [here[p] for one in drawn.rounds for p in one.positions if p in here] if keep_labels else []
        evidence = _evidence(audit.pool, known, drawn, without=set(here))
        if not kept and not len(evidence.labels):
            hint = "Models under test are matched by their names, unless there is one of each; classes by theirs."
            raise InputError("earlier audit", "have a labelled class and a model in common with this one", "none", hint)
        file = save_earlier(audit.folder, Earlier(evidence.outputs, evidence.labels, made))
        labels = sum(isinstance(known.state.verdict(int(place[one])), int) for one in kept)
        body = {
            "from": {"first": known.created.hash, "head": known.state.head, "created": known.created.at,
                     "items": known.pool.size, "labels": len(drawn.answers)},
            "sha256": file, "evidence": len(evidence.labels), "stayed": len(here), "kept": labels,
            "keep_labels": keep_labels,
        }  # fmt: skip
        with audit._writing() as store:
            _check_fresh(audit)
            store.append("renewed", body)
            if made is not None:
                chances = -np.expm1(-made[kept])
                store.append("drawn", {
                    "round": 0, "items": [audit.pool.ids[one] for one in kept], "propensities": chances.tolist(),
                    "fit": None, "before": True,
                })  # fmt: skip
                for one in kept:
                    for told in _answers(known, int(place[one])):
                        store.append("answered", {"item": audit.pool.ids[one], **told})
        audit.refresh()
        audit.refit()
    return body


def _check(audit: Audit, known: Audit, *, keep_labels: bool) -> None:
    """Refuse, before anything is written, what could not be made good of."""
    _check_fresh(audit)
    if audit.created.hash == known.created.hash:
        raise InputError("earlier audit", "be another one", str(known.folder))
    if not isinstance(audit.method, Replays):
        raise InputError("method", "be certified for an audit to be renewed", repr(audit.method.name))
    checked = verify_folder(known.folder)
    if not checked.ok and not checked.only_images:
        raise InputError("earlier audit", "be whole", checked.problems[0], "altmas log --verify says more.")
    if len(drawing(known.state).answers) == 0:
        raise InputError("earlier audit", "have at least one label", "none")
    if not keep_labels:
        return
    state = known.state
    if state.to_read or state.settled:
        hint = "Without keep_labels its answers still teach."
        raise InputError("earlier audit", "have no second readings for labels to be kept", len(state.to_read), hint)
    if known.settings.overlap != audit.settings.overlap:
        own = f"{audit.settings.overlap}, and {known.settings.overlap} then"
        raise InputError("overlap", "be the earlier audit's for labels to be kept", own)
    if getattr(audit.method, "interval", "wald") == "anytime":
        raise InputError("keep_labels", "be left out where intervals are to hold at all looks", "True")
    if draws_seed(audit.created.body) == draws_seed(known.created.body):
        raise InputError("secret", "be another than the earlier audit's: its draws must be its own", "the same")


def _check_fresh(audit: Audit) -> None:
    audit.refresh()
    if audit.state.renewed is not None:
        raise InputError("audit", "be renewed once", f"{audit.folder}, which was")
    if audit.state.rounds:
        hint = "Make another one with altmas init."
        raise InputError("audit", "be renewed before its first question", f"{len(audit.state.order):,} asked", hint)


def _kept(audit: Audit, known: Audit, drawn: Drawing) -> tuple[FloatArray, IntArray]:
    """The hazards that items bring along `[N]`, and where each stood in the earlier pool, -1 if it did not stay."""
    chances = inclusion_of(known, drawn)
    if chances is None:
        hint = "Without keep_labels its answers still teach."
        raise InputError("earlier audit", "know its chances for labels to be kept", known.method.name, hint)
    place = stayed(known, audit)
    at = place[place >= 0]
    asked = np.zeros(known.pool.size, dtype=bool)
    asked[[p for one in drawn.rounds for p in one.positions]] = True
    check_untouched(chances[at], int(asked[at].sum()))
    lost = {str(one) for one in known.pool.classes} - {str(one) for one in audit.pool.classes}
    seen = {str(known.pool.classes[y]) for i, y in zip(drawn.answers.items, drawn.answers.labels, strict=True)
            if i in set(at.tolist())}  # fmt: skip
    if gone := sorted(lost & seen):
        raise InputError("classes", "hold every label that is kept", f"none of {gone[0]!r}", "Give classes=[...].")
    hazard = np.zeros(audit.pool.size)
    with np.errstate(divide="ignore"):  # an item that was certain to be asked about has an endless hazard
        hazard[place >= 0] = -np.log1p(-chances[at])
    return hazard, place


def check_untouched(chances: FloatArray, asked: int) -> None:
    """Refuse items that stayed because of what was asked: of those, about as many as their chances say were asked.

    A pool without the items that were labelled, or a vendor who corrected just those, would be taken for a fair draw.

    >>> check_untouched(np.full(100, 0.2), 18)
    >>> check_untouched(np.full(100, 0.2), 0)
    Traceback (most recent call last):
    altmas.metrics.errors.InputError: items that stayed must not depend on which were asked about; \
got 0 of 100 asked about, where about 20 were to be expected. Items that were labelled must not be left out or \
answered anew; without keep_labels they may be.
    """
    expected, spread = float(chances.sum()), float(np.sqrt((chances * (1 - chances)).sum()))
    if abs(asked - expected) > DOUBT * spread + 1:
        hint = "Items that were labelled must not be left out or answered anew; without keep_labels they may be."
        got = f"{asked:,} of {len(chances):,} asked about, where about {expected:,.0f} were to be expected"
        raise InputError("items that stayed", "not depend on which were asked about", got, hint)


def _answers(known: Audit, position: int) -> list[dict[str, Any]]:
    """What annotators said of an item, as events have it."""
    out = []
    for one in known.state.standing(position).values():
        said: dict[str, Any] = {"annotator": one.annotator, "before": True}
        if one.label in (UNSURE, SKIP):
            said["answer"] = one.label
        else:
            said |= {"answer": "label", "label": str(known.pool.classes[int(one.label)])}
        out.append(said | ({"note": one.note} if one.note else {}))
    return out


def _evidence(pool: Pool, known: Audit, drawn: Drawing, without: set[int]) -> Earlier:
    """The earlier answers with what was said of their items, in the terms of the later pool."""
    then, names = known.pool, {str(one): k for k, one in enumerate(pool.classes)}
    place = np.array([names.get(str(one), -1) for one in then.classes])
    items, labels = drawn.answers.items, drawn.answers.labels.copy()
    for row, position in enumerate(items.tolist()):  # what an expert read is the truth
        if isinstance(read := known.state.reading(position), int):
            labels[row] = read
    use = (place[labels] >= 0) & ~np.isin(items, list(without))
    items, labels = items[use], place[labels[use]]
    by_name = {one.name: one for one in (*then.opinions, *then.outputs)}
    by_name |= {new.name: old for old, new in same_models(then, pool)}
    if not any(one.name in by_name for one in pool.outputs):
        labels, items = labels[:0], items[:0]  # of no model that is under test now
    return Earlier(
        tuple(_said(one, by_name.get(one.name), items, place, len(pool.classes))
              for one in (*pool.outputs, *pool.opinions)),
        labels,
    )  # fmt: skip


def _said(now: Outputs, then: Outputs | None, items: IntArray, place: IntArray, classes: int) -> Outputs:
    """What a model said of earlier items; no class where it was not asked, or said one that is none any more."""
    if then is None:
        return Outputs(now.name, np.full(len(items), classes))
    said = np.append(np.where(place >= 0, place, classes), classes)[then.predictions[items]]
    if now.scores is None or then.scores is None or now.scores.ndim != then.scores.ndim:
        return Outputs(now.name, said)
    scores, scored = then.scores[items], then.scored[items]
    if scores.ndim == 2:
        if (place < 0).any():
            return Outputs(now.name, said)
        wide = np.zeros((len(items), classes))
        wide[:, place] = scores
        scores = wide
    return Outputs(now.name, said, scores, None if scored.all() else ~scored)
