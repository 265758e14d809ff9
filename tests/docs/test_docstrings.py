"""The examples in docstrings have the printed results."""

import builtins
import doctest
import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = sorted(ROOT.glob("explorer/**/*.py"))
WITH_EXAMPLES = [path for path in MODULES if re.search(r"^\s+>>> ", path.read_text(encoding="utf-8"), re.MULTILINE)]


@pytest.mark.parametrize("path", WITH_EXAMPLES, ids=lambda path: str(path.relative_to(ROOT)))
def test_docstring_examples_have_the_shown_results(path):
    module = importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"))
    told = doctest.testmod(module)
    vars(builtins).pop("_", None)  # `_` is the last value, as at a prompt
    assert told.attempted and not told.failed
