"""Ask torch: recorded calls made again, by torch's own functions on the recorded operands, and their local derivatives.

What a node passes on is linear in the gradient that arrives. So torch's own backward of the call, given a gradient
that is 1 in one entry and 0 elsewhere, gives the derivatives by every entry of an input. Nothing of the program runs:
a call is known by the name of torch's function, its operands and its arguments.

Calls are left out whose operands or arguments were not all recorded, or that give other numbers when made again: those
that draw random numbers, or run under autocast.
"""

import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import torch

# Bound here, as the program may put something else in their place.
from torch import (
    allclose,
    autocast,
    enable_grad,
    get_rng_state,
    inference_mode,
    ones,
    set_grad_enabled,
    set_rng_state,
    zeros,
)
from torch import tensor as made_tensor

from explorer.runtime.recorder.calls import classify, names_of_functions
from explorer.runtime.recorder.faults import raise_if_own_fault
from explorer.runtime.recorder.hidden_calls import WithoutModes
from explorer.trace import Arguments, Dtype, InputTensor, Other, Trace
from explorer.trace.slopes import MOST_SLOPES, Slopes

MOST_CALLS = 1_000  # of torch, forward or backward: some hundredths of a second
_ENTRIES = 64  # of one gradient
_MOST = 100_000  # of an operand whose entries were not recorded
_CLOSE = {torch.float64: 1e-9, torch.complex128: 1e-9, torch.float16: 2e-3, torch.bfloat16: 2e-2}


class _Unknown(Exception):
    """The call cannot be made again."""


class _Large(_Unknown):
    """Entries of an operand were not recorded."""


def asked_slopes(trace: Trace) -> Slopes:
    """The local derivatives of the calls that backwards went through, those of the last backward first."""
    if trace.options.detail != "complete":
        return Slopes()
    try:
        return _asked(trace)
    except Exception as problem:  # the program has put something else in the place of a function of torch
        raise_if_own_fault(problem)
        return Slopes()


def _asked(trace: Trace) -> Slopes:
    columns, slopes, left = Slopes([], [], [], [], [], []), _Parts(), MOST_CALLS
    runs = _runs(trace)
    with _apart():
        for operation in dict.fromkeys(trace.nodes.operation[node] for node in runs):
            left -= 3  # with its operands and the check of its results
            try:
                pairs = _pairs(trace, operation) if operation >= 0 else []
            except _Unknown:
                continue
            except Exception as problem:  # torch refuses it
                raise_if_own_fault(problem)
                continue
            for node, again in pairs:
                try:
                    left -= _ask(trace, node, again, sorted(runs.get(node, ())), left, columns, slopes)
                except Exception as problem:
                    raise_if_own_fault(problem)
            if left <= 0 or slopes.count >= MOST_SLOPES // 2:
                break
    return slopes.of(columns)


def _runs(trace: Trace) -> dict[int, set[bool]]:
    """The nodes that ran in a backward, the last backward first, each with whether a graph of it was made.

    A node may compute a gradient in another way when it is to be differentiated again.
    """
    runs: dict[int, set[bool]] = {}
    for call in reversed(trace.backwards):
        for node in call.order if len(runs) < 2 * MOST_CALLS else ():
            runs.setdefault(node, set()).add(call.create_graph)
    return runs


class _Parts:
    """The slopes of several maps."""

    def __init__(self) -> None:
        self.count = 0
        self._places: list[np.ndarray] = []
        self._slopes: list[np.ndarray] = []

    def add(self, matrix: np.ndarray) -> int:
        """Add the slopes of a matrix that are not 0; return how many there are."""
        rows, columns = np.nonzero(matrix)
        self.count += len(rows)
        self._places.append(np.array([rows, columns], np.uint8))
        self._slopes.append(matrix[rows, columns].astype("<c16"))
        return len(rows)

    def of(self, columns: Slopes) -> Slopes:
        """The columns with all slopes."""
        if not self._places:
            return Slopes()
        arriving, passed = np.concatenate(self._places, 1)
        lists = (columns.node, columns.output, columns.edge, columns.rows, columns.columns, columns.count)
        return Slopes(*lists, arriving.tobytes(), passed.tobytes(), np.concatenate(self._slopes).tobytes())


@contextmanager
def _apart() -> Iterator[None]:
    """Nothing of the program sees the calls or hears their warnings, and random numbers go on as if there were none."""
    state, shown = get_rng_state(), warnings.showwarning
    try:
        warnings.showwarning = lambda *_args, **_named: None
        with WithoutModes(), inference_mode(False), enable_grad(), autocast("cpu", enabled=False):
            yield
    finally:
        warnings.showwarning = shown
        set_rng_state(state)


