"""Neighbours on a graph: labels spread from answered items to those near them, along items that nobody labelled.

Zhou et al. 2004: with S the normalised graph of nearest neighbours, F = (1 - a) (I - a S)^-1 Y. F is linear in the
labels, so what an answer adds to each item is a column that depends on the features alone: leaving an answer out is
leaving its column out, exactly.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from altmas.metrics.types import Float32Array, FloatArray, IntArray
from altmas.surrogates.learners.protocol import Lesson, Warm, a_few, one_hot, with_others
from altmas.surrogates.learners.sharpness import as_probabilities, best_sharpness
from altmas.surrogates.learners.space import Space

NEIGHBOURS, STAY = 10, 0.9
"""Neighbours of each item in the graph, and how much of what reaches an item it passes on."""

STEPS = 40
"""Steps of the iteration: of all mass, 0.9^40 = 1.5% is still under way, far from where it started."""

MOST_ON_GRAPH = 10_000
"""Pools of more than twice as many have a graph of this many items, drawn once; others look at their nearest there."""

MOST_SOURCES = 2_000
"""Answers whose labels are spread."""


@dataclass(frozen=True)
class Neighbours:
    """Label spreading.

    >>> from altmas.surrogates.learners.testing import ArrayRows
    >>> x = np.arange(60.0)[:, None] + 100 * (np.arange(60) >= 30)[:, None]
    >>> lesson = Lesson(np.array([10, 20, 40, 50]), np.array([0, 0, 1, 1]), np.arange(4), 2, 4, whole=True)
    >>> learnt = Neighbours().bind(Space(ArrayRows(x), 60)).learn(lesson)
    >>> learnt.predict(np.array([0, 59]), None).argmax(1).tolist()
    [0, 1]
    """

    neighbours: int = NEIGHBOURS
    stay: float = STAY
    name: str = "neighbours"
    quick: bool = True

    def bind(self, space: Space) -> BoundNeighbours:
        """The graph is made when it is first needed."""
        return BoundNeighbours(self, space)


@dataclass(eq=False)
class BoundNeighbours:
    """The graph of one pool, and the columns of the answers so far: of the features alone, so kept for good."""

    recipe: Neighbours
    space: Space
    _columns: dict[int, Float32Array] = field(default_factory=dict)

    def learn(self, lesson: Lesson) -> LearntNeighbours:
        """Spread from answers that are new; the others' columns are known."""
        some = a_few(lesson.items, MOST_SOURCES)
        sources = lesson.items[some]
        new = np.array([one for one in sources.tolist() if one not in self._columns], dtype=np.int64)
        for start in range(0, len(new), 256):
            part = new[start : start + 256]
            self._columns.update(zip(part.tolist(), self._spread(part).T, strict=True))
        self._columns = {one: self._columns[one] for one in sources.tolist()}
        spread = np.stack([self._columns[one] for one in sources.tolist()], axis=1) if len(sources) else None
        return LearntNeighbours(self, lesson, some, spread)

    @cached_property
    def on_graph(self) -> IntArray:
        """The items of the graph, in order."""
        size = self.space.size
        if size <= 2 * MOST_ON_GRAPH:
            return np.arange(size)
        return np.sort(np.random.default_rng(0).choice(size, MOST_ON_GRAPH, replace=False))

    @cached_property
    def _nearest(self) -> Any:
        from sklearn.neighbors import NearestNeighbors

        count = min(self.recipe.neighbours + 1, len(self.on_graph))
        return NearestNeighbors(n_neighbors=count, algorithm="brute").fit(self._points)

    @cached_property
    def _points(self) -> FloatArray:
        """Where the items of the graph lie, with a trace of noise.

        Rows of a table are often equally far from each other. The noise decides between them, far above what rounding
        does: every machine finds the same neighbours.
        """
        z = self.space.components[self.on_graph].astype(np.float64)
        spread = np.sqrt(self.space.typical_distance / z.shape[1])
        return np.asarray(z + TRACE * spread * np.random.default_rng(0).standard_normal(z.shape))

    @cached_property
    def graph(self) -> Any:
        """The normalised graph S, sparse `[G, G]`: neighbours in either direction, D^-1/2 W D^-1/2."""
        from scipy.sparse import csr_array, diags_array

        size = len(self.on_graph)
        near = self._nearest.kneighbors(self._points, return_distance=False)
        here = np.repeat(np.arange(size), near.shape[1])
        ones = (near.ravel() != here).astype(np.float32)
        w = csr_array((ones, (here, near.ravel())), shape=(size, size))
        w = w.maximum(w.T)
        degree = np.maximum(w.sum(1), 1)
        scale = diags_array((1 / np.sqrt(degree)).astype(np.float32))
        return (scale @ w @ scale).tocsr()

    def places(self, items: IntArray) -> tuple[IntArray, IntArray]:
        """Where items are found on the graph `[n, 1]`; where they are not on it, their nearest `[n, k]` there.

        Comes as rows and places, to be averaged by row.
        """
        if len(self.on_graph) == self.space.size:
            return np.arange(len(items)), items
        at = np.minimum(np.searchsorted(self.on_graph, items), len(self.on_graph) - 1)
        there = self.on_graph[at] == items
        off = np.flatnonzero(~there)
        beside = self._beside[items[off]]
        rows = np.concatenate([np.flatnonzero(there), np.repeat(off, beside.shape[1])])
        return rows, np.concatenate([at[there], beside.ravel()])

    @cached_property
    def _beside(self) -> NDArray[np.int32]:
        """The items of the graph that are nearest to each item `[N, k]`, found once, a block at a time."""
        out = np.empty((self.space.size, NEAREST_OFF_GRAPH), np.int32)
        for start in range(0, self.space.size, 1 << 14):
            part = self.space.components[start : start + (1 << 14)].astype(np.float64)
            out[start : start + len(part)] = self._nearest.kneighbors(part, NEAREST_OFF_GRAPH, return_distance=False)
        return out

    def _spread(self, items: IntArray) -> Float32Array:
        """Columns `[G, n]` of sources: F = a S F + (1 - a) e_i, iterated."""
        rows, places = self.places(items)
        start = np.zeros((len(self.on_graph), len(items)), np.float32)
        share = 1 / np.bincount(rows, minlength=len(items))
        np.add.at(start, (places, rows), share[rows].astype(np.float32))
        start *= 1 - self.recipe.stay
        found = start.copy()
        for _ in range(STEPS):
            found = self.graph @ found
            found *= self.recipe.stay
            found += start
        return found


