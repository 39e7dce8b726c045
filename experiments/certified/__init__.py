"""The certified method beside the field's estimators, on real and simulated pools."""