def _pairs(trace: Trace, operation: int) -> list[tuple[int, tuple[Any, ...]]]:
    """The recorded nodes of a call, each with its nodes in the call made again.

    Where entries of an operand were not recorded, the call is made twice, with any entries: slopes that are the same
    in both do not depend on them. Raises _Unknown.
    """
    try:
        return [(node, (again,)) for node, again in _same_nodes(trace, operation, _made_again(trace, operation))]
    except _Large:
        first, other = (dict(_same_nodes(trace, operation, _made_again(trace, operation, seed))) for seed in (1, 2))
        return [(node, (again, other[node])) for node, again in first.items() if node in other]


def _made_again(trace: Trace, operation: int, seed: int = 0) -> dict[int, torch.Tensor]:
    """Make a call again and return its results by tensor. A call that writes returns the tensors it wrote to.

    Args:
        seed: draws the entries that were not recorded. With 0 none are drawn, and a call that needs them raises _Large.

    Raises _Unknown where the call cannot be made again, or where no result is small enough to ask for slopes.
    """
    rows, strings = trace.operations, trace.strings
    if rows.error[operation] >= 0 or not rows.grad_enabled[operation]:
        raise _Unknown
    function, given = _functions().get(strings[rows.function[operation]]), trace.arguments(operation)
    name, inputs = strings[rows.name[operation]], rows.inputs[operation]
    if function is None or not given.is_whole:
        raise _Unknown
    if (made := rows.outputs[operation]) and all(_size(trace, tensor) > _ENTRIES for tensor in made):
        raise _Unknown  # as costly as in the program, and no slope would be written down
    read = _rows_read(trace, operation)
    tensors = {row: _recorded(trace, row, seed) for row in dict.fromkeys(read)}
    operands, results = [tensors[row] for row in read], dict[int, torch.Tensor]()
    if writes := name == "__setitem__" or (name.endswith("_") and not name.endswith("__")):
        results = _written(trace, operation, operands[0])
        operands[0] = results[inputs[0]]
    positional, named = _filled(given, operands)
    try:
        returned = function(*positional, **named)
    except Exception:  # an argument was not kept, or of another type
        raise _Unknown from None
    if not writes:
        parts = [returned] if isinstance(returned, torch.Tensor) else list(returned)
        if len(parts) != len(made):  # not all results were recorded
            raise _Unknown
        results = dict(zip(made, parts, strict=True))
    for tensor, result in results.items() if not seed else ():
        _check(trace, operation, tensor, result)
    if seed:
        return results if not writes else {}
    _overwrite(trace, operation, {**dict(zip(inputs, operands, strict=True)), **results})
    return results


def _size(trace: Trace, tensor: int) -> int:
    """How many entries a tensor has."""
    return math.prod(trace.shapes[trace.tensors.shape[tensor]])


def _rows_read(trace: Trace, operation: int) -> list[int]:
    """The versions that a call read."""
    rows, found = trace.operations, []
    for tensor, version in zip(rows.inputs[operation], rows.input_versions[operation], strict=True):
        at = trace.index.before(tensor, operation, version) if version >= 0 else None
        at = trace.index.before(tensor, operation) if at is None else at
        found.append(trace.tensors.version_start[tensor] if at is None else at)
    return found


def _recorded(trace: Trace, row: int, seed: int = 0) -> torch.Tensor:
    """A version of a tensor. Raises _Large if not all its entries were recorded, _Unknown if it cannot be made."""
    value, tensor = trace.value_at(row), trace.index.tensor_of(row)
    if value is None or trace.strings[trace.tensors.device[tensor]] != "cpu":
        raise _Unknown
    if value.data is not None:
        made = made_tensor(value.data, dtype=getattr(torch, value.dtype)).reshape(value.shape)
    elif not value.dtype.startswith("float") or math.prod(value.shape) > _MOST:
        raise _Unknown
    elif not seed:
        raise _Large
    else:
        entries = np.random.default_rng(seed).uniform(0.5, 1.5, value.shape)
        made = made_tensor(entries, dtype=getattr(torch, value.dtype))
    differentiable = made.is_floating_point() or made.is_complex()
    asks = trace.versions.node[row] >= 0 or trace.tensors.requires_grad[tensor]
    return made.requires_grad_(asks and differentiable)


def _written(trace: Trace, operation: int, operand: torch.Tensor) -> dict[int, torch.Tensor]:
    """What a call writes to, by tensor; for a part of another tensor both."""
    tensors, tensor = trace.tensors, trace.operations.inputs[operation][0]
    base = trace.index.in_storage[tensors.storage[tensor]][0] if tensors.storage[tensor] >= 0 else tensor
    row = trace.index.written(base, operation)
    if base == tensor or row is None or trace.versions.operation[row] != operation or trace.versions.node[row] < 0:
        return {tensor: operand.clone()}
    before = trace.index.before(base, operation)
    whole = _recorded(trace, tensors.version_start[base] if before is None else before).clone()
    if list(whole.stride()) != trace.shapes[tensors.stride[base]]:
        raise _Unknown
    stride, offset = trace.shapes[tensors.stride[tensor]], tensors.offset[tensor] - tensors.offset[base]
    return {base: whole, tensor: whole.as_strided(operand.shape, stride, offset)}


