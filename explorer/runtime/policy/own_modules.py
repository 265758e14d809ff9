"""Modules out of the program's own files: `from models import *` where models.py was given, or the program wrote it.

Their text is the program's, under the same checks. A program never has the module itself, whose dictionary holds the
builtins: it has an empty stand-in, and `reached` gives the module for the one attribute that is asked for.
"""

import sys
from collections.abc import Callable
from types import ModuleType

from explorer.runtime.notebook.files import HOME, Files
from explorer.runtime.policy.syntax import is_special
from explorer.runtime.policy.table_modules import MODULES, STAND_IN_PACKAGES

# What these names mean is settled, whatever files are given: a class of such a module would pass for a library's.
_LIBRARIES = frozenset(
    [name.partition(".")[0] for name in MODULES] + STAND_IN_PACKAGES.split() + ["explorer", "builtins", "__main__"]
) | set(sys.stdlib_module_names)


class OwnModule(ModuleType):
    """What a program has of a module of its own. It holds nothing but the modules below it that were imported."""


OwnModule.__name__ = OwnModule.__qualname__ = "module"  # as Python's own messages call it


class OwnModules:
    """The modules of one run that come from its files.

    Args:
        files: where they are looked for.
        names: the builtins of the run.
        load: called with a file's path below the program's folder, its bytes and the module's names, which its code
            is to fill; raises what the code raises.
    """

    def __init__(self, files: Files, names: dict, load: Callable[[str, bytes, dict], None]) -> None:
        self._files, self._names, self._load = files, names, load
        self._made: dict[str, tuple[OwnModule, ModuleType]] = {}

    def has(self, name: str) -> bool:
        """Whether a name means a module of the program's files: a file, or a folder with one somewhere below."""
        top = name.partition(".")[0]
        if top in _LIBRARIES:
            return False
        return name in self._made or self._place(name) is not None or self._is_folder(name)

    def get(self, name: str) -> OwnModule:
        """A module, run when it is first asked for, after those around it.

        Raises ModuleNotFoundError, and what its code raises.
        """
        if not self.has(name):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        parts = name.split(".")
        for count in range(1, len(parts) + 1):
            whole, outer = ".".join(parts[:count]), ".".join(parts[: count - 1])
            if whole in self._made:
                continue
            made = self._make(whole)
            if outer:
                setattr(self._made[outer][0], parts[count - 1], made)
                setattr(self._made[outer][1], parts[count - 1], made)
        return self._made[name][0]

    def imported(self, name: str, parts: tuple[str, ...]) -> ModuleType:
        """What `from … import …` gives out: what holds the parts, and no more.

        Raises ImportError, and what the code of the modules raises.
        """
        self.get(name)
        real = self._made[name][1]
        found = ModuleType(name)
        for part in self._all(real) if parts == ("*",) else parts:
            if part not in vars(real) and self.has(f"{name}.{part}"):
                self.get(f"{name}.{part}")
            if part not in vars(real) or not (may_be_asked(part) or part == "__version__"):
                raise ImportError(f"cannot import name {part!r} from {name!r} ({self._called(name)})", name=name)
            vars(found)[part] = vars(real)[part]
        return found

    def outermost(self, name: str) -> OwnModule:
        """What `import a.b` gives out: a, which has b. Raises what `get` raises."""
        self.get(name)
        return self._made[name.partition(".")[0]][0]

    def absolute(self, name: str, scope: dict | None, level: int) -> str:
        """The full name of what `from .name import …` means in a module. Raises ImportError."""
        package = (scope or {}).get("__package__")
        if not isinstance(package, str) or not package:
            raise ImportError("attempted relative import with no known parent package")
        parts = package.split(".")
        if level > len(parts):
            raise ImportError("attempted relative import beyond top-level package")
        return ".".join([*parts[: len(parts) - level + 1], *([name] if name else [])])

    def reached(self, module: OwnModule) -> ModuleType:
        """The module that a stand-in stands for: for one attribute, whose name was looked at."""
        return self._made[module.__name__][1]

    def clear(self) -> None:
        """Take them out of Python's own list, where pickle and dataclasses look for them."""
        for name, (_, real) in self._made.items():
            if sys.modules.get(name) is real:
                del sys.modules[name]

    def _make(self, name: str) -> OwnModule:
        place = self._place(name)
        shown, real = OwnModule(name), ModuleType(name)
        space = vars(real)
        is_package = place is None or place.endswith("/__init__.py")
        package = name if is_package else name.rpartition(".")[0]
        space.update(__builtins__=self._names, __name__=name, __package__=package)
        self._made[name] = shown, real
        sys.modules.setdefault(name, real)
        if place is None:
            return shown
        space["__file__"] = place
        try:
            self._load(place.removeprefix(f"{HOME}/"), bytes(self._files.contents[place]), space)
        except BaseException:
            del self._made[name]
            if sys.modules.get(name) is real:
                del sys.modules[name]
            raise
        return shown

    def _all(self, real: ModuleType) -> list[str]:
        """What a star brings in: the names that the module says, or all that do not begin with an underscore."""
        said = vars(real).get("__all__")
        if isinstance(said, list | tuple):
            return [name for name in said if type(name) is str and may_be_asked(name)]
        return [name for name in vars(real) if name[:1] != "_" and name.isidentifier()]

    def _place(self, name: str) -> str | None:
        """The file of a module; a given file stands in for one with its name in another folder."""
        path = f"{HOME}/{name.replace('.', '/')}"
        for found in (f"{path}/__init__.py", f"{path}.py", self._files.meant(f"{path}.py")):
            if found in self._files.contents:
                return found
        return None

    def _is_folder(self, name: str) -> bool:
        path = f"{HOME}/{name.replace('.', '/')}/"
        return any(one.startswith(path) and one.endswith(".py") for one in self._files.contents)

    def _called(self, name: str) -> str:
        return (self._place(name) or name).removeprefix(f"{HOME}/")


def may_be_asked(name: str) -> bool:
    """Whether an attribute of a module of the program may be read, set or deleted by this name."""
    return name.isidentifier() and not is_special(name)
