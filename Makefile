# Needs python3 >= 3.11, pip and make only: no python3-venv (the environment gets its own pip from that of the system).
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
PIP_OF := $(VENV)/.pip
INSTALLED := $(VENV)/.installed
FIRST  := $(VENV)/.first-scene
READY  := $(VENV)/.ready
TOOLS  := $(VENV)/.tools
KERNELS := $(VENV)/.kernels
LANE   := setup.py $(wildcard coopsim/lane/*.[ch])
PIP    := $(BIN)/python -m pip install --disable-pip-version-check -qq
# the C library is optional: without a compiler pip goes on without a word
HAS_LANE := ls coopsim/lane/_lane*.so > /dev/null 2>&1 || \
	echo "no C library, so lockstep steps are done by Python and take longer (apt-get install gcc libc6-dev, then make setup)"

run: ## three robots drive to the red target in formation, in a window where there is a display; draws formation.svg
	@$(MAKE) --no-print-directory $(INSTALLED)
	@$(MAKE) --no-print-directory $(FIRST)
	@echo "coopsim run formation --plot formation.svg"
	@$(BIN)/coopsim run formation --plot formation.svg

setup: $(READY) ## make .venv with coopsim, its C library where there is a C compiler, and compile the kernels

tools: $(TOOLS) $(KERNELS) ## add what tests, checks and the documentation need

test: ## everything CI runs
	@$(MAKE) --no-print-directory -j 2 check kernels
	$(BIN)/python -m pytest -q -n 4 --dist loadfile

installed: $(TOOLS) ## install what `tools` adds, and compile nothing

kernels: $(KERNELS) ## compile the kernels of all robots and engines

check: installed ## style, types, architecture and bounds of the house
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tests/house

mutants: tools $(KERNELS) ## put faults into copies and see which tests notice: ONLY=C-30,barrier; DRAWN=300 draws them; an hour and more
	$(BIN)/python tests/mutants $(if $(ONLY),--only $(ONLY)) $(if $(DRAWN),--drawn $(DRAWN)) $(if $(JOBS),--jobs $(JOBS))

docs: tools ## the documentation as a site in build/docs, with a reference made from docstrings
	$(BIN)/python docs/website.py build/docs

typed-clients: tools ## write the generated files of all clients anew
	$(BIN)/python clients/generate.py

figures: tools ## measure everything that the documentation says in numbers, and write it there; a quarter of an hour
	$(BIN)/python benchmarks/figures.py
	$(BIN)/python docs/first_hour.py

arms: tools ## make the pictures and the table of docs/arms.md
	$(BIN)/python docs/arm_figures.py pictures
	$(BIN)/python docs/arm_figures.py table
	$(BIN)/python docs/model_figures.py
	$(BIN)/python docs/generate.py

window: tools ## make the pictures of the window in README.md, docs/gui.md, docs/games.md and docs/renderers.md
	$(BIN)/python docs/window_figures.py window game lobby battle flag renderers
	$(BIN)/python docs/web_figures.py

games: tools ## make the pictures of squads in docs/games.md
	$(BIN)/python docs/game_figures.py gather avoid capture

gateways: tools ## make the pictures of docs/ros1.md, docs/ros2.md, docs/yarp.md and docs/foxglove.md
	$(BIN)/python docs/gateway_figures.py

scenes: tools ## make the pictures and the trials of docs/scenes.md; an hour
	$(BIN)/python docs/scene_figures.py pictures
	$(BIN)/python docs/scene_figures.py trials
	$(BIN)/python docs/scene_figures.py real-time
	$(BIN)/python docs/generate.py

check-html: tools ## the page of an exported recording, scrubbed in a headless chromium; pictures in build/
	@mkdir -p build
	$(BIN)/coopsim run formation --mode lockstep --duration 20 --no-gui --port 0 --record build/page.mcap --overwrite
	$(BIN)/coopsim export build/page.mcap --html build/page.html
	$(BIN)/python tests/standins/browser.py build/page.html build

web-library: ## make the part of three.js that the page for browsers uses; needs npm
	sh benchmarks/web_library.sh

clients: tools ## build and examine the clients of all languages that have their toolchain here
	$(BIN)/python clients/check.py
	$(BIN)/python docs/generate.py

peers: tools ## nodes of ROS 2 in Rust, by two libraries of others, against the gateway; compiles for minutes
	@mkdir -p build/peers
	@cp -R tests/features/gateways/peers/ros2_nodes build/peers
	PATH="$$PATH:$$HOME/.cargo/bin" nice cargo build --quiet --manifest-path build/peers/ros2_nodes/Cargo.toml --target-dir build/peers/target
	COOPSIM_PEERS=$(CURDIR)/build/peers/target/debug $(BIN)/python -m pytest -q tests/features/gateways/test_gateways_rust_peers.py

release: tools ## archive and wheel of coopsim in dist/, checked, installed where there is no compiler, run, removed
	$(BIN)/python benchmarks/release.py

wheel: ## dist/coopsim-*.whl, which holds everything but tests and documentation
	@rm -rf build/lib* build/bdist.* build/temp.*
	$(PYTHON) -m pip wheel --disable-pip-version-check -qq --no-deps -w dist .
	@ls dist/*.whl

$(PIP_OF):
	@test -x $(BIN)/python || $(PYTHON) -m venv --without-pip $(VENV)
	@$(BIN)/python -m pip --version > /dev/null 2>&1 || $(PYTHON) -m pip install --disable-pip-version-check -qq --upgrade \
		--target "$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')" pip
	@test -e $(BIN)/pip || { printf '#!/bin/sh\nexec "$$(dirname "$$0")/python" -m pip "$$@"\n' > $(BIN)/pip && chmod +x $(BIN)/pip; }
	@touch $@

# pip compiles one file after another, tests of the packages among them, a quarter of all; what no Python reads stays as it is
COMPILE_PACKAGES = $(BIN)/python -W ignore -m compileall -qq -j 0 -x 'site-packages/.*/tests?/' \
	"$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')" || true

