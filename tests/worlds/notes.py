"""Notes of a process that may be killed at any moment."""

import json
import os


class Notes:
    """Lines forced to disk before the next thing happens."""

    def __init__(self, path):
        self._handle = os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)

    def write(self, what, **more):
        os.write(self._handle, (json.dumps({"what": what, **more}) + "\n").encode())
        os.fsync(self._handle)


def read(path):
    """The lines that were written whole."""
    return [json.loads(line) for line in path.read_text().split("\n")[:-1]]
