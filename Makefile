# The commands of the project. Each one makes its own environment in .venv the first time.
# PYTHON=... chooses the interpreter; otherwise the first Python 3.11 or newer on PATH is taken.

VENV ?= .venv
JOBS ?= 2
NAMES ?=
TESTS ?=

ifeq ($(OS),Windows_NT)
BIN := $(VENV)/Scripts
else
BIN := $(VENV)/bin
endif
STAMP := $(VENV)/.installed

export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help demo test browser lint format types bench clean

help:  ## Show this list
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1\t\2/' | expand -t 16

# Made again when the dependencies change.
$(STAMP): pyproject.toml
	@python="$(PYTHON)"; \
	if [ -z "$$python" ]; then \
	  for candidate in python3 python3.13 python3.12 python3.11 python; do \
	    if "$$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; \
	    then python="$$candidate"; break; fi; \
	  done; \
	fi; \
	if [ -z "$$python" ]; then \
	  echo "optimargin needs Python 3.11 or newer: install one, or name it with PYTHON=..." >&2; exit 1; \
	fi; \
	echo "Installing into $(VENV) with $$python (once; takes a minute or two)" && \
	"$$python" -m venv "$(VENV)" && \
	"$(BIN)/python" -m pip install --quiet -e ".[dev]" && \
	touch "$@"

demo: $(STAMP)  ## Compare with logistic regression, SVM and LDA; write optimargin-demo.html
	@"$(BIN)/optimargin" demo

test: $(STAMP)  ## Run the tests (TESTS=... chooses files, JOBS=... processes)
	"$(BIN)/python" -m pytest -n $(JOBS) $(TESTS)

# Tried once an environment: where it cannot be had, trying again does not help.
browser: $(STAMP)  ## Install chromium for the report's tests, where apt-get can
	@test -e "$(VENV)/.browser" || .ci/browser
	@touch "$(VENV)/.browser"

lint: $(STAMP)  ## Check style, format and the direction of imports
	"$(BIN)/ruff" check .
	"$(BIN)/ruff" format --check .
	"$(BIN)/lint-imports"

format: $(STAMP)  ## Put the code into the project's format
	"$(BIN)/ruff" check --fix .
	"$(BIN)/ruff" format .

types: $(STAMP)  ## Check the types of the package
	"$(BIN)/mypy"

bench: $(STAMP)  ## Print the benchmarks (NAMES="..." chooses some)
	@"$(BIN)/python" benchmarks/run.py $(NAMES)

clean:  ## Remove the environment and everything generated
	rm -rf "$(VENV)" build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .benchmarks
	rm -f optimargin-demo.html
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
