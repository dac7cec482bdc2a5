# make app    start the laboratory (sets everything up the first time)
# make test   lint, types, and the tests that find most faults, in a few minutes
# make test-all   the same with every test, the browser's included
# make oldest run the quick tests without a browser on the oldest versions that requirements.txt allows
# make wheel  build the package, with the pages of the laboratory, to the folder dist
# make site   write the laboratory as web pages that need no server, to the folder site
# make lock   renew the versions and hashes of what the Docker image installs
# For your own data: make app DATA=/path/to/folder. Where there is an NVIDIA driver, make app installs CuPy once (up to
# 2 GB); make GPU=0 app does not, and make gpu does it at any time.

PYTHON ?= python3
PORT ?= 8501
# Files of tests that run at a time, each of the browser's with a server of its own; they take turns in their own order.
# With every test one more than two cores, since those of the browser wait now and then; four would only wait for one
# another. The quick ones seldom wait, and each worker first collects all tests, which takes half a minute.
every: WORKERS ?= 3
quick oldest: WORKERS ?= 2
VENV := .venv
BIN := $(VENV)/bin
export RFVIZ_DATA ?= $(DATA)
# uv compiles nothing, so whoever imports first must keep what is compiled: a start without costs ten seconds more.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: app wheel test test-all quick every style types lint oldest gpu screenshots site lock clean

app: $(VENV)/app.stamp $(VENV)/plotly.stamp $(if $(filter 0,$(GPU)),,$(VENV)/gpu.stamp)
	$(BIN)/streamlit run app.py --server.port $(PORT)

PYTEST = $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder --max-worker-restart 0

# The types are checked beside the tests, which leave a part of two cores free: those of the browser wait for it.
test: style
	$(MAKE) --no-print-directory -j2 types quick

test-all: style
	$(MAKE) --no-print-directory -j2 types every

quick every types: $(VENV)/dev.stamp $(VENV)/plotly.stamp

# Once in a fresh checkout: else each of the workers, which start together, would compile all tests by itself.
tests/__pycache__: | $(VENV)/dev.stamp
	$(BIN)/python -m pytest --collect-only -qq > /dev/null || true

quick every: | tests/__pycache__

quick:
	$(PYTEST) -m "not slow and (not browser or journey)"

every:
	$(PYTEST)

style: $(VENV)/dev.stamp $(VENV)/plotly.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types:
	$(BIN)/pyright --pythonpath $(BIN)/python

lint: $(VENV)/dev.stamp
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# An environment of its own, with the lowest version of each direct requirement and of what the quick tests import.
TEST_TOOLS := ^(pytest>|pytest-xdist|espeakng-loader|pyyaml|openpyxl|python-calamine|hypothesis)
oldest: $(VENV)/dev.stamp
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python .venv-oldest
	$(BIN)/uv pip install --quiet --python .venv-oldest/bin/python --resolution lowest-direct -r requirements.txt $$(grep -E "$(TEST_TOOLS)" requirements-dev.txt | cut -d' ' -f1)
	.venv-oldest/bin/python -m pytest -n $(WORKERS) --dist loadfile --ignore tests/browser -m "not slow"

gpu:
	@rm -f $(VENV)/gpu.stamp
	@$(MAKE) --no-print-directory $(VENV)/gpu.stamp

screenshots: $(VENV)/dev.stamp
	$(BIN)/python assets/screenshots.py
	$(BIN)/python -m tests.gallery

# With the small script of Plotly, where npm is at hand; rfviz.figures.plotly_js says what it is.
BUNDLE := $(VENV)/share/rfviz/node_modules/plotly.js-cartesian-dist-min
wheel: $(VENV)/dev.stamp $(VENV)/plotly.stamp
	rm -rf build && mkdir -p build
	@! test -d $(BUNDLE) || cp -r $(BUNDLE) build/plotly
	$(BIN)/uv build --wheel --sdist --out-dir dist

