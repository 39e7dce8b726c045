"""The accuracy surface paper: its simple setting, simulated surfaces, and tables."""
