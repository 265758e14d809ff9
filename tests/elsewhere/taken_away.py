"""Remove from this repository's modules the names that Python lacks on another system.

Python's own modules and installed libraries stay complete: they run on Linux, and subprocess could start nothing
without fork. This repository's modules get views of os, sys, signal and others without the missing names; a missing
module cannot be imported. Processes that they start are in the same mode.
"""

import builtins
import importlib
import os
import posixpath
import selectors
import subprocess
import sys
import types
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from missing_names import is_missing, missing_names

HERE = Path(__file__).parent
ROOT = f"{HERE.parents[1]}{os.sep}"
_SYSTEM_FILES = ("/proc", "/sys/")  # on Linux
NEEDED = {"SYSTEMROOT": "C:\\Windows", "USERPROFILE": posixpath.expanduser("~")}  # variables that every Windows sets


class View(types.ModuleType):
    """A module without some names, and with replacements for others."""

    def __init__(self, real: types.ModuleType, missing: frozenset[str], others: Mapping[str, Any]) -> None:
        super().__init__(real.__name__)
        object.__setattr__(self, "_view", (real, missing - vars(real).keys() ^ missing, dict(others)))

    def __getattribute__(self, name: str) -> Any:
        real, missing, others = object.__getattribute__(self, "_view")
        if name in missing:
            raise AttributeError(f"module {real.__name__!r} has no attribute {name!r} on this system")
        return others[name] if name in others else getattr(real, name)

    def __setattr__(self, name: str, value: object) -> None:
        real, _, others = object.__getattribute__(self, "_view")
        if name in others:
            others[name] = value
        else:
            setattr(real, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(object.__getattribute__(self, "_view")[0], name)

    def __dir__(self) -> list[str]:
        real, missing, _ = object.__getattribute__(self, "_view")
        return sorted(set(dir(real)) - missing)


def take_away(system: str) -> None:
    """Make this process and its children imitate another system."""
    views: dict[str, View | None] = {}

    def view(module: types.ModuleType) -> types.ModuleType:
        name = module.__name__
        if name not in views:
            missing, others = missing_names(name, system), _others(system).get(name, {})
            views[name] = View(module, missing, others) if missing or others else None
        return views[name] or module

    def import_there(name: str, scope: Mapping | None = None, within=None, fromlist=(), level: int = 0):
        inside = _is_ours(scope)
        if inside and level == 0 and is_missing(name, system):
            raise ModuleNotFoundError(f"No module named {name!r} on this system", name=name)
        found = real_import(name, scope, within, fromlist, level)
        if name == "psutil" and inside:
            found._common.open = real_open  # a run replaces `open` with its own; psutil does not need that
        return view(found) if inside and level == 0 else found

    def module_there(name: str, package: str | None = None) -> types.ModuleType:
        inside = _is_ours(sys._getframe(1).f_globals)
        if inside and is_missing(name, system):
            raise ModuleNotFoundError(f"No module named {name!r} on this system", name=name)
        found = real_import_module(name, package)
        return view(found) if inside else found

    real_import, real_import_module = builtins.__import__, importlib.import_module
    real_open = builtins.open
    builtins.__import__, importlib.import_module = import_there, module_there
    builtins.open = _without_system_files(real_open)
    _keep_in_processes(system)
    if system == "win32":
        posixpath.expanduser, os.rename = _expanduser, _rename(os.rename)
        selectors.SelectSelector._select = staticmethod(_select(selectors.SelectSelector._select))


def _is_ours(scope: Mapping | None) -> bool:
    place = str((scope or {}).get("__file__") or "")
    installed = f"{os.sep}site-packages{os.sep}" in place  # an environment may be inside the checkout
    return place.startswith(ROOT) and not installed and not place.startswith(f"{HERE}{os.sep}")


def _others(system: str) -> dict[str, dict[str, Any]]:
    """Return what differs there by Python's documentation, by module."""
    return {"sys": {"platform": system}, "os": {"name": "nt"} if system == "win32" else {}}


def _rename(real: Callable) -> Callable:
    """Refuse to replace an existing file, as on Windows."""

    def rename(src, dst, **options) -> None:
        if os.path.lexists(dst):
            raise FileExistsError(17, "File exists", src, None, dst)
        real(src, dst, **options)

    return rename


def _select(real: Callable) -> Callable:
    """Raise an error when waiting for nothing, as on Windows."""

    def select(reading, writing, failing, timeout=None):
        if not (reading or writing or failing):
            raise OSError(10022, "An invalid argument was supplied")
        return real(reading, writing, failing, timeout)

    return select


def _expanduser(path):
    """Take the home folder only from USERPROFILE, as on Windows."""
    path = os.fspath(path)
    home = os.environ.get("USERPROFILE")
    return home + path[1:] if home and isinstance(path, str) and (path == "~" or path.startswith("~/")) else path


def _without_system_files(real: Callable) -> Callable:
    def open_there(file, *arguments, **options):
        if isinstance(file, str) and file.startswith(_SYSTEM_FILES) and _is_ours(sys._getframe(1).f_globals):
            raise FileNotFoundError(2, "No such file or directory", file)
        return real(file, *arguments, **options)

    return open_there


def _keep_in_processes(system: str) -> None:
    """Let processes that get another environment start in the same mode."""
    real = subprocess.Popen.__init__

    def start(self, args, *others, env=None, **options):
        if env is not None:
            if system == "win32" and "SYSTEMROOT" not in env:
                raise OSError(10106, "The environment of a process on Windows needs SYSTEMROOT")
            env = in_mode(system, env)
        real(self, args, *others, env=env, **options)

    subprocess.Popen.__init__ = start


def in_mode(system: str, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a process that starts in this mode."""
    folders = [str(HERE / system), str(HERE)]
    before = [place for place in environment.get("PYTHONPATH", "").split(os.pathsep) if place not in (*folders, "")]
    return {**environment, "PYTHONPATH": os.pathsep.join([*folders, *before])}
