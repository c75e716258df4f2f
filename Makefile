# Two commands to know: `make serve` and `make test`. Each sets up what it needs, in .venv, and says what it does.

PYTHON ?= python3
BIN := .venv/bin
LOCKED := .venv/.locked
READY := .venv/.ready
DEV_LOCKED := .venv/.locked-dev
TS_READY := .venv/.ready-ts
PEERS_BIN := .venv-peers/bin
PEERS_READY := .venv-peers/.ready
FRAMEWORKS_BIN := .venv-frameworks/bin
FRAMEWORKS_READY := .venv-frameworks/.ready

.PHONY: help setup setup-dev serve test test-engine check format worker bench bench-recall bench-extract bench-peers frameworks lock clean

help:
	@echo "make serve    set up and start the service with its embedded database"
	@echo "make test     set up and run the tests"
	@echo "make test-engine POSTGRES=/usr/lib/postgresql/15/bin    every face on another Postgres, through pgbouncer"
	@echo "make check    formatting, lint, strict types"
	@echo "make format   put the formatting right"
	@echo "make bench    repeatable benchmarks that print ratios"
	@echo "make bench-recall   quality of recall on the public benchmarks"
	@echo "make bench-extract  quality of what is learned from conversations (data/memchat)"
	@echo "make bench-peers    get LangGraph's store and mem0, for bench-recall to compare with"
	@echo "make frameworks     get CrewAI, Google ADK, LangMem and mem0, for the tests of tests/frameworks"
	@echo "make worker   background jobs in a process of their own"
	@echo "make lock     resolve requirements.lock and requirements-dev.lock anew"
	@echo "make clean    remove .venv and caches"

setup: $(READY)

# The versions of requirements.lock.
$(LOCKED): requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Holdfast needs Python 3.11 or later; try: make PYTHON=python3.12 …")'
	@echo "── making .venv (once; later starts skip all of this)"
	@$(PYTHON) -m venv .venv
	@$(BIN)/python tools/install.py requirements.lock
	@touch $@

# What running needs besides: the embedding model, and holdfast from this checkout.
$(READY): $(LOCKED) pyproject.toml sdk/pyproject.toml minilm/pyproject.toml
	@echo "── building the embedding model and installing holdfast from this checkout (about half a minute)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps -e minilm -e sdk -e .
	@touch $@

# What the tests and the checks need besides, at the same time: the model is built while packages are unpacked.
setup-dev:
	@$(MAKE) --no-print-directory --silent -j3 $(READY) $(DEV_LOCKED) $(TS_READY)

# Most of their modules are never imported: those that are, are compiled then.
$(DEV_LOCKED): $(LOCKED) requirements-dev.lock
	@$(BIN)/python tools/install.py requirements-dev.lock --no-compile
	@touch $@

# What the TypeScript client is built with. Its tests are skipped where this is not to be had.
$(TS_READY): $(LOCKED) sdk-ts/package-lock.json
	@if ! command -v npm >/dev/null; then echo "── no npm on this machine: the TypeScript client is not tested"; \
	elif ! (cd sdk-ts && npm ci --silent --no-progress --fetch-timeout=30000 --fetch-retries=1); then \
	echo "── npm ci failed in sdk-ts: the TypeScript client is not tested"; fi
	@touch $@

serve: setup
	@$(BIN)/holdfast serve

worker: setup
	@$(BIN)/holdfast worker

test: setup-dev
	@echo "── the tests, on a real Postgres started for them"
	@PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -q -n auto --dist worksteal

# The programs of the Postgres to test on, such as /usr/lib/postgresql/15/bin (with pgvector); embedded: those of the tests.
POSTGRES ?= embedded

test-engine: setup-dev
	@echo "── the tests of every face on $(POSTGRES): an owner that is no superuser, pgbouncer, two serve, two worker"
	@HOLDFAST_TEST_POSTGRES=$(POSTGRES) $(BIN)/python -m pytest -q -n auto --dist worksteal -m engine

check: setup-dev
	@echo "── formatting, lint, types"
	@$(BIN)/ruff format --check --quiet . || { echo "run: make format"; exit 1; }
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy

format: setup-dev
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

bench: setup-dev
	@$(BIN)/python -m bench

bench-recall: setup-dev
	@$(BIN)/python -m bench.recall

bench-extract: setup-dev
	@$(BIN)/python -m bench.extract

# In an environment of their own: what the peers depend on never meets what the service depends on.
bench-peers: $(PEERS_READY)
	@echo "── the peers are in .venv-peers: make bench-recall measures them too"

$(PEERS_READY): pyproject.toml minilm/pyproject.toml
	@echo "── making .venv-peers, with the peers and the embedder they share with us"
	@$(PYTHON) -m venv .venv-peers
	@$(PEERS_BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	@$(PEERS_BIN)/python -m pip install --quiet --disable-pip-version-check --group bench-peers -e minilm
	@touch $(PEERS_READY)

# In an environment of their own too: they pin versions that the service does not.
frameworks: $(FRAMEWORKS_READY)
	@echo "── the frameworks are in .venv-frameworks: make test runs their examples too"

$(FRAMEWORKS_READY): pyproject.toml sdk/pyproject.toml
	@echo "── making .venv-frameworks (about 1 GB)"
	@$(PYTHON) -m venv .venv-frameworks
	@$(FRAMEWORKS_BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	@$(FRAMEWORKS_BIN)/python -m pip install --quiet --disable-pip-version-check --group frameworks -e sdk
	@touch $(FRAMEWORKS_READY)

lock: setup-dev
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	@$(BIN)/python tools/lock.py

clean:
	@rm -rf sdk-ts/node_modules sdk-ts/dist sdk-ts/build
	@rm -rf .venv .venv-peers .venv-frameworks .mypy_cache .ruff_cache .pytest_cache .hypothesis
