# One command per job; each makes the virtual environment that it needs.
PYTHON ?= python3
VENV ?= .venv
FULL ?= .venv-full
BIN := $(VENV)/bin
# Tests of the screen wait half of their time, so more workers than cores.
PYTEST_WORKERS ?= 4
# Read once at import by Textual, so they must be set before Python starts. Bytecode is kept: hundreds of tests
# start processes, and each would compile everything anew.
TEST_ENV := env -u PYTHONDONTWRITEBYTECODE -u NO_COLOR -u TEXTUAL_THEME -u TEXTUAL_FILTERS -u TEXTUAL_COLOR_SYSTEM TEXTUAL_ANIMATIONS=none TZ=UTC LC_ALL=C.UTF-8 COLUMNS=80

.PHONY: help demo test lint types contracts unit full test-semantic bench clean

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -e 's/:.*## /\t/'

$(VENV)/light: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/dev: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --editable . --group dev
	@touch $@ $(VENV)/light

$(FULL)/full: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(FULL)
	$(FULL)/bin/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	$(FULL)/bin/python -m pip install --quiet --retries 10 --timeout 60 --constraint constraints.txt --editable '.[semantic]' --group dev
	@touch $@

demo: $(VENV)/light  ## set up and open a copy of the sample bank
	$(BIN)/memtui demo

test: lint types contracts unit  ## lint, types, import contracts, all tests of the light install

lint: $(VENV)/dev  ## style
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/dev  ## mypy, strict, code and tests
	$(BIN)/mypy

contracts: $(VENV)/dev  ## who may import whom
	$(BIN)/lint-imports --no-cache

unit: $(VENV)/dev  ## tests alone
	$(TEST_ENV) $(BIN)/python -m pytest -n $(PYTEST_WORKERS) --dist loadgroup -m "not semantic and not real_clients" tests

full: $(FULL)/full  ## the whole product: with semantic search
	@echo "memtui with semantic search: $(FULL)/bin/memtui"

test-semantic: $(FULL)/full  ## the tests that need chromadb and sentence-transformers
	$(TEST_ENV) $(FULL)/bin/python -m pytest -m semantic --timeout 300 tests

bench: $(VENV)/dev  ## measure; prints the tables of docs/benchmarks.md
	$(TEST_ENV) $(BIN)/python -m tests.bench

clean:  ## remove what make made
	rm -rf $(VENV) $(FULL) dist build
