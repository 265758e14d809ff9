"""Records of torch operations, a file for each family.

Belongs here: the record (`record`), the rows (`elementwise`, `reductions`, …), the entry maps of calls (`call`, which
also asks torch), how they combine entries (`rules`), formulas (`formulas`), torch's documentation of calls
(`signatures`). A record yields value, derivative, FLOPs, the picture by squares, *Why?*, and facts for the rules. Does
not belong here: sentences, squares, the contents of a whole Trace.
"""

from collections.abc import Callable, Mapping
from functools import cache, lru_cache

from explorer.analysis.run.operations import (
    creation,
    elementwise,
    indexing,
    losses,
    norms,
    products,
    rearrangements,
    reductions,
    windows,
)
from explorer.analysis.run.operations.call import OperationCall
from explorer.analysis.run.operations.record import Derivative, Operation, camel_case, stem_of
from explorer.trace.arguments import Arguments

_FAMILIES = (
    reductions, indexing, rearrangements, elementwise, products, creation, windows, norms, losses
)  # fmt: skip
ALL: tuple[Operation, ...] = tuple(operation for family in _FAMILIES for operation in family.OPERATIONS)
OPERATIONS = {operation.name: operation for operation in ALL}
_NAMED = {name: operation for operation in reversed(ALL) for name in operation.names} | OPERATIONS
_NODES = {node: operation for operation in ALL for node in (camel_case(operation.name), *operation.nodes)}
DERIVATIVES = {node: rules for operation in ALL for node, rules in operation.derivatives.items()}
NOTHING = Operation("")


@lru_cache(4096)
def operation_of(name: str) -> Operation:
    """Find an operation by torch's or Python's name, NOTHING if unknown.

    >>> operation_of("__rsub__").name, operation_of("relu_").name
    ('sub', 'relu')
    """
    return _NAMED.get(name) or _NAMED.get(name.rstrip("_"), NOTHING)


def overwrites(name: str) -> bool:
    """Return whether a call overwrites all entries of its tensor unread.

    >>> overwrites("fill_"), overwrites("ones_"), overwrites("ones"), overwrites("add_")
    (True, True, False, False)
    """
    return name.endswith("_") and operation_of(name).fills


def steps_by(name: str, arguments: Arguments) -> tuple[int, ...]:
    """Return operands in which a call is a step function because of an argument.

    >>> steps_by("grid_sample", Arguments((0, 1), {"mode": "nearest"})), steps_by("grid_sample", Arguments((0, 1), {}))
    ((1,), ())
    """
    if name == "grid_sample":
        return (1,) if arguments.get(2, "mode", default="bilinear") == "nearest" else ()
    if name in ("div", "divide", "true_divide", "div_"):
        return (0, 1) if arguments.named.get("rounding_mode") is not None else ()
    return ()


def operation_of_call(call: OperationCall) -> Operation:
    """Return the operation of a call: `max` of two tensors is `maximum`."""
    if call.name in ("max", "min") and len(call.operands) == 2 and len(call.results) == 1:
        return OPERATIONS[f"{call.name}imum"]
    return operation_of(call.name)


def names_where(fits: Callable[[Operation], object]) -> frozenset[str]:
    """Return the names of matching operations, in-place forms included."""
    names = frozenset(name for operation in ALL if fits(operation) for name in operation.names)
    return names.union(f"{name}_" for name in names if not name.endswith("_"))


@cache
def spellings(*operations: str) -> frozenset[str]:
    """Return the names by which programs call operations, in-place forms included.

    >>> sorted(spellings("neg"))
    ['__neg__', 'neg', 'neg_', 'negative', 'negative_']
    """
    return names_where(lambda operation: operation.name in operations)


def reads_only_shape(name: str) -> bool:
    """Return whether a call reads only its tensor's shape and kind: zeros_like, new_zeros."""
    return name.endswith("_like") or (name.startswith("new_") and name != "new_tensor")


NAMES = frozenset(name for operation in ALL for name in operation.names)
LOSSES = frozenset(name for operation in losses.OPERATIONS for name in operation.names)
PRODUCTS = names_where(lambda operation: operation.units or operation.summed or operation.heavy)  # matrix products
FORMS = names_where(lambda operation: operation.keeps_examples)  # the same entries: shapes, casts, copies
MOVES = names_where(lambda operation: operation.moves)  # the same entries, possibly in other places
CASTS = names_where(lambda operation: operation.name == "to")
RECURRENT = names_where(lambda operation: operation.kind == "recurrent")
DRAWS = names_where(lambda operation: operation.draws == "result")  # random, and without a gradient
NOISES = names_where(lambda operation: operation.draws == "noise")  # change their operand at random
ENTRYWISE = names_where(lambda operation: operation.entrywise)
COMBINES = names_where(lambda operation: operation.combines)
PICKS = names_where(lambda operation: operation.picks)
RANDOM = names_where(lambda operation: operation.draws)
SPREADS = names_where(lambda operation: operation.sentence in ("expand", "repeat"))
STRAIGHT = MOVES | names_where(lambda operation: operation.straight or operation.name == "neg")
RESHAPES = FORMS | {"__getitem__"}
MATRICES = spellings("matmul", "mm", "bmm", "baddbmm")  # products that sum over the last axis of their first factor


@lru_cache(4096)
def operation_of_node(node: str) -> Operation:
    """Return the operation of a node by torch's name, NOTHING if unknown."""
    return _NODES.get(node) or _NODES.get(stem_of(node), NOTHING)


@lru_cache(4096)
def derivatives_of_node(node: str) -> Mapping[str, Derivative]:
    """Return a node's derivatives by torch's input names, empty if unlisted."""
    return DERIVATIVES.get(node) or DERIVATIVES.get(stem_of(node), {})
