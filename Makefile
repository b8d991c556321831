# Set-up, checks and demo of blockfeat. Needs make and Python 3.11 or newer; all else goes into $(VENV).

PYTHON ?=
VENV ?= .venv
CORPORA ?= ../shared/corpora
JOBS ?= 2
SECONDS ?= 60
LARGE ?=

BIN := $(VENV)/bin
RUN := $(BIN)/python -m
# What is done already: the environment with what the demo needs, the modules compiled, the development tools added.
INSTALLED := $(VENV)/.installed
COMPILED := $(VENV)/.compiled
STAMP := $(VENV)/.development
# The sources of the compiled modules, from the list in blockfeat/compiled.py.
SOURCES := $(shell sed -n 's/^ *"\(blockfeat\.[a-z_.]*\)",$$/\1/p' blockfeat/compiled.py | tr . / | sed 's/$$/.p*/')
PIP := $(RUN) pip --disable-pip-version-check --quiet --quiet
COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
    --annotation-style line --custom-compile-command 'make lock'
OLD_PYTHON := blockfeat needs Python 3.11 or newer
# Times of files in archives are those of the commit; links lead to the address that is set, or stands in CITATION.cff.
COMMIT_TIME := SOURCE_DATE_EPOCH=$${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct 2>/dev/null || echo 315532800)}
export BLOCKFEAT_REPOSITORY ?= $(shell sed -n 's/^repository-code: *//p' CITATION.cff)

MAKEFLAGS += --no-print-directory
SHELL := /bin/sh
.DEFAULT_GOAL := help
.PHONY: help venv demo test test-all delivered test-least lint format docs gate fuzz torture mutate build check-wheel release-check \
    audit lock clean
.DELETE_ON_ERROR:

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

venv: $(COMPILED) $(STAMP) ## Create the virtual environment and install blockfeat with its development tools
	@echo "$(VENV) is ready"

$(INSTALLED): pyproject.toml requirements-demo.lock
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
	@$(PIP) install --require-hashes --requirement requirements-demo.lock
	@BLOCKFEAT_COMPILE=0 $(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

# Compiled in place, anew when a source changes; without a C compiler the sources run uncompiled.
$(COMPILED): $(INSTALLED) setup.py blockfeat/compiled.py $(wildcard $(SOURCES))
	@echo "Compiling the modules of blockfeat/compiled.py (about a minute the first time)"
	@BLOCKFEAT_JOBS=$(JOBS) $(BIN)/python setup.py --quiet build_ext --inplace >$(VENV)/compile.log 2>&1 || \
	    { cat $(VENV)/compile.log >&2; exit 1; }
	@touch $@

$(STAMP): $(INSTALLED) requirements-dev.lock
	@echo "Installing the development tools into $(VENV) (a few minutes the first time)"
	@$(PIP) install --require-hashes --requirement requirements-dev.lock
	@touch $@

demo: $(COMPILED) ## Extract a bundled page; compare with eight thresholds trained meanwhile, and with resiliparse
	@echo "Running $(BIN)/blockfeat demo"
	@$(BIN)/blockfeat demo

test: lint ## Run what every change needs: ruff, mypy, import-linter, quick tests
	@echo "pytest"
	@$(RUN) pytest -n $(JOBS) --dist loadfile -m "not slow and not rest" --hypothesis-profile quick

test-all: lint ## Run all checks: also browser, drill, experiments, documents, each extra in an environment of its own
	@echo "pytest, all tests"
	@$(RUN) pytest -n $(JOBS) --dist loadfile

# Environments stay in build/delivered for the next run; LARGE=1 adds those with PyTorch.
delivered: $(COMPILED) $(STAMP) ## Run every block of the documents in a clean environment of the install that its page names
	@BLOCKFEAT_LARGE=$(LARGE) $(RUN) pytest -n $(JOBS) --dist load tests/documents/test_blocks.py

lint: $(COMPILED) $(STAMP) ## Run the checks that do not run the code
	@echo "ruff check"
	@$(RUN) ruff check --quiet .
	@echo "ruff format --check"
	@$(RUN) ruff format --quiet --check . || { echo "some files are not formatted: run make format" >&2; exit 1; }
	@echo "mypy --strict blockfeat experiments benchmarks"
	@$(RUN) mypy --strict --no-error-summary blockfeat experiments benchmarks
	@echo "imports against extras"
	@$(BIN)/python tools/check_imports.py
	@echo "size of the package"
	@$(BIN)/python tools/measure_size.py --check > $(VENV)/size.log || { cat $(VENV)/size.log >&2; exit 1; }
	@echo "lint-imports"
	@$(BIN)/lint-imports --no-logo > $(VENV)/lint-imports.log || { cat $(VENV)/lint-imports.log >&2; exit 1; }
	@echo "actionlint, zizmor"
	@PATH="$(abspath $(BIN)):$$PATH" $(BIN)/actionlint .github/workflows/*.yml # calls shellcheck where that is installed
	@$(BIN)/zizmor --offline --quiet .github >$(VENV)/zizmor.log || { cat $(VENV)/zizmor.log >&2; exit 1; }
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

# Linux with a C compiler: calls of the C library are made to fail. `make test-all` has the short form.
torture: $(COMPILED) $(STAMP) ## Fail every write, read, connection … of every command in turn; nothing may be lost
	@$(RUN) tools.torture

mutate: $(COMPILED) ## Put small faults into modules (MODULES=…), count those that the nearest tests catch
	@$(BIN)/python -c 'import cosmic_ray' 2>/dev/null || $(PIP) install cosmic-ray
	@$(BIN)/python tools/mutation.py --jobs $(JOBS) $(MODULES)

# The same commit gives the same bytes: times are those of the commit, archives are sorted. A wheel for Linux gets its
# manylinux tag where auditwheel and patchelf are installed.
build: $(STAMP) ## Build the wheel and the source archive into dist, reproducibly
	@rm -rf dist
	@$(COMMIT_TIME) $(BIN)/python tools/build_release.py --outdir dist

check-wheel: build ## Build, install the wheel in an empty environment, and run the tests against it
	@$(BIN)/python tools/check_wheel.py dist --jobs $(JOBS)

test-least: build ## Run the quick tests against the wheel with the least versions that pyproject.toml allows
	@$(BIN)/python tools/check_wheel.py dist --jobs $(JOBS) --least --quick

release-check: $(COMPILED) $(STAMP) ## Do on one machine all that a release does, but publish it
	@$(COMMIT_TIME) $(BIN)/python tools/check_release.py --jobs $(JOBS)

audit: $(STAMP) ## Look up known weaknesses of the libraries, on the network
	@$(RUN) pip_audit --strict --require-hashes --disable-pip --requirement requirements-dev.lock
	@$(COMPILE) --extra all --output-file $(VENV)/all.lock pyproject.toml
	@$(RUN) pip_audit --strict --require-hashes --disable-pip --requirement $(VENV)/all.lock

# One lock for every system and Python; the demo's is a part of it. Hashes are those of the files that PyPI has.
lock: $(STAMP) ## Pin the environments of development and demo anew from pyproject.toml
	@$(COMPILE) --upgrade --extra dev --output-file requirements-dev.lock pyproject.toml
	@printf 'cython\nsetuptools\nwheel\n' | \
	    $(COMPILE) --extra train --constraint requirements-dev.lock --output-file requirements-demo.lock pyproject.toml -

clean: ## Remove the virtual environment, caches and what was built
	@rm -rf $(VENV) build dist site *.egg-info .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache report.log
	@find . -name .git -prune -o -type d -name __pycache__ -exec rm -rf {} +
	@find blockfeat -name '*.so' -delete
