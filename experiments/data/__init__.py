"""Real data and the models under test that come with it: loaders, checksums, networks that are trained on it."""
