"""What the ring asks of a library's types: their names in the table, their rows, what they keep for themselves."""

import typing
from functools import cache
from types import GenericAlias, UnionType

from explorer.runtime.policy.rows import Row, type_row


def full_name(kind: type) -> str:
    """The name of a type in the table."""
    return f"{kind.__module__}.{kind.__qualname__}"


def is_generic(base: object) -> bool:
    """Whether it is a class with parameters, such as `Dataset[int]`."""
    return isinstance(base, GenericAlias | UnionType | type(typing.List[int]))  # noqa: UP006


def listed(kind: type, patterns: frozenset[str]) -> bool:
    """Whether a type is among full names, in which `*` stands for one part."""
    name = full_name(kind)
    if name in patterns:
        return True
    parts = name.split(".")
    starred = {".".join([*parts[:cut], *["*"] * (len(parts) - cut)]) for cut in range(1, len(parts))}
    return not starred.isdisjoint(patterns)


@cache
def row_of(base: type) -> tuple[tuple[type, Row], ...]:
    """The row of one library type, if it has one."""
    row = type_row(full_name(base))
    return () if row is None else ((base, row),)


@cache
def kept_private(base: type) -> frozenset[str]:
    """The names with a leading underscore that one library type has for itself, on the class or in its instances."""
    if base is object:
        return frozenset()
    return frozenset(name for name in base.__dict__ if name.startswith("_")) | kept_state(base)


@cache
def kept_state(base: type) -> frozenset[str]:
    """Those among them that hold what its instances do when they are called: hooks, parts."""
    if full_name(base) != "torch.nn.modules.module.Module":
        return frozenset()
    return frozenset(name for name in vars(base()) if name.startswith("_"))


def columns_of(thing: typing.Any, kind: type) -> typing.Any:
    """The columns of a DataFrame, which are attributes too; None for anything else."""
    if any(full_name(base) in ("pandas.DataFrame", "pandas.Series") for base in kind.__mro__):
        return thing.columns if hasattr(kind, "columns") else thing.index
    if any(full_name(base) == "pandas.core.groupby.groupby.BaseGroupBy" for base in kind.__mro__):
        return thing.obj.columns if hasattr(thing.obj, "columns") else ()
    return None


def is_node(kind: type) -> bool:
    import torch

    return kind.__module__ in ("builtins", "torch.autograd.function", "torch") and issubclass(
        kind, torch.autograd.graph.Node
    )