site: $(VENV)/dev.stamp $(VENV)/plotly.stamp
	$(BIN)/rfviz site --out site

# What the image of the Dockerfile installs, each file by its hash.
LOCK := $(BIN)/uv pip compile --quiet --upgrade --generate-hashes --no-header --no-annotate --no-emit-index-url --python-version 3.12 --python-platform linux
lock: $(VENV)/dev.stamp
	$(LOCK) pyproject.toml --extra app --extra auth --extra speech -o requirements.lock
	$(LOCK) requirements-gpu.txt -c requirements.lock -o requirements-gpu.lock

clean:
	rm -rf $(VENV) .venv-oldest

# uv installs in seconds what takes pip most of a minute; where it cannot be had, pip does it.
define install
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "rfviz needs Python 3.11 or newer; make PYTHON=python3.12 app names another one."; rm -rf $(VENV); exit 1; }
	@test -x $(BIN)/uv || $(BIN)/python -m pip install --quiet --disable-pip-version-check "uv>=0.5,<1" || true
	@if test -x $(BIN)/uv; then $(BIN)/uv pip install --python $(BIN)/python -r $(1) -e . ; \
	else $(BIN)/python -m pip install --disable-pip-version-check -r $(1) -e . ; fi
endef

$(VENV)/app.stamp: requirements.txt pyproject.toml
	$(call install,requirements.txt)
	@touch $@

# A third of Plotly draws nearly all charts. Where npm or the network is missing, the whole script of the Python package
# is used, which costs a first visit about half a second.
$(VENV)/plotly.stamp: $(VENV)/app.stamp
	@version=$$($(BIN)/python -c 'from plotly.offline import get_plotlyjs_version as v; print(v())') ; \
	if command -v npm >/dev/null; then npm install --silent --fetch-retries 0 --fetch-timeout 20000 --no-save --no-audit --no-fund --ignore-scripts \
	  --prefix $(VENV)/share/rfviz plotly.js-cartesian-dist-min@$$version >/dev/null 2>&1 || true ; fi
	@touch $@

# Of the lines of requirements-gpu.txt that of the newest CUDA that the driver knows. Without a driver nothing happens,
# and is tried again at the next start, since it costs nothing; where the installation fails, only make gpu tries again.
$(VENV)/gpu.stamp: requirements-gpu.txt | $(VENV)/app.stamp
	@cuda=$$(nvidia-smi 2>/dev/null | sed -n 's/.*CUDA Version: *\([0-9][0-9]*\).*/\1/p' | head -n 1) ; \
	test -n "$$cuda" || exit 0 ; \
	for known in $$(sed -n 's/^[# ]*cupy-cuda\([0-9]*\)x.*/\1/p' requirements-gpu.txt | sort -rn) ; do \
	  test "$$known" -le "$$cuda" && break ; known= ; done ; \
	wheel=$$(sed -n "s/^[# ]*\(cupy-cuda$${known:-none}x[^ ]*\).*/\1/p" requirements-gpu.txt) ; \
	touch $@ ; \
	if test -z "$$wheel" ; then echo "The NVIDIA driver knows CUDA $$cuda, for which there is no CuPy: computing on the processor." ; exit 0 ; fi ; \
	echo "An NVIDIA driver for CUDA $$cuda: installing $$wheel (up to 2 GB; make GPU=0 app goes without)." ; \
	if test -x $(BIN)/uv ; then $(BIN)/uv pip install --python $(BIN)/python "$$wheel" ; \
	else $(BIN)/python -m pip install --disable-pip-version-check "$$wheel" ; fi && echo "Installed: $$wheel." \
	|| echo "$$wheel could not be installed: computing on the processor. make gpu tries again."

$(VENV)/dev.stamp: requirements-dev.txt requirements.txt pyproject.toml
	$(call install,requirements-dev.txt)
	@touch $@ $(VENV)/app.stamp
