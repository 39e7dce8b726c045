"""`Audit`: a durable assessment for people. Ask, tell, undo, estimate, report; every answer survives what happens."""

from __future__ import annotations

import os
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from altmas.audits import draws
from altmas.audits.changes import columns_to_show, targets_named
from altmas.audits.creation import make_folder, together
from altmas.audits.earlier_files import load_earlier
from altmas.audits.fits import fit, one_at_a_time
from altmas.audits.leases import Held
from altmas.audits.questions import Questions, ranking_for
from altmas.audits.record import Record
from altmas.audits.sample import drawing
from altmas.audits.second_readings import as_event, newest_fit, next_readings, readings_due
from altmas.audits.settings import Settings, metrics_wanted, preferred_portions, versions
from altmas.audits.telling import annotator_name
from altmas.audits.values import Query, Verification
from altmas.core.checks import whole_number
from altmas.core.method import Job
from altmas.core.pool import Pool
from altmas.core.requirements import Requirement
from altmas.core.tasks import USUAL, Best, Task, as_costs, as_task, task_data
from altmas.formats.auto_features import given_features
from altmas.metrics.errors import InputError
from altmas.words.no_answer import failures
from altmas.words.notebooks import page
from altmas.words.wording import listed

if TYPE_CHECKING:
    import pandas as pd

    from altmas.audits.looks import AuditFindings
    from altmas.core.gate import Gate
    from altmas.surfaces.surface import AccuracySurface


