"""A Dockerfile, read as far as ours goes: one instruction a line, lines that go on, comments."""

import json
from dataclasses import dataclass


@dataclass(frozen=True)
class Instruction:
    """What to do, and with what, as it is written."""

    word: str
    text: str

    @property
    def words(self):
        """The text as a list, where it is JSON; else what stands between blanks."""
        return json.loads(self.text) if self.text.startswith("[") else self.text.split()


KNOWN = {"FROM", "ENV", "WORKDIR", "COPY", "RUN", "USER", "VOLUME", "ENTRYPOINT", "CMD"}


def parse(text):
    """The instructions of a Dockerfile.

    >>> parse("# x\\nRUN a && \\\\\\n    b\\n")
    [Instruction(word='RUN', text='a && b')]
    """
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    whole = "\n".join(lines).replace("\\\n", " ")
    out = []
    for line in whole.splitlines():
        word, _, rest = line.strip().partition(" ")
        if word not in KNOWN:
            raise ValueError(f"no instruction that is known here: {word}")
        out.append(Instruction(word, " ".join(rest.split())))
    return out