NEAREST_OFF_GRAPH = 3
TRACE = 1e-3
"""Noise that tells items apart which are equally far, as a share of the spread."""


@dataclass(frozen=True, eq=False)
class LearntNeighbours:
    """Labels spread over the graph, for each part that was not seen."""

    of: BoundNeighbours
    lesson: Lesson
    some: IntArray
    spread: Float32Array | None  # [G, m]
    warm: Warm = field(default_factory=dict)
    known: dict[int | None, tuple[FloatArray, float, FloatArray]] = field(default_factory=dict)

    def left_out(self, without: int | None) -> FloatArray:
        """Exactly: without an answer's own column."""
        _, sharpness, shares = self._mass(without)
        own = as_probabilities(shares, sharpness)
        return with_others(self, self.lesson, self.some[self._sources(without)], own, without)

    def predict(self, items: IntArray, without: int | None) -> FloatArray:
        """From the mass that has reached each item, or the items on the graph that are nearest to it."""
        mass, sharpness, _ = self._mass(without)
        return as_probabilities(self._log_share(self._at(items, mass)), sharpness)

    def _at(self, items: IntArray, mass: FloatArray) -> FloatArray:
        rows, places = self.of.places(items)
        if len(rows) == len(items):
            out = np.empty((len(items), mass.shape[1]))
            out[rows] = mass[places]
            return out
        total = np.zeros((len(items), mass.shape[1]))
        np.add.at(total, rows, mass[places])
        return np.asarray(total / np.bincount(rows, minlength=len(items))[:, None])

    def _log_share(self, mass: FloatArray) -> FloatArray:
        """Log of the share of each class; no mass is no opinion."""
        credited = np.asarray(mass, dtype=np.float64) + FAINT * (1 - self.of.recipe.stay)
        return np.asarray(np.log(credited / credited.sum(1, keepdims=True)))

    def _sources(self, without: int | None) -> IntArray:
        return self.lesson.seen_among(self.some, without)

    def _mass(self, without: int | None) -> tuple[FloatArray, float, FloatArray]:
        if without not in self.known:
            self.known[without] = self._spread_labels(without)
        return self.known[without]

    def _spread_labels(self, without: int | None) -> tuple[FloatArray, float, FloatArray]:
        """What has reached each item of the graph `[G, C]`, how sharp it is, and log shares of answers left out."""
        sources, classes = self._sources(without), self.lesson.classes
        labels = self.lesson.labels[self.some[sources]]
        if self.spread is None or len(sources) == 0:
            mass, own = np.zeros((len(self.of.on_graph), classes)), np.zeros((0, classes))
        else:
            columns, target = self.spread[:, sources], one_hot(labels, classes)
            mass = (columns @ target).astype(np.float64)
            rows, places = self.of.places(self.lesson.items[self.some[sources]])
            among = np.zeros((len(sources), len(sources)), np.float32)
            np.add.at(among, rows, columns[places])
            among /= np.bincount(rows, minlength=len(sources))[:, None]
            np.fill_diagonal(among, 0.0)
            own = self._log_share((among @ target).astype(np.float64))
        return mass, best_sharpness(own, labels), own


FAINT = 1e-3
"""Mass that every class is credited with, as a share of what one answer keeps: no mass is no opinion."""
