"""Estimators of accuracy surfaces: independent Betas, Gaussian processes, pooling, and calibration of attributes."""
