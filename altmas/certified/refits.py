"""What a refit leaves for the rounds after it."""

from __future__ import annotations

from dataclasses import dataclass, field

from altmas.certified.design import Linearised
from altmas.certified.kept_belief import belief_in
from altmas.core.method import ArrayMap
from altmas.core.pool import Pool
from altmas.core.targets import Target
from altmas.metrics.belief import Belief
from altmas.metrics.types import FloatArray


@dataclass(frozen=True, eq=False)
class Refit:
    """What a refit leaves for the rounds after it, as arrays that an audit can keep in a file.

    `ideal [N]` chances, the belief, `belief:...`, what each candidate counts for, `weight:NAME`, and each learner on
    features, `learner:NAME`, what those start from next time, `warm:NAME:...`, what features are worth,
    `features_error`, and `drawn_then`. `known` is the number of answers it was made from.
    """

    arrays: ArrayMap
    known: int
    linearised: dict[Target, Linearised] = field(default_factory=dict)
    contenders: list[int] = field(default_factory=list)  # of a contest: until the next refit only these are looked at
    _read: list[Belief] = field(default_factory=list, init=False)

    @property
    def token(self) -> bytes | None:
        """Which arrays these are, where their keeper can tell."""
        return getattr(self.arrays, "token", None)

    @property
    def ideal(self) -> FloatArray:
        """The chances that would be best, `[N]`."""
        return self.arrays["ideal"]

    def belief(self, pool: Pool) -> Belief:
        """The belief about the pool; read once."""
        if not self._read:
            self._read.append(belief_in(self.arrays, pool))
        return self._read[0]

    @property
    def weights(self) -> dict[str, float]:
        """What each candidate counts for in the belief, by name."""
        named = [name for name in self.arrays if name.startswith("weight:")]
        return {name.removeprefix("weight:"): float(self.arrays[name]) for name in named}

    @property
    def warm(self) -> ArrayMap:
        """What learners on features start from next time, by name."""
        return {name.removeprefix("warm:"): self.arrays[name] for name in self.arrays if name.startswith("warm:")}

    @property
    def learners(self) -> dict[str, float]:
        """What each learner on features counts for, by name."""
        named = [name for name in self.arrays if name.startswith("learner:")]
        return {name.removeprefix("learner:"): float(self.arrays[name]) for name in named}

    @property
    def drawn_then(self) -> FloatArray | None:
        """Every item's inclusion as it was then `[N]`; older ones did not keep it.

        Of all items, for the answers it was made from may be taken back, and others come late.
        """
        return self.arrays.get("drawn_then")

    @property
    def features_error(self) -> float | None:
        """The expected error as a share of what it would be without features, where there are some."""
        return float(self.arrays["features_error"]) if "features_error" in self.arrays else None
