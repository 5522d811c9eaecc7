# `make` lists the targets. PYTHON picks the interpreter of the virtual environment (3.11 or newer).
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# pip's byte-compiled files make every start of `edu` faster; some images switch them off
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-slow check fmt lint type imports table eval bench soak train-reranker

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

$(VENV)/.run: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.run
	$(BIN)/python -m pip install --quiet -e '.[dev]'
	@touch $@

setup: $(VENV)/.dev ## make .venv with edu and the tools for developing it

demo: $(VENV)/.run ## set up, ingest corpus/, ask a question
	$(BIN)/edu ingest corpus --project $(VENV)/demo
	$(BIN)/edu ask "开课前 7 天以内申请退费要收多少手续费？" --project $(VENV)/demo

test: $(VENV)/.dev ## the tests (under two minutes)
	$(BIN)/python -m pytest -q -n 2 -m "not slow"

test-slow: $(VENV)/.dev ## the long tests: kills, histories, OCR quality, tiny BGE models
	$(BIN)/python -m pytest -q -n 2 -m slow --least-kills 300

check: lint type imports test ## all that must hold before a commit

fmt: $(VENV)/.dev ## format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lint: $(VENV)/.dev ## ruff
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

type: $(VENV)/.dev ## pyright
	$(BIN)/pyright

imports: $(VENV)/.dev ## the direction of imports
	$(BIN)/lint-imports

table: $(VENV)/.dev ## make the table of command lines anew, after a flag has changed
	$(BIN)/python -m edu_cli.cli.tabulate

eval: $(VENV)/.run ## score the bundled gold set
	$(BIN)/edu ingest corpus --project $(VENV)/demo -q
	$(BIN)/edu eval corpus/questions.jsonl --compare modes,strategies --project $(VENV)/demo

bench: $(VENV)/.dev ## every figure of the README (JSON); BENCH="--quick", "--only start,cold", "--langchain PYTHON" …
	$(BIN)/python bench/all.py $(BENCH)

soak: $(VENV)/.dev ## an hour of mixed use of a warm process: memory, files, errors (JSON)
	$(BIN)/python bench/soak.py --minutes 60

train-reranker: $(VENV)/.dev ## train the bundled reranker anew into train/out (hours on a CPU; needs apt-get and ../shared)
	$(BIN)/python -m pip install --quiet -e '.[train]'
	$(BIN)/python train/reranker/material.py train/out
	for s in drcd xquad java manuals; do $(BIN)/edu ingest train/out/$$s/docs --project train/out/$$s/p -q || exit; done
	$(BIN)/python train/reranker/mine.py train/out
	$(BIN)/python train/reranker/train.py train/out --name one --threads 1 --epochs 0.66
	$(BIN)/python train/reranker/train.py train/out --name two --threads 1 --passages 6 --fused 20 --start train/out/one/state.pt
	$(BIN)/python train/reranker/train.py train/out --name model --threads 1 --passages 6 --fused 15 --seed 9 --start train/out/two/state.pt
	$(BIN)/python train/reranker/export.py train/out
