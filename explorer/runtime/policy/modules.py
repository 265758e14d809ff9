"""The modules of one run: proxies with the names that the table lists, and the `import` that gives them out."""

import builtins
import importlib
import importlib.util
import sys
from collections.abc import Mapping
from functools import cache
from importlib.machinery import PathFinder
from types import ModuleType

from explorer.runtime.policy.extras import installed, is_extra
from explorer.runtime.policy.files import DOWNLOADING
from explorer.runtime.policy.guards import Guards
from explorer.runtime.policy.missing import Missing, MissingName
from explorer.runtime.policy.own_modules import OwnModules
from explorer.runtime.policy.proxy import Proxy, unheard_of
from explorer.runtime.policy.rows import module_names, module_row
from explorer.runtime.policy.stand_ins import stand_in_functions
from explorer.runtime.policy.table_modules import MODULES, STAND_IN_PACKAGES


class Modules:
    """What can be imported in one run; made when it is asked for."""

    def __init__(self, guards: Guards, closed: Mapping[tuple[str, str], object]) -> None:
        self._guards = guards
        self.own: OwnModules | None = None  # those of the program's files
        self._made: dict[str, Proxy] = {}
        self._functions = {**closed, **stand_in_functions(guards)}

    def get(self, name: str) -> Proxy:
        """The proxy of a module. Raises Refused, ModuleNotFoundError."""
        made = self._made.get(name)
        if made is None:
            made = self._made[name] = self._make(name)
        return made

    def importer(self, name, globals=None, locals=None, fromlist=(), level=0):
        """In place of `__import__`. C code of the libraries imports through the program's frame too, with a list."""
        if type(fromlist) is list:
            return builtins.__import__(name, globals, locals, fromlist, level)
        if self.own is not None and level:
            name = self.own.absolute(name, globals, level)
        if self.own is not None and (level or self.own.has(name) or self.own.has(name.partition(".")[0])):
            return self.own.imported(name, fromlist) if fromlist else self.own.outermost(name)
        if level:
            raise ImportError("attempted relative import with no known parent package")
        if fromlist and "*" in fromlist:
            self.get(name)  # first of all there has to be such a module
            self._guards.refuse(f"from {name} import *", "star")
        module = self.get(name)
        for part in fromlist or ():
            if part in module.__dict__ or self.absent(module, part):
                continue
            if type(module) is not Missing and unheard_of(module, part):
                raise ImportError(f"cannot import name {part!r} from {name!r} (unknown location)", name=name)
            if part.startswith("_"):
                self._guards.refuse(f"{name}.{part}", "library")
            kind = Missing if type(module) is Missing else MissingName
            module.__dict__[part] = kind(self._guards, f"{name}.{part}")
        if fromlist:
            return module
        parts = name.split(".")
        for cut in range(len(parts) - 1, 0, -1):  # `import a.b` gives a, which has b
            outer = self.get(".".join(parts[:cut]))
            outer.__dict__.setdefault(parts[cut], self.get(".".join(parts[: cut + 1])))
        return self.get(parts[0])

    def _make(self, name: str) -> Proxy:
        top = name.partition(".")[0]
        if _stands_in(name):
            return self._stand_in(name)
        if not _listed(name) and name not in DOWNLOADING:
            for library in (top, *_NEEDED.get(name, ())):
                if library not in sys.modules and importlib.util.find_spec(library) is None:
                    raise ModuleNotFoundError(f"No module named {library!r}", name=library)
            if _nowhere(name):
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)
            if any(part.startswith("_") for part in name.split(".")):
                self._guards.refuse(name, "module")
            return Missing(self._guards, name)
        if is_extra(name) and not installed(top):
            raise ModuleNotFoundError(f"No module named {top!r}", name=top)
        proxy = Proxy(name)
        if _listed(name):
            proxy.__dict__.update(_contents(name) if name in _PATCHED else _lasting_contents(name))
        for (module, key), function in self._functions.items():
            if module == name:
                proxy.__dict__[key] = function
        if name in _UNSHOWN:
            proxy.__dict__["_shown"] = lambda: self._guards.refuse(name, "library")
        return proxy

    def absent(self, proxy: Proxy, name: str) -> bool:
        """Give a proxy what is only made when it is asked for; whether there is such a thing."""
        full = f"{proxy.__name__}.{name}"
        if _listed(full) or full in DOWNLOADING or (full in sys.modules and _stands_in(full)):
            proxy.__dict__[name] = self.get(full)
        elif _stands_in(proxy.__name__) and not name.startswith("_"):
            real = sys.modules[proxy.__name__]
            if not hasattr(real, name) or isinstance(getattr(real, name), ModuleType):
                return False
            proxy.__dict__[name] = getattr(real, name)
        else:
            return False
        return True

    def _stand_in(self, name: str) -> Proxy:
        """A module that another room of this program puts in the place of a library."""
        real = importlib.import_module(name)
        proxy = Proxy(name)
        for key, value in vars(real).items():
            if key.startswith("_") and key != "__version__":
                continue
            if isinstance(value, ModuleType):
                inner = value.__name__
                if _stands_in(inner) or inner in MODULES:
                    proxy.__dict__[key] = self.get(inner)
            else:
                proxy.__dict__[key] = self._functions.get((name, key), value)
        return proxy


def _nowhere(name: str) -> bool:
    """Whether a library that is here has no such module. Where its package is not loaded nobody knows."""
    outer = name.rpartition(".")[0]
    package = importlib.import_module(outer) if _listed(outer) else sys.modules.get(outer)
    if package is None or name in sys.modules or _stands_in(outer):
        return False
    return not hasattr(package, "__path__") or PathFinder.find_spec(name, package.__path__) is None


def _listed(name: str) -> bool:
    """Whether the table has a row for a module, and there is one."""
    if name in MODULES:
        return True
    try:
        return module_row(name) is not None and importlib.util.find_spec(name) is not None
    except ImportError:
        return False


def _stands_in(name: str) -> bool:
    if name.partition(".")[0] not in STAND_IN_PACKAGES.split():
        return False
    module = sys.modules.get(name)
    return module is not None and "__stands_in__" in vars(module)


def _contents(name: str) -> dict[str, object]:
    """The names of the table that a module has."""
    try:
        real = importlib.import_module(name)
    except ImportError:  # a module that only some builds have
        return {}
    found = {key: getattr(real, key, None) for key in module_names(name) if hasattr(real, key)}
    return {key: value for key, value in found.items() if not isinstance(value, ModuleType)}


_NEEDED = {"torch.utils.tensorboard": ("tensorboard",)}  # what a module of an installed library asks for itself
_UNSHOWN = {"torch.jit"}  # what stands in for it is too little of it to go under its name
_lasting_contents = cache(_contents)
_PATCHED = {"os", "shutil", "sys", "IPython", "IPython.display"}  # their functions are those of the run


def prepare() -> None:
    """Read what the modules that are imported already offer, once for all runs to come."""
    for name in MODULES:
        if name in sys.modules and name not in _PATCHED:
            _lasting_contents(name)
