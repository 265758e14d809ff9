"""Let plotly's `show()` put figures into the cell instead of opening a browser."""

import contextlib
import sys
from collections.abc import Callable, Iterator
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

_RENDERERS = "plotly.io._renderers"


@contextlib.contextmanager
def plotly_shown(show: Callable[[object], object]) -> Iterator[None]:
    """Make `figure.show()` call `show(figure)` as soon as the program imports plotly."""

    def shown(fig: object, *args: object, **options: object) -> None:
        show(fig)

    def patch(module: ModuleType) -> None:
        vars(module)["show"] = shown

    finder: Any = _WhenImported(patch)
    known = sys.modules.get(_RENDERERS)
    if known is not None:
        patch(known)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


class _WhenImported:
    """An import hook that patches a module right after its import."""

    def __init__(self, patch: Callable[[ModuleType], None]) -> None:
        self._patch = patch

    def find_spec(self, name: str, path: Any = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """The module's own spec, with the patch added."""
        spec = PathFinder.find_spec(name, path) if name == _RENDERERS else None
        if spec is None or spec.loader is None:
            return None
        execute = spec.loader.exec_module

        def exec_module(module: ModuleType) -> None:
            execute(module)
            self._patch(module)

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec
