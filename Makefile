# Two commands do everything: `make demo` for a first look, `make check` before a commit.
VENV ?= .venv
PYTHON ?= python3
BIN := $(VENV)/bin

.PHONY: demo check format lint types layers test docs bench clean

$(VENV)/.installed: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@

demo: $(VENV)/.installed
	$(BIN)/python scripts/demo.py

check: $(VENV)/.installed lint types layers test docs

format: $(VENV)/.installed
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lint: $(VENV)/.installed
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(VENV)/.installed
	$(BIN)/mypy

layers: $(VENV)/.installed
	$(BIN)/lint-imports

test: $(VENV)/.installed
	$(BIN)/python -m coverage erase
	PYTHONWARNDEFAULTENCODING=1 $(BIN)/python -m pytest --cov --cov-report=term

docs: $(VENV)/.installed
	$(BIN)/mkdocs build --strict --quiet --site-dir build/site

bench: $(VENV)/.installed
	$(BIN)/python -m benchmarks $(ARGS)

clean:
	rm -rf $(VENV) build dist .coverage* .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
