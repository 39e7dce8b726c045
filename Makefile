# Every target sets up its own .venv first; a fresh Debian with Python 3.11 needs nothing else.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed

.PHONY: demo test matrix slow programs lint types bench results certified-results papers papers-smoke papers-page best-results docs gallery site clean

demo: $(STAMP)
	$(BIN)/altmas demo

test: $(STAMP) programs
	$(BIN)/ruff check .
	$(BIN)/pytest -n 2 --dist loadfile

# The tests of what another Python is likely to change, once per Python that is found on this machine.
PYTHONS ?= 3.11 3.12 3.13
MATRIX ?= tests/core tests/words tests/formats tests/commands tests/surrogates/test_networks.py \
	tests/whole/test_assess.py tests/whole/test_systems.py tests/whole/test_silence.py
matrix:
	PYTHONS="$(PYTHONS)" sh tests/matrix.sh $(MATRIX)

slow: $(STAMP) programs
	$(BIN)/pytest -m slow

# Tests that drive a browser or a spreadsheet are skipped, with a reason, where there is none. CI has both.
programs:
	@if [ -n "$$CI" ] && ! { command -v chromium && command -v soffice; } >/dev/null; then \
		apt-get -q update && apt-get -q install -y --no-install-recommends chromium libreoffice-calc; fi

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/pytest tests/whole/test_install.py -k typed

bench: $(STAMP)
	$(BIN)/python benchmarks/draws.py
	$(BIN)/python benchmarks/round.py
	$(BIN)/python benchmarks/scale.py
	$(BIN)/python benchmarks/scores.py
	$(BIN)/python benchmarks/bandit.py
	$(BIN)/python benchmarks/betting.py
	$(BIN)/python benchmarks/certified.py
	$(BIN)/python benchmarks/features.py
	$(BIN)/python benchmarks/models.py
	$(BIN)/python benchmarks/limits.py --smoke
	$(BIN)/python benchmarks/rows.py
	$(BIN)/python benchmarks/audit.py
	$(BIN)/python benchmarks/page.py
	$(BIN)/python benchmarks/keys.py
	$(BIN)/python benchmarks/bench.py
	$(BIN)/python benchmarks/surface.py
	$(BIN)/python benchmarks/crossings.py
	$(BIN)/python benchmarks/first_phase.py

# docs/results.md and its figures, from the rows in benchmarks/results.
results: $(STAMP)
	$(BIN)/python -m altmas.experiments.alt_mas.results --rows benchmarks/results --docs docs

# docs/certified-results.md and its figure, from rows that benchmarks/sweeps/certified*.toml made.
certified-results: $(STAMP)
	$(BIN)/python -m altmas.experiments.certified.sweep_report --out docs --labels 400 \
		$(patsubst %,--rows %,$(wildcard benchmarks/results/certified*.jsonl.gz))
	rm -f docs/certified-results.png

# The rows of all tables and figures of the four papers that are not there yet, each run once and gone on with, where DATA
# is the folder of stored data; then docs/papers.md and the pages it links. The page says how long it takes from nothing.
PAPERS := $(BIN)/python -m altmas.experiments.papers
papers: $(STAMP)
	$(PAPERS).runs --data $(DATA) --rows benchmarks/results --docs docs --jobs 2

# The same runs, tiny and on bundled data: that all of them work.
papers-smoke: $(STAMP)
	rm -rf build/papers-smoke
	$(PAPERS).runs --smoke --rows build/papers-smoke

# docs/papers.md from the rows that are stored, and nothing run.
papers-page: $(STAMP)
	$(PAPERS) --rows benchmarks/results --docs docs

# docs/best-results.md and its figure, from rows that experiments/best/regret.py made.
best-results: $(STAMP)
	$(BIN)/python -m altmas.experiments.best.report --rows benchmarks/results/best.csv --out docs

docs: $(STAMP)
	$(BIN)/python docs/make_pictures.py
	$(BIN)/python docs/make_interval_pictures.py
	$(BIN)/python docs/make_screenshots.py
	$(BIN)/pytest tests/whole/test_docs.py

# The notebooks of docs/gallery, executed from the programs beside them.
gallery: $(STAMP)
	$(BIN)/python docs/make_gallery.py

# The docs as a site with search, in site/: open site/index.html. Broken links and warnings fail; the variable leaves
# out news of another product.
site: $(STAMP)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

$(STAMP): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test,site]'
	touch $(STAMP)

clean:
	rm -rf .venv .venv-3.* build dist site *.egg-info altmas-demo
