# Everything runs in .venv, made from the Python on the PATH; nothing else is needed beforehand.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: test test-all check pytest browser tmux coverage bench torture torture-briefly provenance demo docs pictures docs-site semantic-table clean

test: check pytest torture-briefly

# Everything that `make test` samples: every cut of every file of every connector.
test-all: export AJ_ALL_CUTS = 1
test-all: test

check: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# A process of tests that crashes ends the run at once and is named: with a new process in its place,
# the run could wait for ever near its end.
pytest: $(STAMP) browser tmux
	$(BIN)/pytest -n 2 --dist worksteal --max-worker-restart 0

# Exported pages are tested in a real browser: the one that is installed, or Chromium, which is
# installed here in CI and for root.
browser: $(STAMP)
	$(BIN)/python -m tests.support.browser

# The terminal UI is tested in real terminals, too.
tmux: $(STAMP)
	$(BIN)/python -m tests.support.tmux

# Without the tests of what a command imports, which would find the coverage tool itself.
coverage: $(STAMP) browser tmux
	$(BIN)/pytest -n 2 --dist worksteal --max-worker-restart 0 --cov --cov-report=term:skip-covered \
	  --ignore=tests/test_startup.py \
	  --deselect=tests/usage/test_prices.py::test_prices_are_looked_up_once

bench: $(STAMP)
	$(BIN)/python bench/run.py $(BENCH)

# Crashes, damage and hostile files, for five minutes. TORTURE_S= sets the seconds, TORTURE_SEED= the seed,
# TORTURE=kills,damage the disciplines, TORTURE_TRIAL=damage:123 repeats one trial.
torture: $(STAMP)
	TORTURE_S=$(TORTURE_S) TORTURE_SEED=$(TORTURE_SEED) TORTURE=$(TORTURE) TORTURE_TRIAL=$(TORTURE_TRIAL) \
	  $(BIN)/python -m bench.torture

torture-briefly: $(STAMP)
	TORTURE_S=60 TORTURE=kills,full-disk,changes,damage,mutations,imports,arrival,load $(BIN)/python -m bench.torture

# Whether `aj blame` is right, on invented repositories. PROVENANCE= takes options: --seed, --repositories,
# --most, --wrong, and --repo PATH for a repository of your own.
provenance: $(STAMP)
	$(BIN)/python -m bench.provenance $(PROVENANCE)

docs: $(STAMP)
	$(BIN)/python docs/generate.py
	$(BIN)/python docs/screens.py
	$(BIN)/python docs/tui_screen.py

# Pictures of the page, from the demo: look at them before you commit them.
pictures: $(STAMP) browser
	$(BIN)/python docs/pictures.py

docs-site: $(STAMP)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

# The word table of search by meaning, from OUT/ of the machine with the GPU; tools/semantic/README.md has the steps before.
semantic-table:
	$(WORK)/venv/bin/python tools/semantic/fit.py $(WORK) $(WORK)/vectors $(WORK)/fitted.bin --words 45000 --lambda 2
	$(WORK)/venv/bin/python -W ignore tools/semantic/mine.py $(WORK)
	$(WORK)/venv/bin/python tools/semantic/bags.py $(WORK) --words 45000
	$(WORK)/venv/bin/python tools/semantic/tune.py $(WORK)/bags.xz $(WORK)/fitted.bin src/agent_journal/search/word-table.bin
	$(WORK)/venv/bin/python tools/semantic/evaluate.py $(WORK) src/agent_journal/search/word-table.bin

demo: $(STAMP)
	$(BIN)/aj demo

$(STAMP): pyproject.toml
	# Debian may ship venv without pip: then pip is put into it from outside.
	test -x $(BIN)/pip || $(PYTHON) -m venv $(VENV) || { $(PYTHON) -m venv --without-pip --clear $(VENV) && \
	  $(PYTHON) -m pip --quiet --python $(BIN)/python install pip; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $(STAMP)

clean:
	rm -rf $(VENV) build dist bench/.corpus site .mypy_cache .ruff_cache .pytest_cache .hypothesis