# bytes of Python are compiled where they are imported: to compile them all takes as long as to install them
$(INSTALLED): setup.cfg pyproject.toml $(LANE) | $(PIP_OF)
	@echo "installing coopsim and what it needs into $(VENV) ..."
	@$(PIP) --no-compile -e ".[gui]" || $(PIP) --no-compile -e .
	@$(HAS_LANE)
	@touch $@

# what the scene of `make run` needs, which is most of what all need
$(FIRST): $(INSTALLED)
	@test -e $(READY) || echo "compiling kernels, once ..."
	@test -e $(READY) || $(BIN)/python -P -m coopsim.features.doctor.warm --scene formation
	@touch $@

$(READY): $(INSTALLED)
	@$(BIN)/python -m compileall -q -j 0 coopsim
	@echo "compiling kernels, once ..."
	@$(BIN)/python -P -m coopsim.features.doctor.warm --first
	@touch $(FIRST) $@

$(TOOLS): setup.cfg pyproject.toml $(LANE) | $(PIP_OF)
	@echo "installing coopsim and its tools into $(VENV) ..."
	@$(PIP) --no-compile -e ".[gui,dev,docs]"
	@$(HAS_LANE)
	@$(BIN)/python -m compileall -q -j 0 coopsim
	@$(COMPILE_PACKAGES)
	@touch $(INSTALLED) $@

$(KERNELS): $(TOOLS)
	@echo "compiling all kernels, once ..."
	@$(BIN)/python -P -m coopsim.features.doctor.warm
	@touch $(FIRST) $(READY) $@

clean:
	rm -rf $(VENV) build dist *.egg-info

.PHONY: peers typed-clients web-library run setup tools installed kernels test check mutants docs figures check-html clients wheel release clean scenes arms window games gateways
