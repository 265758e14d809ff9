"""Facts shared by all nodes of a type: their name, and their saved values."""

from collections.abc import Sequence
from types import FunctionType
from typing import Any

import torch
from msgspec import Struct
from torch.autograd.graph import Node

from explorer.trace import PACKED, RECOMPUTED

TELLS_HOOKS = hasattr(torch._C._autograd.SavedTensor, "unpack_hook")  # torch 2.8 does not have it
hooks_now = torch._C._autograd._top_saved_tensors_default_hooks
_INTEGERS = frozenset({int})
_GEOMETRY = ("_sym_sizes", "_sym_strides", "_layout")  # saved shapes add nothing to the edges


class NodeKind(Struct, frozen=True):
    """The facts of one type of node.

    Attributes: name: torch's name without namespace, "" if nodes of the type have different names. user_code: whether
    it is a custom Function's. saved: attributes that hold saved tensors and constants, torch's names for them, and for
    tensors the attribute that holds them as they were packed, otherwise "".
    """

    name: str
    user_code: bool
    saved: tuple[tuple[str, str, str], ...]


class Kinds(dict):
    """Kinds by type of node, with those of torch shared by all recordings."""

    def learn(self, node: Node) -> NodeKind:
        """Return the Kind of a node whose type is new."""
        kind = type(node)
        user_code = isinstance(node, torch._C._FunctionBase)
        attributes = set(dir(kind))
        saved = [
            (name, name.removeprefix("_saved_"), f"_raw{name}" if f"_raw{name}" in attributes else "")
            for name in sorted(attributes)
            if name.startswith("_saved_") and not name.endswith(_GEOMETRY)
        ]
        if user_code:
            saved.append(("saved_tensors", "saved_tensors", "_raw_saved_tensors"))
        name = "" if user_code or kind.__name__ == "CppFunction" else node.name().rpartition("::")[2]
        made = NodeKind(name, user_code, tuple(saved))
        if not user_code:  # don't keep the program's own classes alive here
            self[kind] = made
        return made


KINDS = Kinds()


def packed(node: Any, raw: str) -> str:
    """Describe a saved tensor that only a hook of the program can unpack.

    For several tensors, it is the first. It is "" if torch itself keeps the tensor, so that reading it runs nothing of
    the program.

    Args: raw: the attribute with its packed form, "" for other values. If torch does not reveal the hooks of a saved
    tensor, the active hooks count.
    """
    if not TELLS_HOOKS:
        return PACKED if raw and hooks_now(False) is not None else ""
    try:
        saved = getattr(node, raw) if raw else None
    except RuntimeError:  # freed
        return ""
    for one in saved if isinstance(saved, tuple) else (saved,):
        hook = None if one is None else one.unpack_hook
        if hook is not None:
            own = type(hook) is FunctionType and hook.__module__ == "torch.utils.checkpoint"
            return RECOMPUTED if own else PACKED
    return ""


def runs_hooks(root: Node | None) -> bool:
    """Return whether a backward from this node would run an unpacking hook."""
    stack, seen = [root], {None, root}
    while stack:
        node = stack.pop()
        if node is None:
            continue
        if any(packed(node, raw) for _, _, raw in (KINDS.get(type(node)) or KINDS.learn(node)).saved):
            return True
        new = {below for below, _ in node.next_functions} - seen
        seen |= new
        stack += new
    return False


def shapes_of(node: Any) -> list[torch.Size | None]:
    """Return the shapes of a node's results, None for shapes torch does not report."""
    return [plain_shape(one.shape) for one in getattr(node, "_input_metadata", ())]


def plain_shape(shape: Sequence[int]) -> torch.Size | None:
    """Return a shape, None if it has symbols."""
    return torch.Size(shape) if _INTEGERS.issuperset(map(type, shape)) else None


def signed(value: Any) -> Any:
    """Restore the sign of dimensions counted from the end.

    torch stores them unsigned.
    """
    if type(value) is int:
        return value - 2**64 if value >= 2**63 else value
    return tuple([signed(part) for part in value]) if isinstance(value, tuple) else value
