# Set-up, checks and demo of blockfeat. Needs make and Python 3.11 or newer; all else goes into $(VENV).

PYTHON ?=
VENV ?= .venv
CORPORA ?= ../shared/corpora
JOBS ?= 2
SECONDS ?= 60

BIN := $(VENV)/bin
RUN := $(BIN)/python -m
# What is done already: the environment with what the demo needs, the modules compiled, the development tools added.
INSTALLED := $(VENV)/.installed
COMPILED := $(VENV)/.compiled
STAMP := $(VENV)/.development
# The sources of the compiled modules, from the list in blockfeat/compiled.py.
SOURCES := $(shell sed -n 's/^ *"\(blockfeat\.[a-z_.]*\)",$$/\1/p' blockfeat/compiled.py | tr . / | sed 's/$$/.p*/')
PIP := $(RUN) pip --disable-pip-version-check --quiet --quiet
OLD_PYTHON := blockfeat needs Python 3.11 or newer

MAKEFLAGS += --no-print-directory
SHELL := /bin/sh
.DEFAULT_GOAL := help
.PHONY: help venv demo test test-all lint format docs gate fuzz mutate build check-wheel lock clean
.DELETE_ON_ERROR:

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

venv: $(COMPILED) $(STAMP) ## Create the virtual environment and install blockfeat with its development tools
	@echo "$(VENV) is ready"

$(INSTALLED): pyproject.toml requirements-dev.lock
	@set -e; \
	if ! $(RUN) pip --version >/dev/null 2>&1; then \
	    python=""; \
	    for candidate in $(or $(PYTHON),python3.11 python3 python3.12 python3.13 python3.14); do \
	        if $$candidate -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	            python=$$candidate; break; \
	        fi; \
	    done; \
	    if [ -z "$$python" ]; then \
	        echo "$(OLD_PYTHON); tried: $(or $(PYTHON),python3.11 python3 python3.12 python3.13 python3.14)." >&2; \
	        echo "Install one, or name it: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)" >&2; \
	        exit 1; \
	    fi; \
	    echo "Creating $(VENV) with $$($$python --version)"; \
	    $$python -m venv $(VENV); \
	fi
	@$(BIN)/python -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo "$(OLD_PYTHON), but $(VENV) holds $$($(BIN)/python --version): remove it, then run make again." >&2; exit 1; }
	@echo "Installing blockfeat and what the demo needs into $(VENV) (about a minute)"
	@$(PIP) install --constraint requirements-dev.lock cython setuptools wheel
	@BLOCKFEAT_COMPILE=0 $(PIP) install --no-build-isolation --constraint requirements-dev.lock --editable '.[demo]'
	@touch $@

# Compiled in place, anew when a source changes; without a C compiler the sources run uncompiled.
$(COMPILED): $(INSTALLED) setup.py blockfeat/compiled.py $(wildcard $(SOURCES))
	@echo "Compiling the modules of blockfeat/compiled.py (about a minute the first time)"
	@BLOCKFEAT_JOBS=$(JOBS) $(BIN)/python setup.py --quiet build_ext --inplace >$(VENV)/compile.log 2>&1 || \
	    { cat $(VENV)/compile.log >&2; exit 1; }
	@touch $@

$(STAMP): $(INSTALLED)
	@echo "Installing the development tools into $(VENV) (a few minutes the first time)"
	@$(PIP) install --requirement requirements-dev.lock
	@touch $@

demo: $(COMPILED) ## Extract a bundled page; compare with eight thresholds trained meanwhile, and with resiliparse
	@echo "Running $(BIN)/blockfeat demo"
	@$(BIN)/blockfeat demo

test: lint ## Run what every change needs: ruff, mypy, import-linter, quick tests
	@echo "pytest"
	@$(RUN) pytest -n $(JOBS) --dist loadfile -m "not slow and not rest" --hypothesis-profile quick

test-all: lint ## Run all checks: also browser, drill, experiments, documents, Spark where they install
	@echo "pytest, all tests"
	@$(RUN) pytest -n $(JOBS) --dist loadfile

lint: $(COMPILED) $(STAMP) ## Run the checks that do not run the code
	@echo "ruff check"
	@$(RUN) ruff check --quiet .
	@echo "ruff format --check"
	@$(RUN) ruff format --quiet --check . || { echo "some files are not formatted: run make format" >&2; exit 1; }
	@echo "mypy --strict blockfeat experiments benchmarks"
	@$(RUN) mypy --strict --no-error-summary blockfeat experiments benchmarks
	@echo "lint-imports"
	@$(BIN)/lint-imports --no-logo > $(VENV)/lint-imports.log || { cat $(VENV)/lint-imports.log >&2; exit 1; }
	@echo "figures of the documents"
	@$(RUN) tools.figures --check

format: $(STAMP) ## Format the code and mend what ruff can mend
	@$(RUN) ruff check --quiet --fix-only .
	@$(RUN) ruff format .

# Without --quiet, which hides warnings before --strict counts them.
docs: $(COMPILED) $(STAMP) ## Build the documentation site into site, strictly and without the network
	@NO_MKDOCS_2_WARNING=1 $(RUN) mkdocs build --strict

gate: $(COMPILED) $(STAMP) ## Score the pinned corpora; fail where a score falls more than 0.002 below its floor
	@$(BIN)/python tools/gate.py --corpora $(CORPORA) --jobs $(JOBS)

fuzz: $(STAMP) ## Feed broken pages to extraction for SECONDS (60); findings go into tests/findings
	@$(BIN)/python -c 'import atheris' 2>/dev/null || $(PIP) install atheris
	@BLOCKFEAT_BOUNDSCHECK=1 $(BIN)/python setup.py --quiet build --build-base build/checked --build-lib build/checked/lib
	@PYTHONPATH=build/checked/lib $(BIN)/python tools/fuzz.py --seconds $(SECONDS)

mutate: $(COMPILED) ## Put small faults into modules (MODULES=…), count those that the nearest tests catch
	@$(BIN)/python -c 'import cosmic_ray' 2>/dev/null || $(PIP) install cosmic-ray
	@$(BIN)/python tools/mutation.py --jobs $(JOBS) $(MODULES)

# The same commit gives the same bytes: times are those of the commit, archives are sorted. A wheel for Linux gets its
# manylinux tag where auditwheel and patchelf are installed.
build: $(STAMP) ## Build the wheel and the source archive into dist, reproducibly
	@rm -rf dist
	@SOURCE_DATE_EPOCH=$${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct 2>/dev/null || echo 315532800)} \
	    $(BIN)/python tools/build_release.py --outdir dist

check-wheel: $(STAMP) ## Build, install the wheel in an empty environment, and run the tests against it
	@$(MAKE) build
	@$(BIN)/python tools/check_wheel.py dist --jobs $(JOBS)

lock: $(STAMP) ## Pin the development environment anew from pyproject.toml
	@$(RUN) piptools compile --quiet --upgrade --extra dev --allow-unsafe --strip-extras \
	    --no-emit-index-url --no-emit-find-links --no-emit-trusted-host \
	    --output-file $(VENV)/compiled.lock pyproject.toml
	@sed '/^blockfeat @/,/^    #/d' $(VENV)/compiled.lock > requirements-dev.lock # the development extra names others of ours

clean: ## Remove the virtual environment, caches and what was built
	@rm -rf $(VENV) build dist site *.egg-info .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache report.log
	@find . -name .git -prune -o -type d -name __pycache__ -exec rm -rf {} +
	@find blockfeat -name '*.so' -delete
