"""The sweep engine: a spec of cells, workers, one row per cell on disk, and the command `altmas bench`."""
