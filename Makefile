# Needs python3 >= 3.11, pip >= 22.3 and make only: no python3-venv (pip fills a venv made without pip).
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.stamp

run: setup ## three robots drive to the red target in formation; draws formation.svg
	$(BIN)/coopsim run formation --no-gui --plot formation.svg

setup: $(STAMP) ## make .venv with everything and compile the kernels

test: check ## everything CI runs
	$(BIN)/python -m pytest -q

check: setup ## style, types and architecture
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

check-html: setup ## the page of an exported recording, scrubbed in a headless chromium; pictures in build/
	@mkdir -p build
	$(BIN)/coopsim run formation --mode lockstep --duration 20 --no-gui --port 0 --record build/page.mcap --overwrite
	$(BIN)/coopsim export build/page.mcap --html build/page.html
	$(BIN)/python tests/integration/replay_offline/browser.py build/page.html build

wheel: setup
	$(PYTHON) -m pip --python $(BIN)/python wheel --no-deps -w dist .

$(STAMP): setup.cfg pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv --without-pip $(VENV)
	@echo "installing into $(VENV) ..."
	$(PYTHON) -m pip --python $(BIN)/python install --disable-pip-version-check -q -e ".[dev]"
	@echo "compiling the kernels (once, about 20 s) ..."
	$(BIN)/python -m coopsim.simulation.warm
	@touch $@

clean:
	rm -rf $(VENV) build dist *.egg-info

.PHONY: run setup test check check-html wheel clean
