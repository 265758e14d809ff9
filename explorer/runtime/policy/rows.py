"""The rows of the table as sets of names."""

from dataclasses import dataclass
from functools import cache

from explorer.runtime.policy.table import WHY
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

    def __contains__(self, name: str) -> bool:
        if name in self.names or (self.starts and name.startswith(self.starts)):
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


@cache
def module_names(name: str) -> frozenset[str]:
    """What a module of the table offers. Imports it, and torch."""
    import importlib

    import torch

    text = MODULES[name]
    row, words = read_row(text), text.split()
    module = importlib.import_module(name)
    found = set(row.names)
    if "@tensor" in words:
        functions = torch.overrides.get_overridable_functions().get(module, [])
        offered = {id(function) for function in functions}
        found |= {key for key, value in vars(module).items() if key[0] != "_" and id(value) in offered}
    if "@modules" in words:
        for key, value in vars(module).items():
            if isinstance(value, type) and issubclass(value, torch.nn.Module):
                found.add(key)
    if row.public:
        found |= {key for key, value in vars(module).items() if key[0] != "_" and type(value) is not type(torch)}
    return frozenset(found - row.without)


@cache
def _reasons() -> dict[str, str]:
    return {word: reason for reason, words in WHY.items() for word in words.split()}


def reason_of(what: str, otherwise: str) -> str:
    """The id of the sentence for something refused: its own, that of the module it lies in, or `otherwise`."""
    reasons = _reasons()
    while what:
        if what in reasons:
            return reasons[what]
        what = what.rpartition(".")[0]
    return otherwise
