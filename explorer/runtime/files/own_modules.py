"""Import the program's own files, such as models.py."""

import builtins
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

from explorer.paths import installed
from explorer.runtime.files.own_folder import Files

_INSTALLED = frozenset(("site-packages", "dist-packages"))


class OwnModules(MetaPathFinder, Loader):
    """A finder and loader of modules in the files of a run.

    Args: files: the files to search. load: called with a file's path below the program's folder, its bytes and the
    namespace to fill. It raises any error of its code.
    """

    def __init__(self, files: Files, load: Callable[[str, bytes, dict], None]) -> None:
        self._files, self._load = files, load
        self._made: set[str] = set()
        self._around: set[str] = set()  # synthetic packages around a given file that is imported through them
        self._import = builtins.__import__

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a file, or of a folder that contains one.

        Modules of Python and libraries take precedence.
        """
        top = fullname.partition(".")[0]
        if top in sys.stdlib_module_names or (top in sys.modules and top not in self._made):
            return None
        place = self._place(fullname)
        if place is None and not (fullname in self._around or self._is_folder(fullname)):
            return None
        spec = ModuleSpec(fullname, self, origin=place, is_package=place is None or place.endswith("/__init__.py"))
        spec.has_location = place is not None
        self._made.add(fullname)
        return spec

    def create_module(self, spec: ModuleSpec) -> None:
        """Use Python's default."""

    def exec_module(self, module: ModuleType) -> None:
        """Run a module's file. Raises any error of its code."""
        space = vars(module)
        place = module.__spec__.origin
        if place is not None:
            with open(place, "rb") as file:
                content = file.read()
            self._load(os.path.relpath(place, self._files.home), content, space)

    def imported(self, name, globals=None, locals=None, fromlist=(), level=0):
        """Replace `__import__` to find files given without their folders.

        `from src.nets.acts import …` finds acts.py.
        """
        if level == 0 and name not in sys.modules and self._place(name) is not None:
            parts = name.split(".")
            self._around.update(".".join(parts[:count]) for count in range(1, len(parts)))
        return self._import(name, globals, locals, fromlist, level)

    def clear(self) -> None:
        """Remove the modules from sys.modules."""
        for name in self._made:
            sys.modules.pop(name, None)

    def _place(self, name: str) -> str | None:
        """Return a module's file.

        A given file of the same name replaces a file in another folder.
        """
        if not self._files.private:
            return None
        for folder in dict.fromkeys((os.getcwd(), self._files.home, self._files.private, *self._added())):
            path = os.path.join(folder, *name.split("."))
            for file in (os.path.join(path, "__init__.py"), f"{path}.py"):
                if os.path.isfile(file):
                    return file
        return self._files.meant(f"{name.rpartition('.')[2]}.py")

    def _added(self) -> Iterator[str]:
        """Yield the run's folders in sys.path, such as `sys.path.append("..")` adds.

        Installed packages are not the program's files, even if its folder contains the environment (`venv/`).
        """
        for folder in filter(None, sys.path):
            path = os.path.abspath(folder)
            if (
                _INSTALLED.isdisjoint(path.split(os.sep))
                and self._files.owns(path)
                and os.path.isdir(path)
                and not installed(path)  # last, since it reads every record of an installer
            ):
                yield path

    def _is_folder(self, name: str) -> bool:
        """Return whether a folder contains modules."""
        folder = os.path.join(self._files.home, *name.split("."))
        return any(file.endswith(".py") for _, _, files in os.walk(folder) for file in files)