class Audit(Record):
    """One assessment in a folder of its own: `Audit.create(folder, pool, ...)` or `Audit.open(folder)`.

    >>> import tempfile
    >>> pool = Pool.build(["cat", "dog"] * 30)
    >>> with Audit.create(tempfile.mkdtemp() + "/audit", pool, metrics=["accuracy"]) as audit:
    ...     for query in audit.ask(10):
    ...         told = audit.tell(query.id, "cat")
    ...     audit.status().answered, len(audit.ask(3)), audit.verify().ok
    (10, 3, True)
    """

    _follows_from_beginning = ("pool", "method", "places", "jobs")
    _drawer: Questions | None = None

    @classmethod
    def create(
        cls,
        folder: str | os.PathLike[str],
        pool: Pool,
        *,
        metrics: str | Sequence[str] = USUAL,
        method: str = "certified",
        options: Mapping[str, Any] | None = None,
        seed: int | None = None,
        secret: str | None = None,
        initial: int | None = None,
        batch: int | None = None,
        level: float = 0.95,
        budget: int | None = None,
        overlap: int = 1,
        items: pd.DataFrame | None = None,
        media: Sequence[str | None] | None = None,
        features: Any = None,
        guidelines: str = "",
        title: str = "",
        inputs: Mapping[str, str] | None = None,
        cost: Any = None,
        task: str | Task = "estimate",
        experts: Sequence[str] = (),
        second_readings: int | None = None,
        cost_expert: float | None = None,
        known: Any = None,
        withheld: pd.DataFrame | None = None,
        show: Sequence[str] | None = None,
        reveal: bool = True,
        targets: str | Sequence[str | Requirement] = (),
        **about: Any,
    ) -> Audit:
        """Make a folder for a pool; nothing is left behind if something is refused.

        `metrics` left out are accuracy, macro_precision and macro_recall, or accuracy where the method knows no other.
        `items` are the items' own columns, which annotators see, a row per item; `media` the path of each item's image.
        `features` take the place of the pool's: as for `altmas.assess`, or `"auto"`, made of `items` and `media`.
        `budget` is a goal to show, not a limit; `overlap` how many annotators answer each question; `inputs` the hashes
        of the files the pool came from; `task` as for `altmas.assess`, where the method draws questions for one;
        `initial` and `batch` are 50 and 10, or what method and task prefer. `experts` are those who read some answers
        again, `second_readings` how many (one for four answers, unless said); with `cost_expert`, what a reading costs
        in answers, `budget` is money for both and is split so that the intervals are narrowest. `known` are labels
        there are already, as for `altmas.assess`. `withheld` are further columns of the items, kept and not shown until
        `show` names them, here or in `set`; left out, `show` is all of `items`. Annotators always see the id, and may
        look at what the model said, which is logged, unless `reveal` is False. `targets` are what the model must reach
        to be good enough, such as `"accuracy >= 0.9"`.
        `seed` is drawn by the operating system where none is given. The questions follow from it and from a secret that
        is made when the pool can no longer change, so that no vendor can know them beforehand; to replay an audit, give
        the `seed` and `secret` that its report reveals, which the report of the replay then says.
        """
        if not isinstance(method, str):
            hint = "Its options go to options={...}, such as options={'learners': ['kernel']}."
            raise InputError("method of an audit", "be a name", type(method).__name__, hint)
        if secret is not None and draws.checked_secret(secret) and seed is None:
            raise InputError("seed", "come with a secret: both are in the report of the audit to replay", "none")
        if features is not None:
            told = [array for one in (*pool.outputs, *pool.opinions) for array in (one.predictions, one.scores)]
            pool = pool.with_features(*given_features(features, items, pool.size, media=media, said=told, ids=pool.ids))
        pool = pool if known is None else pool.with_known(known)
        goal = as_task(task, about)
        goal = goal.by_first(metrics) if isinstance(goal, Best) else goal
        first, portion = preferred_portions(method, options or {}, goal, pool, initial, batch)
        kept = together(items, withheld)
        settings = Settings(
            metrics_wanted(metrics, method, options or {}, goal), method, dict(options or {}),
            draws.new_seed() if seed is None else seed,
            min(whole_number("initial", first, 1), pool.size), portion, level, budget, overlap, guidelines, title,
            None if cost is None else as_costs(cost),
            dict(inputs or {}), versions(), task=task_data(goal),
            experts=(experts,) if isinstance(experts, str) else tuple(experts), second_readings=second_readings,
            cost_expert=cost_expert, show=_shown(show, items, withheld), reveal=reveal, targets=targets_named(targets),
        )  # fmt: skip
        return cls.open(make_folder(Path(folder), pool, settings, kept, media, secret))

    @cached_property
    def jobs(self) -> dict[str, Job]:
        """The job, by what was taken over from an earlier audit: nothing, or a file of that hash."""
        return {}

    @property
    def job(self) -> Job:
        """What is to be found out, and what an earlier audit leaves to this one, if it was renewed."""
        renewed = self.state.renewed
        key = "" if renewed is None else str(renewed["sha256"])
        if key not in self.jobs:
            created, pool = self.created.body, self.pool
            metrics, engine = self.settings.metrics_on(pool), int(created.get("engine", 0))
            pool = pool if renewed is None else replace(pool, earlier=load_earlier(self.folder, pool))
            self.jobs[key] = Job(
                pool, metrics, draws.draws_seed(created), afresh=engine < 1, even_start=engine < 3,
                voteless_start=engine < 4,
            )  # fmt: skip
        return self.jobs[key]

    @property
    def _questions(self) -> Questions:
        if self._drawer is None or self._drawer.job is not self.job:
            self._drawer = Questions(self.job, self.method, self.files, self.kept)
        return self._drawer

    # Asking

    def ask(
        self,
        n: int = 1,
        *,
        annotator: str = "",
        again: bool = False,
        wait: bool = True,
        without: Collection[int] = (),
        only_drawn: bool = False,
        second_reading: bool | None = None,
    ) -> list[Query]:
        """Open questions in the order drawn, newly drawn ones after them: the same ones until they are answered.

        `again` gives unsure, skipped and disputed ones instead. With `wait=False` no refit is waited for: questions
        come from the last ranking. `without` are positions to leave out; with `only_drawn` no new ones are drawn. What
        a named annotator is given is theirs for ten minutes, or until they ask again: no other named one gets it, here
        or in another process, unless as many of them as must answer it have room.

        With `second_reading=True` answers to be read again by an expert, and what annotators left undecided; left out,
        that is so for those who are among the audit's experts.
        """
        whole_number("n", n, 1)
        annotator_name(annotator)
        if annotator in self.settings.experts if second_reading is None else second_reading:
            return self._ask_expert(n, annotator, without, draw=wait and not only_drawn)
        found, asked = self._handed_out(n, annotator, again, without)
        more = not again and not only_drawn
        if wait and more and len(found) < n and asked < self.pool.size and self.refit():
            found, asked = self._handed_out(n, annotator, again, without)
        while more and len(found) < n and asked < self.pool.size:
            short = n - len(found)
            with self._writing():
                if len(self.state.order) == asked:  # nobody else has drawn meanwhile
                    self._draw(short if wait else max(short, self.settings.batch), wait=wait)
                    self.refresh()
                more = len(self.state.order) > asked
            found, asked = self._handed_out(n, annotator, again, without)  # others may have been quicker: then again
        if again:
            self._log_again(found, annotator)
        return [self._query(position) for position in found]

    def _log_again(self, positions: Sequence[int], annotator: str) -> None:
        """Log who is asked once more about what; once for each."""
        if self.store.read_only or self.state.asked_again.get(annotator, set()) >= set(positions):
            return
        with self._writing():
            before = self.state.asked_again.get(annotator, set())
            new = [self.pool.ids[one] for one in positions if one not in before]
            if new:
                self.store.append("again", {"items": new, "annotator": annotator})

    def _ask_expert(self, n: int, expert: str, without: Collection[int], *, draw: bool) -> list[Query]:
        """Answers to read again, newly drawn ones after those drawn before."""

        def choose(held: Held) -> list[int]:
            self.refresh()
            wanted = (p for p in self.state.to_be_read(expert) if p not in without and p not in held)
            return list(islice(wanted, n))

        def handed_out() -> list[int]:
            with self.store.lock:
                return self.leases.take(expert, choose) if expert else choose({})

        found = handed_out()
        takes = getattr(self.method, "takes_readings", False)
        if draw and len(found) < n and (takes or not (found or self.state.settled)):  # which says why there are none
            if self.refit():  # which draws what is due
                found = handed_out()
            if len(found) < n:
                self.draw_readings(n - len(found))
                found = handed_out()
        return [self._query(position) for position in found]

    def draw_readings(self, count: int) -> int:
        """Draw so many answers for a second reading, as far as there are any; how many were drawn."""
        self.refresh()
        if len(drawing(self.state).answers) == 0:
            return 0
        with self._writing():
            state, fit = self.state, newest_fit(self.state)
            self.check_ranking(fit)
            round = next_readings(self, state, count, fit)
            if len(round.items):
                self.store.append("reread", as_event(state, round, fit))
            return len(round.items)

    def _handed_out(self, n: int, annotator: str, again: bool, without: Collection[int]) -> tuple[list[int], int]:
        """Positions that are this annotator's now, and how many were drawn by then."""

        def choose(held: Held) -> list[int]:
            return self._free(n, annotator, again, without, held)

        with self.store.lock:  # who is not named may be anybody: nothing is kept for them, and nothing from them
            found = self.leases.take(annotator, choose) if annotator else choose({})
            return found, len(self.state.order)

    def _free(self, n: int, annotator: str, again: bool, without: Collection[int], held: Held) -> list[int]:
        """The first `n` positions to give to an annotator, where others hold some."""
        self.refresh()
        state, overlap = self.state, self.settings.overlap

        def has_room(position: int) -> bool:
            if position in without:
                return False
            if position not in held or (not again and annotator in state.assigned.get(position, ())):
                return True
            return not again and len({*held[position], *state.standing(position)} - {annotator}) < overlap

        asked = state.unsettled() if again else state.open_for(annotator)
        return list(islice(filter(has_room, asked), n))

    def _draw(self, count: int, *, wait: bool) -> None:
        count = min(count, self.pool.size - len(self.state.order))
        if count <= 0:
            return
        ranking = ranking_for(self.state, wait=wait)
        self.check_ranking(ranking)
        choice = self._questions.draw(self.state, count, ranking)
        body = {
            "round": len(self.state.rounds),
            "items": [self.pool.ids[int(position)] for position in choice.items],
            "propensities": choice.propensities.tolist(),
            "fit": ranking,
        }
        self.store.append("drawn", body)

    def _query(self, position: int) -> Query:
        content, media = self.item(position)
        return Query(self.pool.ids[position], position, self.state.round_of(position), content, media is not None)

    # Refits

    def refit_due(self) -> bool:
        """Whether a refit has come due that was not made yet, or second readings to be drawn."""
        self.refresh()
        return self._due() is not None or self._readings_due() > 0

    def _readings_due(self) -> int:
        return readings_due(self, self.state) if self.settings.experts else 0

    def _due(self) -> int | None:
        number = len(self.state.milestones) - 1
        return None if number < 0 or any(one.number == number for one in self.state.fits) else number

    def refit(self) -> bool:
        """Make the refit that is due, after any that is under way in another process; False if there is none.

        Of an audit that can only be read it is made in memory: what is found is the same as in a copy of it.
        """
        if not self.refit_due():
            return False
        if self.store.read_only:
            if self._due() is None:
                return False
            self._refit_in_memory()
            return True
        with one_at_a_time(self.folder):
            self.refresh()
            number = self._due()
            if number is not None:
                self._make_fit(number)
            due = self._readings_due()
            if due > 0:
                self.draw_readings(due)
            return number is not None or due > 0

    def _make_fit(self, number: int) -> None:
        upto = self.state.milestones[number]
        arrays, labels = fit(self.job, self.method, self.state_at(upto, self.store.events()), self.settings, self.kept)
        name, found = self.files.save(number, arrays)
        body = {"number": number, "upto": upto, "labels": labels, "file": name, "sha256": found}
        with self._writing():
            self.store.append("fitted", body)
        self.store.checkpoint()
        self.note_in_registry()

    def _refit_in_memory(self) -> None:
        events, number = self.store.events(), len(self.state.milestones) - 1
        upto = self.state.milestones[number]
        arrays, labels = fit(self.job, self.method, self.state_at(upto, events), self.settings, self.kept)
        self.files.hold(number, arrays)
        body = {"number": number, "upto": upto, "labels": labels, "file": "", "sha256": ""}
        self.unsaved.append(replace(events[-1], kind="fitted", body=body))  # the log still ends where it ends
        self.state.take(self.unsaved[-1:])

    def restore_fits(self) -> list[int]:
        """Make refits again whose files are gone or damaged, from the log; their numbers."""
        from altmas.audits.replay import restore_fits

        with one_at_a_time(self.folder):
            self.refresh()
            return restore_fits(self)

    def verify(self, *, fits: bool = False) -> Verification:
        """Check the chain, every file and every draw; with `fits`, make every refit again as well."""
        from altmas.audits.replay import verify_whole

        return verify_whole(self.folder, fits=fits, beside=self)

    # Looking

    def _repr_html_(self) -> str:
        now, pool = self.status(), self.pool
        goal = f" of {now.budget:,}" if now.budget else ""
        told = f"{now.answered:,}{goal} answered; {now.asked:,} of {now.pool:,} items asked about."
        name = self.settings.title or self.folder.name
        return page(f"Audit {name}: {listed(one.name for one in pool.outputs)}", [told, *failures(pool)])

    def findings(
        self, level: float | None = None, *, metrics: Any = None, anytime: bool = False, this_pool: bool = False
    ) -> AuditFindings:
        """Everything the answers tell at this moment; of `this_pool` alone, where it has clusters."""
        from altmas.audits.looks import look_at

        return look_at(self, level, metrics, anytime=anytime, this_pool=this_pool)

    def estimate(
        self, metrics: Any = None, *, level: float | None = None, anytime: bool = False, this_pool: bool = False
    ) -> pd.DataFrame:
        """The metrics, each with its interval; others than the audit's own are as valid, chosen afterwards."""
        return self.findings(level, metrics=metrics, anytime=anytime, this_pool=this_pool).estimates

    def gate(self, *requirements: str | Requirement, model: str | None = None, level: float | None = None) -> Gate:
        """Whether the model meets all of these, such as `"accuracy >= 0.9"`, or the audit's targets: pass or fail.

        It may be asked after every label, and until it is settled says how many more would probably settle it. Of
        several models, `model` says which, or the requirement does: `"accuracy@ours >= 0.9"`.
        """
        return self.findings(level).gate(*requirements, model=model)

    def worst(self, by: str = "class", metric: str = "accuracy", m: int = 1, *, level: float | None = None) -> Any:
        """Which groups are probably the worst: a table with P, and `attrs["verdict"]` in words."""
        return self.findings(level).worst(by, metric, m)

    def compare(
        self, by: str, a: Hashable, b: Hashable, metric: str = "accuracy", *, rope: float = 0.05,
        level: float | None = None,
    ) -> dict[str, Any]:  # fmt: skip
        """Whether two groups differ by more than `rope`."""
        return self.findings(level).compare(by, a, b, metric, rope)

    def surface(
        self, by: Any = None, *, estimator: Any = "betagp", level: float | None = None, model: str | None = None
    ) -> AccuracySurface:
        """The accuracy of every combination of the groups `by`, `"sex,race"`; all groups, where none are named.

        Of the first model under test, or of one by name.
        """
        return self.findings(level).surface(by, estimator=estimator, model=model)

    def renew(self, earlier: Audit | str | os.PathLike[str], *, keep_labels: bool = False) -> dict[str, Any]:
        """Begin with an earlier audit's answers as evidence, before the first question: see `altmas.audits.renewal`."""
        from altmas.audits.renewal import renew

        return renew(self, earlier, keep_labels=keep_labels)

    def report(self, path: str | os.PathLike[str], **options: Any) -> Path:
        """Write the report: .html, .md, .json, .xlsx or .pdf, by the file's name; `lang="de"` for German."""
        from altmas.reports.writing import write_report

        return write_report(self, Path(path), **options)


def _shown(
    show: Sequence[str] | None, items: pd.DataFrame | None, withheld: pd.DataFrame | None
) -> tuple[str, ...] | None:
    """The columns that annotators see; None for all there are."""
    own, more = ([] if one is None else [str(name) for name in one.columns] for one in (items, withheld))
    if show is not None:
        return columns_to_show(show, [*own, *more])
    return tuple(own) if more else None
