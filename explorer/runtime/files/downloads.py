"""Stand in for download libraries without a network."""

import errno
import importlib
import os
import sys
from collections.abc import Callable
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

# Modules that need not be installed, and the names that programs import from them.
ABSENT = {
    "requests": "get post put head request Session",
    "gdown": "download download_folder cached_download",
    "wget": "download",
    "google": "",
    "google.colab": "",
    "google.colab.drive": "mount flush_and_unmount",
    "google.colab.files": "upload download",
    "kaggle": "",
    "kagglehub": "dataset_download model_download login",
    "opendatasets": "download",
}
_PACKAGES = {name.rpartition(".")[0] for name in ABSENT}


class AbsentLibraries(MetaPathFinder, Loader):
    """Modules that replace missing libraries during a run.

    Args: ask: called if the program requests the network. skip: called with the skipped call, the reason and a detail.
    """

    def __init__(self, ask: Callable[[str], None], skip: Callable[[str, str, str], None]) -> None:
        self._ask, self._skip = ask, skip
        self._made: list[str] = []

    @contextmanager
    def in_place(self):
        """Make these modules importable within a context."""
        sys.meta_path.append(self)
        try:
            yield
        finally:
            if self in sys.meta_path:
                sys.meta_path.remove(self)
            for name in self._made:
                sys.modules.pop(name, None)

    def find_spec(self, fullname, path=None, target=None) -> ModuleSpec | None:
        """Find only modules that nothing else provides."""
        return ModuleSpec(fullname, self, is_package=fullname in _PACKAGES) if fullname in ABSENT else None

    def create_module(self, spec: ModuleSpec) -> None:
        """Use Python's default."""

    def exec_module(self, module: ModuleType) -> None:
        """Fill the module with functions that report the missing network."""
        name = module.__name__
        self._made.append(name)
        for function in ABSENT[name].split():
            setattr(module, function, self._function(f"{name}.{function}"))
        if name == "google.colab":
            for submodule in ("drive", "files"):
                setattr(module, submodule, importlib.import_module(f"{name}.{submodule}"))

    def _function(self, what: str) -> Callable:
        def download(url=None, *arguments, **keywords):
            if what == "google.colab.drive.mount":
                self._skip("drive.mount", "shell", "")
                return None
            self._ask("network")
            raise PermissionError(errno.EPERM, os.strerror(errno.EPERM), url if isinstance(url, str) else None)

        download.__name__ = what.rpartition(".")[2]
        return download
