# `make reproduce`: every paper in the quick profile; `make check`: before a commit; `make test`: the whole check; `make lab`: the notebooks; `make docs`: the site.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# One process a core, each with one BLAS thread.
PYTEST := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -q -p no:cacheprovider
PARALLEL := -n auto --dist worksteal
CHECKED := tests/test_house.py tests/test_project_files.py tests/cli tests/data tests/rerun
# pip's output as one line that counts the libraries; errors go past it, and its exit code stays.
SHELL := bash
.SHELLFLAGS := -o pipefail -c
INSTALL := $(BIN)/python -m pip install --progress-bar off --no-deps
SHOWN := | awk '/Downloading|Using cached/ { printf "\r  got %d libraries", ++n } \
  /^Installing/ { printf "\n  unpacking %d libraries ...\n", NF - 3 } { fflush() }'
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export MNE_DONTWRITE_HOME := true

.PHONY: reproduce full verify check test coverage notebooks renew-notebooks cpus bounds minimum lab docs report readme lists examples lock clean

reproduce: $(VENV)/.ready
	$(BIN)/reprolib reproduce --quick

full: $(VENV)/.ready
	$(BIN)/reprolib reproduce --full

# 2 % of the committed records again from scratch, other ones every day; VERIFY=--missing-data where not all data are at hand.
verify: $(VENV)/.ready
	$(BIN)/reprolib verify $(VERIFY)

# Before every commit: style, types, and the tests that take seconds.
check: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(PYTEST) $(PARALLEL) -m "not slow" $(CHECKED)

test: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(PYTEST) $(PARALLEL) tests
	$(MAKE) notebooks

# Apart from `make test`: tests and notebooks of the examples, which are repositories of their own. One alone: make examples EXAMPLES=kfd-raetsch
EXAMPLES := kfd-raetsch

examples: $(VENV)/.test
	set -e; for name in $(EXAMPLES); do \
	  (cd examples/$$name && export PYTHONPATH=$(CURDIR)/examples/$$name REPROLIB_PAPERS=$(CURDIR)/examples/$$name && \
	    OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(CURDIR)/$(BIN)/python -m pytest -q -p no:cacheprovider -n auto --dist loadfile --nbval tests notebooks); \
	done

# Apart from `make test`: every call of every library is traced, which nearly doubles the time.
coverage: $(VENV)/.test
	$(PYTEST) $(PARALLEL) tests --cov --cov-report=term:skip-covered --cov-fail-under=90

notebooks: $(VENV)/.test
	$(PYTEST) -n auto --dist loadfile --nbval notebooks

# Outputs written anew: make renew-notebooks NOTEBOOKS=notebooks/kpm.ipynb
renew-notebooks: $(VENV)/.test
	$(BIN)/python tools/renew_notebooks.py $(NOTEBOOKS)

# Data, tests and notebooks with the BLAS kernels of four processor families; four times as long as `make test`.
cpus: $(VENV)/.test
	PYTHON=$(CURDIR)/$(BIN)/python .ci/cpus

# Compiled loops with every index checked: numba does not check them, and writes past the end of an array.
bounds: $(VENV)/.test
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(CURDIR)/build/numba-bounds \
	  $(PYTEST) $(PARALLEL) tests/methods/kpm tests/methods/mkpm tests/methods/keops tests/methods/simplex

lab: $(VENV)/.test
	$(BIN)/jupyter lab notebooks

docs: $(VENV)/.test
	$(BIN)/python -m sphinx -W --keep-going -q -c docs . build/docs
	@echo "Documentation: $(CURDIR)/build/docs/index.html"

# The lists of estimators, papers and data sets in docs/, from the code and the records.
lists: $(VENV)/.ready
	$(BIN)/python tools/write_lists.py

report: $(VENV)/.ready
	$(BIN)/reprolib report

readme: $(VENV)/.ready
	$(BIN)/python -m tools.readme_block

$(VENV)/.ready: tools/locks/run.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11, 4))' || \
	  { echo "reprolib needs Python 3.11.4 or newer; name one with: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@echo "Installing reprolib and its libraries in $(VENV) (700 MB, some minutes) ..."
	$(PYTHON) -m venv $(VENV)
	@$(INSTALL) --require-hashes -r tools/locks/run.lock $(SHOWN)
	$(INSTALL) --quiet --no-build-isolation -e .
	@touch $@

$(VENV)/.test: $(VENV)/.ready tools/locks/develop.lock
	@echo "Installing pytest, ruff, mypy, JupyterLab and Sphinx in $(VENV) ..."
	@$(INSTALL) --require-hashes -r tools/locks/develop.lock $(SHOWN)
	@touch $@

$(VENV)/.lab: $(VENV)/.test
	@touch $@

# Needs uv. It keeps the locked versions where the bounds allow: UPGRADE=--upgrade takes the newest.
# Names, versions and hashes, no index URLs. What runs the package has the same versions in both.
COMPILE := uv pip compile --quiet $(UPGRADE) --universal --python-version 3.11 --generate-hashes --no-annotate --no-header \
  --no-emit-index-url --no-emit-package reprolib --group build pyproject.toml

lock:
	$(COMPILE) --extra papers -o tools/locks/run.lock
	$(COMPILE) --extra test --extra cluster --extra lab --extra docs --group release -c tools/locks/run.lock -o tools/locks/develop.lock

clean:
	rm -rf build docs/made .pytest_cache .mypy_cache .ruff_cache

# The tests with the lowest versions that pyproject.toml allows, from wheels alone; needs uv.
MINIMUM := build/minimum

minimum:
	uv venv --quiet --clear --python $(PYTHON) $(MINIMUM)
	uv pip compile --quiet --resolution lowest-direct --python $(MINIMUM)/bin/python --no-emit-index-url --no-header \
	  --extra test --extra cluster --group build pyproject.toml -o $(MINIMUM)/requirements.txt
	uv pip install --quiet --only-binary :all: --python $(MINIMUM)/bin/python -r $(MINIMUM)/requirements.txt
	uv pip install --quiet --no-deps --no-build-isolation --python $(MINIMUM)/bin/python -e .
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(MINIMUM)/bin/python -m pytest -q -p no:cacheprovider $(PARALLEL) tests
