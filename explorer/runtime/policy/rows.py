"""The rows of the table as sets of names."""

from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from types import ModuleType

from explorer.runtime.policy.table import NEVER, WHY
from explorer.runtime.policy.table_modules import MODULES
from explorer.runtime.policy.table_types import TYPES, WRITES


@dataclass(frozen=True)
class Row:
    """Some names.

    Attributes:
        names: these.
        starts: every name that begins so.
        public: whether every name without a leading underscore is meant too, but for `without`.
    """

    names: frozenset[str]
    starts: tuple[str, ...]
    public: bool
    without: frozenset[str]

    def says(self, name: str) -> bool:
        """Whether a name, or how it begins, stands there as such."""
        return name in self.names or (bool(self.starts) and name.startswith(self.starts))

    def __contains__(self, name: str) -> bool:
        if self.says(name):
            return True
        return self.public and not name.startswith("_") and name not in self.without


@cache
def read_row(text: str) -> Row:
    """A row of the table."""
    words = text.split()
    return Row(
        names=frozenset(word for word in words if word[0] not in "-@" and word[-1] != "*" and word != "public"),
        starts=tuple(word[:-1] for word in words if word[-1] == "*"),
        public="public" in words,
        without=frozenset(word[1:] for word in words if word[0] == "-"),
    )


@cache
def type_row(key: str, writes: bool = False) -> Row | None:
    """The row of a type by its full name; `folder.*` stands for all types of a module."""
    table = WRITES if writes else TYPES
    text = table.get(key, table.get(key.rpartition(".")[0] + ".*"))
    return None if text is None else read_row(text)


def module_row(name: str) -> str | None:
    """The row of a module, its own or that of all public ones in its folder; None where there is none."""
    folder, _, last = name.rpartition(".")
    return MODULES.get(name, None if last.startswith("_") else MODULES.get(folder + ".*"))


@cache
def module_names(name: str) -> frozenset[str]:
    """What a module of the table offers. Imports it, and torch."""
    import importlib

    import torch

    text = module_row(name)
    row, words = read_row(text), text.split()
    module = importlib.import_module(name)
    found = set(row.names)
    if "@tensor" in words:
        functions = torch.overrides.get_overridable_functions().get(module, [])
        overridable = {id(function) for function in functions}
        offered = {key for key, value in vars(module).items() if key[0] != "_" and id(value) in overridable}
        found |= {key for key in offered if never(key) is None}
    if "@modules" in words:
        for key, value in vars(module).items():
            if isinstance(value, type) and issubclass(value, torch.nn.Module):
                found.add(key)
    if row.public:
        found |= {key for key, value in vars(module).items() if key[0] != "_" and type(value) is not type(torch)}
    if "@all" in words:
        found |= set(documented(module))
    return frozenset(found - row.without)


def documented(module: ModuleType) -> Iterator[str]:
    """What a module says is its own and computes: its `__all__`, otherwise what is written in it, without `NEVER`."""
    import torch

    named = set(getattr(module, "__all__", ()))
    if module is torch:
        named |= {key for key in dir(torch._C._VariableFunctions) if hasattr(torch, key)}
        named |= {key for key, value in vars(torch).items() if isinstance(value, torch.dtype | torch.layout)}
    inside = module.__name__ + "."
    for key, value in vars(module).items():
        own = f"{getattr(value, '__module__', '')}.".startswith(inside)
        if key[0] == "_" or not (key in named or (own and not named)) or isinstance(value, ModuleType):
            continue
        if module is torch and isinstance(value, type) and not issubclass(value, BaseException):
            continue  # those of its compiler stand beside its own
        if never(key) is None:
            yield key


@cache
def never(name: str) -> str | None:
    """Why no rule lets a name in, whatever library says it is public; None where nothing speaks against it."""
    for reason, patterns in NEVER.items():
        if any(fnmatchcase(name, pattern) for pattern in patterns.split()):
            return reason
    return None


@cache
def _reasons() -> dict[str, str]:
    return {word: reason for reason, words in WHY.items() for word in words.split()}


def reason_of(what: str, otherwise: str) -> str:
    """The id of the sentence for something refused: its own, that of the module it lies in, or `otherwise`."""
    reasons = _reasons()
    known = what
    while known:
        if known in reasons:
            return reasons[known]
        known = known.rpartition(".")[0]
    return (never(what.rpartition(".")[2]) if otherwise == "library" else None) or otherwise
