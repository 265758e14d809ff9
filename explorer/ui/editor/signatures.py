"""Signature and first sentence of a call, from torch's own documentation.

The texts are facts of the installed torch (`tools/generate_signatures.py`) and stay in its language.
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_METHODS = (
    "torch.Tensor",
    "torch.nn.Module",
    "torch.optim.Optimizer",
)  # classes that a method `.name` may belong to, likeliest first


@dataclass(frozen=True)
class Signature:
    """One callable.

    Attributes:
        signature: its parameters in parentheses, and its result if torch documents it; "" if unknown.
        sentence: the first of its docstring, "" for none.
    """

    signature: str
    sentence: str


def find_signature(name: str) -> Signature | None:
    """The signature for a name; None if unknown.

    >>> find_signature(".view").signature
    '(*shape) -> Tensor'

    Args:
        name: in full, as `torch.nn.Linear`, or a method of something unknown, as `.view`.
    """
    names = [owner + name for owner in _METHODS] if name.startswith(".") else [name]
    known = _known()
    return next((Signature(*known[name]) for name in names if name in known), None)


@cache
def _known() -> dict[str, tuple[str, str]]:
    return json.loads(Path(__file__).with_name("signatures.json").read_text(encoding="utf-8"))
