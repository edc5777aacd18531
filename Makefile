# Every target installs what it needs. `make` lists them.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
.DEFAULT_GOAL := help

include environments/engines.mk

.PHONY: help setup fmt lint type test test-fuzz test-truth test-engine check ci demo demo-noise golden bench-client bench-stats bench-search clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | sort | \
	  awk -F'\t' '{printf "  %-18s %s\n", $$1, $$2}'

$(BIN)/.ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "specbench needs Python 3.11 or later: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install -qq -e '.[dev]'
	@touch $@

setup: $(BIN)/.ready ## specbench and its development tools in .venv

fmt: setup ## format the code
	$(BIN)/ruff format specbench tests environments benchmarks
	$(BIN)/ruff check --fix specbench tests environments benchmarks

lint: setup ## check style
	$(BIN)/ruff format --check specbench tests environments benchmarks
	$(BIN)/ruff check specbench tests environments benchmarks

type: setup ## check types
	$(BIN)/mypy

test: setup ## every test that needs no engine
	$(BIN)/python -m pytest -q -m "not engine and not gpu and not truth"

test-fuzz: setup ## splits and damage at a new SEED, TIMES as many as in `make test` (20)
	SPECBENCH_FUZZ_SEED=$${SEED:-$$(date +%s)} SPECBENCH_FUZZ_TIMES=$${TIMES:-20} \
	  $(BIN)/python -m pytest -q -s tests/fuzz

test-truth: setup ## figures against the simulated server's own log (about 4 min; wants a quiet machine)
	$(BIN)/python -m pytest -q -m truth -o log_level=INFO -rP tests/truth

test-engine: setup engine-vllm-cpu engine-sglang-cpu model-smollm2 ## a real vLLM and a real SGLang on the CPU, a handful of requests
	$(BIN)/python -m pytest -q -m engine tests/engine

check: lint type test ## what a change must pass

ci: check test-truth test-engine ## what .ci/run calls

golden: setup ## rewrite the golden files; review the diff
	$(BIN)/python -m pytest -q tests/golden --update-golden

demo: setup engine-vllm-cpu model-smollm2 ## a real break-even on this machine's CPU (about 15 min)
	$(BIN)/specbench run sweeps/cpu-demo.toml

demo-noise: setup engine-vllm-cpu model-smollm2 ## how much equal launches differ here: the baseline against itself (about 15 min)
	$(BIN)/specbench run sweeps/cpu-demo.toml --aa

bench-client: setup ## our client beside others at a known schedule (about 25 min)
	$(BIN)/python -m pip install -qq -e '.[bench]'
	$(BIN)/python benchmarks/client/run.py $(BENCH)

bench-stats: setup ## how often the answers are right, in virtual time (about 10 min on two cores)
	$(BIN)/python benchmarks/stats/run.py $(BENCH)

bench-search: setup ## what the adaptive search costs beside the grid, in virtual time (about 30 min on two cores)
	PYTHONPATH=benchmarks/stats $(BIN)/python benchmarks/search/run.py $(BENCH)

clean: ## remove what was built; results, engines and models stay
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
