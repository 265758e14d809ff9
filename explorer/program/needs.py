"""Guess from its text which slow imports a program needs.

A parent that serves one short program imports only those. A wrong guess only costs time, because a confined child can
import every installed library itself.
"""

from typing import Literal

from explorer.program.cells import Program
from explorer.safe_regex import linear

Part = Literal["compiler", "layout", "tables"]
Parts = frozenset[Part]  # besides those that every child needs
LEAST: Parts = frozenset()
TABLES: Parts = frozenset({"tables"})  # pandas
COMPILER: Parts = frozenset({"compiler"})  # torch's compiler, which its optimizers import
LAYOUT: Parts = frozenset({"layout"})  # Graphviz, for the parent without torch

# Modules that load with torch and pandas, or within a few milliseconds.
_CHEAP = set(
    """
    torch numpy pandas abc bisect collections contextlib copy dataclasses enum functools heapq itertools json math
    numbers operator os random re string sys textwrap time types typing warnings
    """.split()
)
# Words that make torch, pandas or Python import more on first use, such as drawing.
_DEAR = set(
    """
    __import__ importlib exec eval display get_ipython plot plt hist boxplot plotting style sns profiler tensorboard hub
    onnx export jit compile multiprocessing distributed benchmark read_excel to_excel ExcelFile to_html Styler d2l
    """.split()
)
_OF_COMPILER = set("optim lr_scheduler func functorch vmap vjp jvp jacrev jacfwd hessian swa_utils".split())
# ASCII only: RE2 needs megabytes for the letters of all languages, in each child again.
_WORD = linear("[A-Za-z0-9_]+")
_IMPORT = linear(r"[ \t]*(?:from[ \t]+([A-Za-z0-9_]+)[A-Za-z0-9_.]*[ \t]+import\b|import[ \t]+([A-Za-z0-9_., \t]+)$)")
_MODULE = linear(r"(?:^|,)[ \t]*([A-Za-z0-9_]+)")


def needs(program: Program) -> Parts | None:
    """Return the parts that a program needs, None for all."""
    texts = [cell.text for cell in program.cells]
    texts += [file.content.decode("utf-8", "replace") for file in program.files if file.name.endswith(".py")]
    words = {word for text in texts for word in _WORD.findall(text)}
    if words & _DEAR or not all(map(_is_cheap, (line for text in texts for line in text.splitlines()))):
        return None
    return (COMPILER if words & _OF_COMPILER else LEAST) | (TABLES if "pandas" in words else LEAST)


def _is_cheap(line: str) -> bool:
    """Return whether a line is not a notebook command and imports only cheap modules."""
    if line.lstrip()[:1] in ("%", "!", "?") or line.rstrip()[-1:] == "?":
        return False
    if "import" not in line:
        return True
    match = _IMPORT.match(line)
    if match is None:
        return "import" not in _WORD.findall(line)
    imported = [match[1]] if match[1] else _MODULE.findall(match[2])
    return _CHEAP.issuperset(imported)
