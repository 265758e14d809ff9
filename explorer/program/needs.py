"""What a program may need of the libraries that take long to import, judged by its text alone.

A parent that serves one short program imports no more than that. A wrong guess costs time and nothing else: a confined
child may import every installed library itself.
"""

from collections.abc import Iterable
from typing import Literal

from explorer.program.cells import Program
from explorer.safe_regex import linear

Part = Literal["compiler", "layout"]
Parts = frozenset[Part]  # beside what every child needs
LEAST: Parts = frozenset()
COMPILER: Parts = frozenset({"compiler"})  # of torch: its optimizers import it
LAYOUT: Parts = frozenset({"layout"})  # Graphviz, for the parent without torch

# Modules that come with torch and pandas, or take a few milliseconds.
_CHEAP = set(
    """
    torch numpy pandas abc bisect collections contextlib copy dataclasses enum functools heapq itertools json math
    numbers operator os random re string sys textwrap time types typing warnings
    """.split()
)
# Words for what torch, pandas or Python import or prepare on first use, such as drawing.
_DEAR = set(
    """
    __import__ importlib exec eval display get_ipython plot plt hist boxplot plotting style sns profiler tensorboard hub
    onnx export jit compile multiprocessing distributed benchmark read_excel to_excel ExcelFile to_html Styler d2l
    """.split()
)
_OF_COMPILER = set("optim lr_scheduler func functorch vmap vjp jvp jacrev jacfwd hessian swa_utils".split())
_WORD = linear(r"\w+")
_IMPORT = linear(r"[ \t]*(?:from[ \t]+(\w+)[\w.]*[ \t]+import\b|import[ \t]+([\w., \t]+)$)")
_MODULE = linear(r"(?:^|,)\s*(\w+)")


def needs(program: Program) -> Parts | None:
    """The parts that a program needs; None for all of them."""
    texts = [cell.text for cell in program.cells]
    texts += [file.content.decode("utf-8", "replace") for file in program.files if file.name.endswith(".py")]
    words = {word for text in texts for word in _WORD.findall(text)}
    if words & _DEAR or not all(map(_is_cheap, _lines(texts))):
        return None
    return COMPILER if words & _OF_COMPILER else LEAST


def _lines(texts: Iterable[str]) -> Iterable[str]:
    return (line for text in texts for line in text.splitlines())


def _is_cheap(line: str) -> bool:
    """Whether a line is no command of a notebook, and imports cheap modules only."""
    if line.lstrip()[:1] in ("%", "!", "?") or line.rstrip()[-1:] == "?":
        return False
    if "import" not in line:
        return True
    match = _IMPORT.match(line)
    if match is None:
        return "import" not in _WORD.findall(line)
    imported = [match[1]] if match[1] else _MODULE.findall(match[2])
    return _CHEAP.issuperset(imported)