def _overwrite(trace: Trace, operation: int, tensors: dict[int, torch.Tensor]) -> None:
    """Give tensors the entries that backward read, where they were written to unnoticed, as through `.data`."""
    nodes = trace.index.made.get(operation, ())
    until = max((call.operations for call in trace.backwards if not set(nodes).isdisjoint(call.order)), default=0)
    for tensor, made in tensors.items():
        was, now = trace.index.before(tensor, operation + 1), trace.index.before(tensor, until)
        if was is None or now is None or was == now or trace.versions.version[was] != trace.versions.version[now]:
            continue
        value = trace.value_at(now)
        if value is None or value.data is None:
            raise _Unknown
        made.data.copy_(made_tensor(value.data, dtype=made.dtype).reshape(made.shape))


def _check(trace: Trace, operation: int, tensor: int, result: torch.Tensor) -> None:
    """Raises _Unknown if a result is not what was recorded."""
    row = trace.index.written(tensor, operation)
    value = None if row is None or trace.versions.operation[row] != operation else trace.value_at(row)
    if value is None or value.shape != tuple(result.shape) or result.layout is not torch.strided:
        raise _Unknown
    if value.data is not None:
        recorded = made_tensor(value.data, dtype=result.dtype).reshape(result.shape)
        close = _CLOSE.get(result.dtype, 1e-5)
        if not allclose(result.detach(), recorded, close, close, equal_nan=True):
            raise _Unknown


def _same_nodes(trace: Trace, operation: int, results: dict[int, torch.Tensor]) -> list[tuple[int, Any]]:
    """The recorded nodes of a call, each with the node of the call that was made again."""
    nodes, waiting = trace.nodes, list[tuple[int, Any]]()
    for tensor, result in results.items():
        row = trace.index.written(tensor, operation)
        if row is not None and trace.versions.node[row] >= 0 and result.grad_fn is not None:
            waiting.append((trace.versions.node[row], result.grad_fn))
    found: dict[int, Any] = {}
    while waiting:
        node, again = waiting.pop()
        if node in found or nodes.operation[node] != operation or nodes.user_code[node]:
            continue
        name = again.name().rpartition(":")[2]
        if trace.strings[nodes.name[node]] != name or len(nodes.edges[node]) != len(again.next_functions):
            continue
        found[node] = again
        below = zip(nodes.edges[node], again.next_functions, strict=True)
        waiting += [(target, other) for target, (other, _) in below if target >= 0 and other is not None]
    return list(found.items())


def _ask(
    trace: Trace, node: int, again: tuple[Any, ...], modes: list[bool], left: int, columns: Slopes, slopes: _Parts
) -> int:
    """Write down the slopes of a node over each of its edges; return how often it was called.

    Args:
        again: its nodes in the repeated calls.
        modes: whether a graph was made when it ran. What differs between calls or modes is not written down.
    """
    calls = 0
    for output, given in enumerate(again[0]._input_metadata):
        size, shape = math.prod(given.shape), tuple(given.shape)
        if not 0 < size <= _ENTRIES or not (given.dtype.is_floating_point or given.dtype.is_complex):
            return calls
        each = []
        for one, mode in product(again, modes):
            with set_grad_enabled(mode):
                matrices, took = _matrices(trace, node, one, output, shape, given.dtype, left - calls)
            each.append(matrices)
            calls += took
        for edge, (matrix, *others) in enumerate(zip(*each, strict=True)):
            same = matrix is not None and all(_alike(matrix, other) for other in others)
            if not same or slopes.count + np.count_nonzero(matrix) > MOST_SLOPES:
                continue
            columns.node.append(node)
            columns.output.append(output)
            columns.edge.append(edge)
            columns.rows.append(size)
            columns.columns.append(matrix.shape[1])
            columns.count.append(slopes.add(matrix))
    return calls


def _alike(matrix: np.ndarray, other: np.ndarray | None) -> bool:
    return other is not None and np.allclose(matrix, other, 1e-5, 0, equal_nan=True)


