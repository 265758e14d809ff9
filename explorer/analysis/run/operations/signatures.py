"""Signatures and first sentences from torch's documentation.

The texts come from the installed torch (`tools/generate_signatures.py`) and stay in English. They also show which names
torch has, and a method's required arguments.
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from explorer.analysis.run.operations import operation_of
from explorer.safe_regex import stands_in

_METHODS = (
    "torch.Tensor",
    "torch.nn.Module",
    "torch.optim.Optimizer",
)  # classes that a method `.name` may belong to, most likely first


@dataclass(frozen=True)
class Signature:
    """One callable.

    Attributes:
        signature: its parameters in parentheses, and its result if torch documents it, "" if unknown.
        sentence: the first of its docstring, "" for none.
    """

    signature: str
    sentence: str


def find_signature(name: str) -> Signature | None:
    """Find the signature for a name, or None.

    >>> find_signature(".view").signature
    '(*shape) -> Tensor'

    Args:
        name: full name, as `torch.nn.Linear`, or a method of an unknown object, as `.view`.
    """
    names = [owner + name for owner in _METHODS] if name.startswith(".") else [name]
    table = _known()
    return next((Signature(*table[name]) for name in names if name in table), None)


@cache
def _known() -> dict[str, tuple[str, str]]:
    return json.loads(Path(__file__).with_name("signatures.json").read_text(encoding="utf-8"))


@cache
def names_of(owner: str) -> frozenset[str]:
    """Return the callables of a torch module, or the methods of a class.

    >>> "view" in names_of("torch.Tensor"), "view" in names_of("torch")
    (True, False)
    """
    return frozenset(name.rpartition(".")[2] for name in _known() if name.rpartition(".")[0] == owner)


@cache
def needs_no_argument(method: str) -> bool:
    """Return whether a tensor method can be called without arguments.

    >>> needs_no_argument("sum"), needs_no_argument("softmax")
    (True, False)
    """
    entry, operation = find_signature(f"torch.Tensor.{method}"), operation_of(method)
    if entry is None or len(operation.operands) > 1 or None in operation.options.values():
        return False
    if not entry.signature:  # torch documents no signature of relu and detach
        return len(operation.operands) == 1 or operation.keeps_examples
    given = entry.signature.partition(" -> ")[0].strip("()").split(", ")
    return all("=" in one or one in ("", "*") for one in given)


@cache
def methods_with(parameter: str) -> frozenset[str]:
    """Return the tensor methods with a parameter of this name.

    >>> "softmax" in methods_with("dim"), "relu" in methods_with("dim")
    (True, False)
    """
    given = {name: _known()[f"torch.Tensor.{name}"][0] for name in names_of("torch.Tensor")}
    return frozenset(name for name, written in given.items() if stands_in(written, parameter))
