"""The papers' experiments, rerun."""
