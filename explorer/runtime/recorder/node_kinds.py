"""Facts that all nodes of a type share: their name, and the values they save for backward."""

from typing import Any

import torch
from msgspec import Struct
from torch.autograd.graph import Node

from explorer.runtime.recorder.faults import raise_if_own_fault

_GEOMETRY = ("_sym_sizes", "_sym_strides", "_layout")  # saved shapes add nothing to the edges


class Kind(Struct, frozen=True):
    """The facts of one type of node.

    Attributes:
        name: torch's name without namespace, "" if nodes of the type have different names.
        user_code: whether it is a custom Function's.
        saved: attributes that hold saved tensors and constants, and torch's names for them.
    """

    name: str
    user_code: bool
    saved: tuple[tuple[str, str], ...]


class Kinds(dict):
    """Kinds by type of node; those of torch itself, which all recordings share."""

    def learn(self, node: Node) -> Kind:
        """The Kind of a node whose type is new."""
        kind = type(node)
        user_code = isinstance(node, torch._C._FunctionBase)
        saved = [
            (name, name.removeprefix("_saved_"))
            for name in dir(kind)
            if name.startswith("_saved_") and not name.endswith(_GEOMETRY)
        ]
        if user_code:
            saved.append(("saved_tensors", "saved_tensors"))
        name = "" if user_code or kind.__name__ == "CppFunction" else node.name().rpartition("::")[2]
        made = Kind(name, user_code, tuple(saved))
        if not user_code:  # the program's own classes must not live on here
            self[kind] = made
        return made


KINDS = Kinds()


def kept_tensors(node: Node) -> list[torch.Tensor]:
    """The tensors that a node saves for backward and that can be read."""
    tensors: list[torch.Tensor] = []
    for attribute, _ in (KINDS.get(type(node)) or KINDS.learn(node)).saved:
        try:
            saved = getattr(node, attribute)
        except Exception as problem:  # changed in place since, or freed
            raise_if_own_fault(problem)
            continue
        tensors += [
            part for part in (saved if isinstance(saved, list | tuple) else (saved,)) if isinstance(part, torch.Tensor)
        ]
    return tensors


def signed(value: Any) -> Any:
    """Give dimensions counted from the end their sign back, which torch stores unsigned."""
    if isinstance(value, tuple):
        return tuple([signed(part) for part in value])
    return value - 2**64 if isinstance(value, int) and value >= 2**63 else value
