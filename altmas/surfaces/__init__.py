"""Accuracy surfaces: arms from attributes, answers counted, a surface fitted, explored, tabled, drawn, put in words."""
