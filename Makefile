# The two commands of a newcomer are `make demo` and `make test`; both set up what they need in .venv first.

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin
READY := .venv/ready

.PHONY: help setup demo test test-fast test-slow lint format bench clean

help:
	@echo "make demo       set up, run a real comparison on the simulated backbone, show the result"
	@echo "make test       set up, check style and types, run the tests"
	@echo "make test-slow  the tests that take minutes (long solvers, interval coverage)"
	@echo "make bench      the benchmarks"
	@echo "make lint       style and types only;  make format  put the style right"

setup: $(READY)

$(READY): requirements.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "evoplay needs Python 3.11 or newer: install it, or name it with PYTHON=..."; exit 1; }
	@test -x $(BIN)/python || { echo "creating .venv with $(PYTHON)"; $(PYTHON) -m venv .venv; }
	@echo "installing what evoplay stands on (a few minutes the first time)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $(READY)

demo: $(READY)
	$(BIN)/evoplay run configs/demo.toml

test: lint test-fast

test-fast: $(READY)
	$(BIN)/python -m pytest -n auto

test-slow: $(READY)
	$(BIN)/python -m pytest -m slow

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@mkdir -p build/typing && ln -sfn ../.. build/typing/evoplay
	cd build/typing && ../../$(BIN)/mypy --config-file ../../pyproject.toml -m evoplay -p evoplay.envs -p evoplay.memory -p evoplay.methods -p evoplay.evaluation

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(READY)
	$(BIN)/python -m benchmarks

clean:
	rm -rf .venv build dist *.egg-info
