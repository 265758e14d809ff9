"""Import the program's own files: `from models import *` if models.py was given, or the program wrote it."""

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
    """Finds and loads modules from the files of one run.

    Args:
        files: the files to search.
        load: called with a file's path below the program's folder, its bytes and the namespace to fill; raises what
            its code raises.
    """

    def __init__(self, files: Files, load: Callable[[str, bytes, dict], None]) -> None:
        self._files, self._load = files, load
        self._made: set[str] = set()
        self._around: set[str] = set()  # made-up packages around a given file that is imported from them
        self._import = builtins.__import__

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of a file, or of a folder that contains one. Python's and libraries' modules of this name come
        first.
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
        """Run the file of a module. Raises what its code raises."""
        space = vars(module)
        place = module.__spec__.origin
        if place is not None:
            with open(place, "rb") as file:
                content = file.read()
            self._load(os.path.relpath(place, self._files.home), content, space)

    def imported(self, name, globals=None, locals=None, fromlist=(), level=0):
        """Replaces `__import__`: `from src.nets.acts import …` finds acts.py even if it was given without folders."""
        if level == 0 and name not in sys.modules and self._place(name) is not None:
            parts = name.split(".")
            self._around.update(".".join(parts[:count]) for count in range(1, len(parts)))
        return self._import(name, globals, locals, fromlist, level)

    def clear(self) -> None:
        """Remove the modules from sys.modules."""
        for name in self._made:
            sys.modules.pop(name, None)

    def _place(self, name: str) -> str | None:
        """The file of a module; a given file of the same name replaces one in another folder."""
        if not self._files.private:
            return None
        for folder in dict.fromkeys((os.getcwd(), self._files.home, self._files.private, *self._added())):
            path = os.path.join(folder, *name.split("."))
            for file in (os.path.join(path, "__init__.py"), f"{path}.py"):
                if os.path.isfile(file):
                    return file
        return self._files.meant(f"{name.rpartition('.')[2]}.py")

    def _added(self) -> Iterator[str]:
        """The folders of the run that the program has added to sys.path, as by `sys.path.append("..")`.

        Installed packages are no files of the program, also where its folder holds the environment (`venv/`).
        """
        for folder in filter(None, sys.path):
            path = os.path.abspath(folder)
            if (
                _INSTALLED.isdisjoint(path.split(os.sep))
                and self._files.owns(path)
                and os.path.isdir(path)
                and not installed(path)  # last, as it reads every record of an installer
            ):
                yield path

    def _is_folder(self, name: str) -> bool:
        """Whether a folder holds modules."""
        folder = os.path.join(self._files.home, *name.split("."))
        return any(file.endswith(".py") for _, _, files in os.walk(folder) for file in files)
