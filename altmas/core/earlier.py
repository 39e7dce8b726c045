"""What an earlier audit leaves to a later one: its answers as evidence, and its chances where labels are kept."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from altmas.core.pool import Outputs, Pool
from altmas.metrics.types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Earlier:
    """Answers of an earlier audit: what each model and each opinion of the pool said about those items, and the labels.

    They teach the belief, and weigh nothing. Where labels are kept for items that stayed the same, `hazard [N]` has
    each item's chance of having been asked about by then, as a hazard, which is 0 of those that did not stay.
    """

    outputs: tuple[Outputs, ...]  # in the order of the pool's models under test, then its opinions
    labels: IntArray
    hazard: FloatArray | None = None

    def beside(self, pool: Pool) -> Pool:
        """The pool with the earlier items after its own: only to learn from, for nobody asks about them any more.

        >>> pool = Pool.build(["cat", "dog"])
        >>> Earlier((Outputs("model", np.array([1])),), np.array([0])).beside(pool).predictions.tolist()
        [0, 1, 1]
        """
        models = len(pool.outputs)
        both = [_joined(*pair) for pair in zip((*pool.outputs, *pool.opinions), self.outputs, strict=True)]
        ids = (*pool.ids, *range(len(self.labels)))
        return replace(
            pool, ids=ids, outputs=tuple(both[:models]), opinions=tuple(both[models:]), known=None, earlier=None,
            features=None, groups={},
        )  # fmt: skip


def _joined(now: Outputs, then: Outputs) -> Outputs:
    """What a model said now, and what it said then; a score that was not there then is the usual one, and tells so."""
    said = np.concatenate([now.predictions, then.predictions])
    if now.scores is None:
        return Outputs(now.name, said)
    usual = np.broadcast_to(np.median(now.scores, axis=0), (len(then.predictions), *now.scores.shape[1:]))
    lacking: BoolArray = ~then.scored
    scores = (
        usual if then.scores is None else np.where(lacking.reshape(-1, *[1] * (usual.ndim - 1)), usual, then.scores)
    )
    unscored = None
    if now.unscored is not None or lacking.any():
        unscored = np.concatenate([~now.scored, lacking])
    return Outputs(now.name, said, np.concatenate([now.scores, scores]), unscored)
