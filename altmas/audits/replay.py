"""Replaying an audit: every question is drawn again, and every refit made again, from the log alone.

A chain of hashes shows that nothing was changed after it was written, unless all of it was written anew. Whoever picked
the questions by hand and wrote the log to suit fails here: the questions must be those that the seed, the secret and
the refits lead to. Whoever made the refits to suit fails as well: they must be what the answers lead to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from altmas.audits.draws import ENGINE, UNCHANGED_SINCE
from altmas.audits.events import Event
from altmas.audits.fits import fit
from altmas.audits.parts import Fit
from altmas.audits.questions import Questions, ranking_for
from altmas.audits.second_readings import as_event, newest_fit, next_readings
from altmas.audits.state import State
from altmas.audits.store import StoreError
from altmas.audits.values import Verification
from altmas.audits.verification import verify_folder
from altmas.core.doing import doing, so_far
from altmas.core.method import ArrayMap
from altmas.metrics.errors import AltmasError

if TYPE_CHECKING:
    from altmas.audits.audit import Audit

SAME_CHANCE, SAME_FIT = 1e-6, 1e-3
"""Processors round differently. Chances may differ by so much, and every single number of a refit, relatively.

Every one, and not their mean: whoever lowers the chances of the few items that would come next chooses the questions.
"""


def replayable(audit: Audit) -> bool:
    """Whether this version draws as the one did that made the audit."""
    since = getattr(audit.method, "drawn_alike_since", UNCHANGED_SINCE)
    engine = audit.created.body.get("engine")
    return isinstance(engine, int) and since <= engine <= ENGINE


def _engine_problems(audit: Audit) -> list[str]:
    """What no version wrote: a secret, and no engine that draws with it."""
    body = audit.created.body
    engine = body.get("engine")
    known = isinstance(engine, int) and 1 <= engine <= ENGINE
    return (
        []
        if known or not {"secret", "engine"} & set(body)
        else [f"the first event names the engine {engine!r}, which no version of altmas has"]
    )


def draw_problems(audit: Audit) -> list[str]:
    """Rounds whose questions, chances or ranking are not what the log before them leads to."""
    problems: list[str] = []
    state = audit.blank_state()
    questions = Questions(audit.job, audit.method, audit.files, audit.kept)
    for event in audit.events():
        so_far(f"event {event.seq:,}")
        if event.kind == "drawn" and (wrong := _wrong_with(event, state, audit, questions)):
            return [*problems, f"round {event.body['round']} (event {event.seq}) {wrong}"]  # the rest rests on it
        if event.kind == "renewed" and (state.rounds or state.renewed is not None):
            problems.append(f"event {event.seq} renews an audit that was under way")
        if event.kind == "reread" and (wrong := _wrong_reading(event, state, audit)):
            problems.append(f"second readings {event.body['round']} (event {event.seq}) {wrong}")
        if event.kind == "again" and not {audit.position(one) for one in event.body["items"]} <= set(state.unsettled()):
            problems.append(f"event {event.seq} asks again about what was not left open")
        if event.kind == "answered" and audit.position(event.body["item"]) not in state.order:
            problems.append(f"event {event.seq} answers a question that was not asked")
        elif event.kind == "answered" and event.body.get("before") and len(state.rounds) > 1:
            problems.append(f"event {event.seq} keeps a label of an earlier audit after the first question")
        elif event.kind == "answered" and event.body.get("expert") and (wrong := _no_reading(event, state, audit)):
            problems.append(f"event {event.seq} {wrong}")
        if event.kind == "fitted" and (wrong := _out_of_turn(event, state)):
            problems.append(f"refit {event.body['number']} (event {event.seq}) {wrong}")
        state.take([event])
    return problems


def _wrong_before(event: Event, state: State, audit: Audit) -> str:
    """What is wrong with questions that an earlier audit asked: their chances are in what it left."""
    earlier = audit.job.pool.earlier
    if state.renewed is None or earlier is None or earlier.hazard is None or event.body["round"] != 0:
        return "is of an earlier audit, from which nothing was kept"
    drawn = earlier.hazard[[audit.position(one) for one in event.body["items"]]]
    alike = np.allclose(-np.expm1(-drawn), event.body["propensities"], rtol=SAME_CHANCE, atol=0)
    return "" if alike and (drawn > 0).all() else "does not have the chances of the earlier audit"


def _wrong_with(event: Event, state: State, audit: Audit, questions: Questions) -> str:
    body, ids = event.body, audit.pool.ids
    if body.get("before") is True:
        return _wrong_before(event, state, audit)
    if body["round"] != len(state.rounds):
        return f"is not round {len(state.rounds)}, whose turn it is"
    if body["fit"] not in {ranking_for(state, wait=True), ranking_for(state, wait=False)}:
        return "was drawn from another ranking than the newest there was"
    choice = questions.draw(state, len(body["items"]), body["fit"])
    if [ids[int(one)] for one in choice.items] != body["items"]:
        return (
            "does not ask what seed, secret and refits lead to: questions were picked by hand, or the pool is another"
        )
    if not np.allclose(choice.propensities, body["propensities"], rtol=SAME_CHANCE, atol=0):
        return "does not have the chances that seed, secret and refits lead to"
    return ""


def _wrong_reading(event: Event, state: State, audit: Audit) -> str:
    body = event.body
    if body["round"] != len(state.rereads):
        return f"are not round {len(state.rereads)}, whose turn it is"
    if body["fit"] != newest_fit(state):
        return "were drawn with another fit than the newest there was"
    made = as_event(state, next_readings(audit, state, len(body["places"]), body["fit"]), body["fit"])
    if made["places"] != body["places"] or made["among"] != body["among"]:
        return "are not those that seed, secret and answers lead to"
    alike = (np.allclose(made[name], body[name], rtol=SAME_FIT, atol=0) for name in ("propensities", "chances"))
    return "" if all(alike) else "do not have the chances that seed, secret and answers lead to"


def _no_reading(event: Event, state: State, audit: Audit) -> str:
    who, experts, position = event.body["annotator"], audit.settings.experts, audit.position(event.body["item"])
    if experts and who not in experts:
        return "reads an answer again in the name of somebody who is no expert"
    if who in state.standing(position):
        return "reads an answer of the same annotator again"
    return "" if state.may_be_read(position) else "reads an answer that was not drawn for it"


def _out_of_turn(event: Event, state: State) -> str:
    number, upto = event.body["number"], event.body["upto"]
    if not 0 <= number < len(state.milestones) or state.milestones[number] != upto:
        return "was not due"
    return ""


def fit_problems(audit: Audit) -> list[str]:
    """Refits that are not what the answers up to them lead to."""
    problems, events = [], audit.events()
    for one in audit.state.fits:
        arrays, labels = made_again(audit, one, events)
        if labels != one.labels or not _alike(arrays, audit.kept(one.number)[0]):
            problems.append(f"refit {one.number} (file fits/{one.file}) is not what the answers before it lead to")
    return problems


def made_again(audit: Audit, one: Fit, events: Sequence[Event]) -> tuple[ArrayMap, int]:
    """A refit from the log, and the labels it rests on."""
    then = audit.state_at(one.upto, events)
    return fit(audit.job, audit.method, then, audit.settings, audit.kept)


def _alike(made: ArrayMap, kept: ArrayMap) -> bool:
    return set(made) == set(kept) and all(_close(made[name], kept[name]) for name in made)


def _close(made: Any, kept: Any) -> bool:
    if made.shape != kept.shape:
        return False
    if made.dtype.kind in "iu":
        return bool((made == kept).all())
    least = SAME_FIT * float(np.abs(made).mean())  # what is next to nothing may differ by a little of what is usual
    return bool((np.abs(made - kept) <= SAME_FIT * np.maximum(np.abs(made), least)).all())


def restore_fits(audit: Audit) -> list[int]:
    """Make refits again whose files are gone or damaged; their numbers.

    A file that comes out as it was needs no more words. One that does not, as on another processor, is kept if every
    question can be drawn again from it, and the log has its new hash; else nothing is kept, and the audit is refused.
    """
    events, restored, other = audit.events(), [], []
    for one in audit.state.fits:  # in the order made: later ones rest on earlier ones
        if audit.files.faults([one]):
            name, found = audit.files.save(one.number, made_again(audit, one, events)[0])
            restored.append(one.number)
            other += [] if found == one.sha256 else [{"number": one.number, "file": name, "sha256": found}]
    if not other:
        return restored
    if problems := draw_problems(audit):
        for new in other:
            (audit.files.home / str(new["file"])).unlink()
        numbers = ", ".join(str(new["number"]) for new in other)
        raise StoreError(f"refits {numbers} must come out as they were; got {problems[0]}. Restore them from a backup.")
    audit.log_rebuilt(other)
    return restored


def verify_whole(folder: Path, *, fits: bool = True, beside: Audit | None = None) -> Verification:
    """Check everything: the chain and the files, then every draw, and with `fits` every refit, made again.

    `beside` is the same audit, open already. Its pool is not read again where the files have their hashes still.
    """
    from altmas.audits.audit import Audit

    checked = verify_folder(folder)
    if not checked.ok and not checked.only_images:
        return checked
    try:
        with Audit.open(folder, beside=beside) as audit:
            problems = [*_engine_problems(audit), *_known_elsewhere(audit)]
            if replayable(audit):
                with doing("drawing every question again"):
                    problems += draw_problems(audit)
                if fits and not problems:
                    problems += fit_problems(audit)
            notices = [*([] if replayable(audit) else [OLDER]), *([] if fits else [NOT_MADE_AGAIN])]
    except AltmasError as error:
        problems, notices = [str(error)], []
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:  # of a log that was made up
        problems, notices = [f"the log tells of something that cannot have happened: {error!r}"], []
    found = (*checked.problems, *problems)
    only_images = checked.only_images and not problems
    return replace(checked, ok=not found, problems=found, notices=tuple(notices), only_images=only_images)


NOT_MADE_AGAIN = "Refits were not made again; altmas log --verify does that."
OLDER = "Another version of altmas drew the questions, so they were not drawn again; chain and files were checked."


def _known_elsewhere(audit: Audit) -> list[str]:
    cure = f"If a backup was restored, altmas recover {audit.folder} --accept-loss says so in the log"
    return [f"{one}. {cure}" for one in audit.registry_problems()]
