"""The ALT-MAS paper: its six models under test, its figures, and the page of results."""
