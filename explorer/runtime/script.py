"""Run and record a user's own script in this process, as Python would run it. Nothing confines it."""

import linecache
import sys
import traceback
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from types import ModuleType

from explorer.runtime.record import Recording, Scope, without_own_frames


class Unreadable(Exception):
    """Raised if a script cannot be read or is no Python. Its text says why."""


def run_script(recording: Recording, path: Path, arguments: Sequence[str]) -> int:
    """Run a script as `python path arguments…` does, recorded; print a traceback and return its exit status.

    Raises Unreadable before anything runs.
    """
    try:
        source = path.read_bytes()
        code = compile(source, str(path), "exec", dont_inherit=True)
    except (OSError, SyntaxError, ValueError) as problem:
        raise Unreadable(getattr(problem, "strerror", None) or str(problem)) from None
    module = ModuleType("__main__")
    module.__file__ = str(path)
    linecache.checkcache(str(path))
    before = sys.argv, sys.path[:], sys.modules["__main__"]
    sys.argv, sys.path[:0] = [str(path), *arguments], [str(path.resolve().parent)]
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


def _status(code: object) -> int:
    """The exit status of `sys.exit(code)`."""
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF
    print(code, file=sys.stderr)
    return 1
