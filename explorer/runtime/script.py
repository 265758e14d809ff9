"""Run and record a user's own script, unconfined."""

import linecache
import sys
import traceback
from collections.abc import Sequence
from contextlib import ExitStack
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from explorer.runtime.record import Recording, Scope, without_own_frames


class Unreadable(Exception):
    """Raised if a script cannot be read or is no Python, with the reason."""


def run_script(recording: Recording, script: str, arguments: Sequence[str], by_name: bool = False) -> int:
    """Run a script like `python script arguments…`, recorded.

    Print a traceback and return its exit status.

    Args: by_name: `script` is the name of a module or package, as after `python -m`. As there, packages around it are
    imported first.

    Raises Unreadable before anything of the script runs.
    """
    spec = _spec(script) if by_name else None
    path = Path(script if spec is None or spec.origin is None else spec.origin)
    try:
        source = path.read_bytes()
        code = compile(source, str(path), "exec", dont_inherit=True)
    except (OSError, SyntaxError, ValueError) as problem:
        raise Unreadable(getattr(problem, "strerror", None) or str(problem)) from None
    module = ModuleType("__main__")
    module.__file__ = str(path)
    if spec is not None:
        module.__spec__, module.__package__ = spec, spec.parent
    linecache.checkcache(str(path))
    before = sys.argv, sys.path[:], sys.modules["__main__"]
    sys.argv, sys.path[:0] = [str(path), *arguments], ["" if by_name else str(path.resolve().parent)]
    sys.modules["__main__"] = module
    try:
        with ExitStack() as ended:
            recording.begin(Scope(code, module.__dict__))
            ended.push(recording.__exit__)
            exec(code, module.__dict__)
    except SystemExit as end:
        return _status(end.code)
    except BaseException as problem:
        traceback.print_exception(type(problem), problem, without_own_frames(problem.__traceback__))
        return 130 if isinstance(problem, KeyboardInterrupt) else 1
    finally:
        sys.argv, sys.path[:], sys.modules["__main__"] = before
    return 0


def _spec(name: str) -> ModuleSpec:
    """Find a module, for a package its `__main__`. Raises Unreadable."""
    sys.path.insert(0, "")
    try:
        spec = find_spec(name)
        if spec is not None and spec.submodule_search_locations is not None:
            spec = find_spec(f"{name}.__main__")
    except (ImportError, ValueError) as problem:
        raise Unreadable(str(problem)) from None
    finally:
        sys.path.remove("")
    if spec is None or not spec.has_location:
        raise Unreadable(f"No module named {name} that is a file of Python")
    return spec


def _status(code: object) -> int:
    """Return the exit status of `sys.exit(code)`."""
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF
    print(code, file=sys.stderr)
    return 1
