"""The labelling page: a small server on this machine for the people who answer, and nobody else."""