def _matrices(
    trace: Trace, node: int, again: Any, output: int, shape: tuple[int, ...], dtype: torch.dtype, left: int
) -> tuple[list[np.ndarray | None], int]:
    """By edge the slopes from one output of a node, None where they are unknown; and how often it was called."""
    targets = [
        other._input_metadata[at] if other is not None and target >= 0 else None
        for target, (other, at) in zip(trace.nodes.edges[node], again.next_functions, strict=True)
    ]
    targets = [None if one is None or not 0 < math.prod(one.shape) <= _ENTRIES else one for one in targets]
    sizes = [0 if target is None else math.prod(target.shape) for target in targets]

    def passed(gradient: torch.Tensor) -> list[np.ndarray | None]:
        gradients: list[torch.Tensor | None] = [None] * len(again._input_metadata)
        gradients[output] = gradient
        made = again(*gradients)
        made = made if isinstance(made, tuple) else (made,)
        return [None if t is None or g is None else _flat(g, t) for g, t in zip(made, targets, strict=True)]

    if not any(sizes):
        return [None] * len(sizes), 0
    found, took = _entrywise(passed, shape, dtype, sizes), 2
    if found is None and (took := math.prod(shape) + 3) > left:
        return [None] * len(sizes), 2
    return _by_entry(passed, shape, dtype, sizes) if found is None else found, took


def _entrywise(passed, shape: tuple[int, ...], dtype: torch.dtype, sizes: list[int]) -> list | None:
    """The matrices of a node that multiplies the gradient entry by entry; None for another node."""
    size = math.prod(shape)
    if size < 4 or any(other not in (0, size) for other in sizes) or dtype not in (torch.float32, torch.float64):
        return None
    weights = 1 + np.random.default_rng(size).permutation(size) / size  # no two alike, in no order
    first, other = passed(ones(shape, dtype=dtype)), passed(made_tensor(weights, dtype=dtype).reshape(shape))
    for one, two in zip(first, other, strict=True):
        if one is not None and (two is None or not np.allclose(one * weights, two, 1e-5, 0, equal_nan=True)):
            return None
    return [None if one is None or not s else np.diag(one) for one, s in zip(first, sizes, strict=True)]


def _by_entry(passed, shape: tuple[int, ...], dtype: torch.dtype, sizes: list[int]) -> list:
    """The matrices of a node, one entry of the gradient at a time."""
    size = math.prod(shape)
    none, rows = passed(zeros(shape, dtype=dtype)), []
    for entry in range(size):
        unit = zeros(size, dtype=dtype)
        unit[entry] = 1
        given = passed(unit.reshape(shape))
        if dtype.is_complex:  # torch conjugates, so what is passed on need not be a multiple of what arrives
            turned = passed((1j * unit).reshape(shape))
            given = [
                None if g is None or t is None or not np.allclose(t, 1j * g, equal_nan=True) else g
                for g, t in zip(given, turned, strict=True)
            ]
        rows.append(given)
    return [_joined([row[k] for row in rows], none[k]) if sizes[k] else None for k in range(len(sizes))]


def _joined(rows: list[np.ndarray | None], none: np.ndarray | None) -> np.ndarray | None:
    """One matrix of all rows. What is NaN for a gradient of zeros is 0 · ∞, and no slope."""
    if any(row is None for row in rows) or none is None:
        return None
    matrix = np.array(rows)
    absent = np.isnan(matrix) & np.isnan(none)
    if len(matrix) > 1 and absent.any():
        matrix[absent & (np.eye(*matrix.shape) == 0)] = 0
    return matrix


def _flat(gradient: torch.Tensor, target: Any) -> np.ndarray:
    """A gradient in the shape and dtype of its receiver, as the engine passes it on."""
    dense = gradient.to_dense() if gradient.layout is not torch.strided else gradient
    if not target.dtype.is_complex and dense.is_complex():
        dense = dense.real
    dense = dense if list(dense.shape) == list(target.shape) else dense.sum_to_size(tuple(target.shape))
    wide = torch.complex128 if dense.is_complex() else torch.float64
    return dense.detach().to(wide).resolve_conj().resolve_neg().reshape(-1).numpy()


def _filled(arguments: Arguments, tensors: list[torch.Tensor]) -> tuple[tuple, dict[str, Any]]:
    def one(part: Any) -> Any:
        match part:
            case InputTensor(number):
                return tensors[number]
            case Dtype(name):
                return getattr(torch, name)
            case Other():
                raise _Unknown
            case slice():
                return slice(*map(one, (part.start, part.stop, part.step)))
            case list() | tuple():
                return type(part)(map(one, part))
        return part

    return tuple(map(one, arguments.positional)), {name: one(part) for name, part in arguments.named.items()}


@cache
def _functions() -> dict[str, Any]:
    """torch's functions by the names that recordings give them."""
    # Not from CALLS: functions in C of other names are equal, and which one it met first would name them all.
    known = ((classify(function), function) for function in names_of_functions() if function.__name__ != "__set__")
    return {call.function: function for call, function in known if call.recorded}
