"""Reports: what an audit found, as facts, sentences, figures and files."""
