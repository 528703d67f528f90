"""What the pages say in Python is true: examples are run, and the notebook goes through."""

import doctest
import importlib
import pkgutil
import re
import shutil

import pytest

import kinfold
from conftest import ROOT

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
MODULES = [f"kinfold.{module.name}" for module in pkgutil.iter_modules(kinfold.__path__) if module.name[1] != "_"]


@pytest.fixture
def beside_examples(tmp_path, monkeypatch):
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=FLAGS)
    assert failed == 0


def test_there_are_docstrings_to_run():
    found = [doctest.DocTestFinder().find(importlib.import_module(name)) for name in MODULES]
    assert sum(bool(one.examples) for tests in found for one in tests) >= 5


def test_the_page(beside_examples):
    text = (ROOT / "docs" / "python.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) >= 5
    example = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "docs/python.md", None, 0)
    results = doctest.DocTestRunner(optionflags=FLAGS).run(example)
    assert results.failed == 0


def test_the_notebook(beside_examples):
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    notebook = nbformat.read(ROOT / "examples" / "kinfold.ipynb", as_version=4)
    folder = {"metadata": {"path": str(beside_examples / "examples")}}
    nbclient.NotebookClient(notebook, timeout=120, resources=folder).execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert any("data:image/svg+xml" in str(output) for output in shown)
    assert not [output for output in shown if output.output_type == "error"]
