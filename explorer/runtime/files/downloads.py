"""Downloads on a machine without a network: use a given file, or refuse.

A file with the last name of the address replaces the download, and the run says so. Libraries that only download can
be imported without being installed; calling them is refused.
"""

import builtins
import errno
import importlib
import io
import os
import re
import sys
import urllib.request
from collections.abc import Callable
from contextlib import ExitStack, contextmanager
from email.message import Message
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from urllib.response import addinfourl

import torch

from explorer.runtime.files.tree import Files
from explorer.runtime.replacements import replace

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


def last_part(address: str) -> str:
    """The part of an address after its last slash, without a query.

    >>> last_part("https://example.org/data/iris.csv?raw=true")
    'iris.csv'
    """
    return re.split(r"[?#]", address, maxsplit=1)[0].rstrip("/").rpartition("/")[2]


class Downloads(MetaPathFinder, Loader):
    """The replacements for downloads during one run.

    Args:
        files: the files that the user gave.
        ask: called when the program asks for the network.
        skip: called with the call that was not run, why, and the file used instead.
        network: whether there is a network: then missing libraries are simply missing.
    """

    def __init__(
        self, files: Files, ask: Callable[[str], None], skip: Callable[[str, str, str], None], network: bool = False
    ) -> None:
        self._files, self._ask, self._skip, self._network = files, ask, skip, network
        self._made: list[str] = []

    @contextmanager
    def in_place(self):
        """Install the replacements, for the duration of a context."""
        with ExitStack() as undo:
            owners = [(urllib.request, "urlopen"), (torch.hub, "urlopen")]
            if "requests" in sys.modules:
                owners.append((sys.modules["requests"], "get"))
            for owner, name in owners:
                replace(undo, owner, name, self._or_given(getattr(owner, name), name, name == "get"))
            if not self._network:
                sys.meta_path.append(self)
            undo.callback(self._leave)
            yield

    def _leave(self) -> None:
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        for name in self._made:
            sys.modules.pop(name, None)

    # ---- given files ----------------------------------------------------------------------------------------------

    def _given(self, what: str, url: object) -> bytes | None:
        address = url if isinstance(url, str) else getattr(url, "full_url", "")
        name = last_part(address)
        if name not in self._files.given:
            return None
        self._skip(f"{what}({address!r:.100})", "given", name)
        with builtins.open(self._files.given[name], "rb") as file:
            return file.read()

    def _or_given(self, real: Callable, what: str, responds: bool) -> Callable:
        def opened(url, *arguments, **keywords):
            data = self._given(what, url)
            if data is None:
                return real(url, *arguments, **keywords)
            return _response(url, data) if responds else addinfourl(io.BytesIO(data), Message(), str(url), 200)

        return opened

    # ---- modules that are not installed -----------------------------------------------------------------------------

    def find_spec(self, fullname, path=None, target=None) -> ModuleSpec | None:
        """Find only modules that nothing else provides."""
        return ModuleSpec(fullname, self, is_package=fullname in _PACKAGES) if fullname in ABSENT else None

    def create_module(self, spec: ModuleSpec) -> None:
        """Use Python's default."""

    def exec_module(self, module: ModuleType) -> None:
        """Fill the module with functions that return a given file, or say that there is no network."""
        name = module.__name__
        self._made.append(name)
        for function in ABSENT[name].split():
            setattr(module, function, self._function(f"{name}.{function}"))
        if name == "google.colab":
            for submodule in ("drive", "files"):
                setattr(module, submodule, importlib.import_module(f"{name}.{submodule}"))

    def _function(self, what: str) -> Callable:
        def download(url=None, output=None, *arguments, **keywords):
            if what == "google.colab.drive.mount":
                self._skip("drive.mount", "shell", "")
                return None
            data = self._given(what, url)
            if data is None:
                self._ask("network")
                raise PermissionError(errno.EPERM, os.strerror(errno.EPERM), url if isinstance(url, str) else None)
            if what == "requests.get":
                from types import SimpleNamespace

                return SimpleNamespace(content=data, text=data.decode("utf-8", "replace"), status_code=200, ok=True)
            target = output or keywords.get("out") or last_part(str(url))
            with builtins.open(target, "wb") as file:
                file.write(data)
            return target

        download.__name__ = what.rpartition(".")[2]
        return download


def _response(url: str, data: bytes):
    """A response like that of `requests.get`."""
    made = sys.modules["requests"].Response()
    made.url, made.status_code, made._content, made.raw = url, 200, data, io.BytesIO(data)
    return made
