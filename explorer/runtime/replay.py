"""Recorded calls, repeated by torch's own functions on recorded operands, with local derivatives.

A node's result is linear in the arriving gradient. So torch's own backward of the call, for a gradient that is 1 in one
entry and 0 elsewhere, yields the derivatives by every entry of an input. Nothing of the program runs: a call is known
by the name of torch's function, its operands and its arguments.

Calls are omitted if not all operands or arguments were recorded, if they draw random numbers, or if their repetition
yields other numbers, as under autocast.
"""

import math
import operator
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import torch
from msgspec.structs import replace

# Bound here, since the program may replace them.
from torch import (
    autocast,
    bfloat16,
    empty_strided,
    enable_grad,
    eye,
    float16,
    float64,
    from_numpy,
    get_rng_state,
    inference_mode,
    ones,
    set_grad_enabled,
    set_rng_state,
    uint8,
    zeros,
)
from torch import tensor as made_tensor

from explorer.runtime.recorder.calls import classify, names_of_functions
from explorer.runtime.recorder.faults import reraise_recorder_error
from explorer.runtime.recorder.hidden_calls import WithoutModes
from explorer.trace import AUTOCAST, Arguments, Dtype, InputTensor, Other, Trace
from explorer.trace.name_patterns import writes_in_place
from explorer.trace.slopes import MOST_SLOPES, Slopes
from explorer.trace.values import STORED

MOST_CALLS = 1_000  # most torch calls, forward or backward; they take a few hundredths of a second
_ENTRIES = 64  # most entries of a gradient
_MOST = 100_000  # most entries of an operand that was not recorded in full
_MOST_SPREAD = 64  # memory of a tensor with gaps, in sizes of its entries
_INTERNAL = ("_pack_padded_sequence", "_pad_packed_sequence", "_grouped_mm")  # that libraries and torch's modules call
_STORED_AS_IS = STORED.keys() - {"bfloat16"}
_CLOSE = {torch.float64: 1e-9, torch.complex128: 1e-9, torch.float16: 2e-3, torch.bfloat16: 2e-2}


class CannotReplay(Exception):
    """The call cannot be made again. Attributes: why: as in `backward-code-none`, "again" for another reason."""

    def __init__(self, why: str = "again") -> None:
        super().__init__(why)
        self.why = why


class _Large(CannotReplay):
    """Entries of an operand were not recorded."""


def answer(question: Callable[[Trace], Any], trace: Trace, otherwise: Any) -> Any:
    """Return torch's answer about a recording, or an alternative."""
    try:
        with apart():
            return question(trace)
    except Exception as problem:  # the program has replaced a function of torch
        reraise_recorder_error(problem)
        return otherwise


def with_slopes(trace: Trace) -> Trace:
    """Add torch's slopes to a complete recording."""
    if trace.options.detail != "complete":
        return trace
    return replace(trace, slopes=answer(asked_slopes, trace, Slopes()))


def asked_slopes(trace: Trace) -> Slopes:
    """Return the local derivatives of differentiated calls, last first."""
    found, left = _Matrices(), MOST_CALLS
    runs, calls = _runs(trace)
    for operation, until in calls.items():
        left -= 3  # a call counts more, with its operands and the check of its results
        try:
            pairs = _pairs(trace, operation, until) if operation >= 0 else []
        except CannotReplay:
            continue
        except Exception as problem:  # torch refuses it
            reraise_recorder_error(problem)
            continue
        for node, again in pairs:
            try:
                left -= _ask(trace, node, again, sorted(runs.get(node, ())), left, found)
            except Exception as problem:
                reraise_recorder_error(problem)
        if left <= 0 or found.count >= MOST_SLOPES // 2:
            break
    return found.slopes()


def _runs(trace: Trace) -> tuple[dict[int, set[bool]], dict[int, int]]:
    """Return the nodes that ran in a backward, and their operations.

    Nodes come with whether a graph of the backward was made, the last backward first. Operations come with how many had
    begun when their nodes ran last. A node may compute a gradient differently if it is to be differentiated again.
    """
    runs, calls = dict[int, set[bool]](), dict[int, int]()
    for call in reversed(trace.backwards):
        for node in call.order if len(runs) < 2 * MOST_CALLS else ():
            runs.setdefault(node, set()).add(call.create_graph)
            calls.setdefault(trace.nodes.operation[node], call.operations)
    return runs, calls


class _Matrices:
    """The slopes of several maps."""

    def __init__(self) -> None:
        self.count = 0
        self._keys: list[tuple[int, int, int]] = []  # node, output and edge
        self._matrices: list[np.ndarray] = []
        self._counts: list[int] = []

    def add(self, key: tuple[int, int, int], matrix: np.ndarray) -> None:
        """Add the nonzero slopes of a matrix, if there is room."""
        count = int(np.count_nonzero(matrix))
        if self.count + count <= MOST_SLOPES:
            self.count += count
            self._keys.append(key)
            self._matrices.append(matrix)
            self._counts.append(count)

    def slopes(self) -> Slopes:
        """Return all slopes as columns."""
        if not self._keys:
            return Slopes()
        shapes = [matrix.shape for matrix in self._matrices]
        flat, sizes = np.concatenate([matrix.ravel() for matrix in self._matrices]), [h * w for h, w in shapes]
        places, slopes = np.concatenate([np.arange(size) for size in sizes]), flat != 0
        rows, columns = np.divmod(places, np.repeat([width for _, width in shapes], sizes))
        node, output, edge, height, width = map(list, zip(*(map(operator.add, self._keys, shapes)), strict=True))
        arriving, passed = rows[slopes].astype(np.uint8).tobytes(), columns[slopes].astype(np.uint8).tobytes()
        return Slopes(
            node, output, edge, height, width, self._counts, arriving, passed, flat[slopes].astype("<c16").tobytes()
        )


@contextmanager
def apart() -> Iterator[None]:
    """Isolate calls from the program.

    It neither sees them nor hears their warnings, and its random numbers are unaffected.
    """
    state, shown = get_rng_state(), warnings.showwarning
    try:
        warnings.showwarning = lambda *_args, **_named: None
        with (
            WithoutModes(),
            inference_mode(False),
            enable_grad(),
            autocast("cpu", enabled=False),
            np.errstate(all="ignore"),
        ):
            yield
    finally:
        warnings.showwarning = shown
        set_rng_state(state)


def _pairs(trace: Trace, operation: int, until: int) -> list[tuple[int, tuple[Any, ...]]]:
    """Return a call's recorded nodes with their repeated nodes.

    If entries of an operand were not recorded, the call is repeated twice, with any entries: slopes that agree in both
    do not depend on them. Raises CannotReplay.

    Args: until: how many operations had begun when its nodes ran.
    """

    def nodes(seed: int) -> dict[int, Any]:
        return nodes_again(trace, operation, until, seed)

    made = [trace.shapes[trace.tensors.shape[tensor]] for tensor in trace.operations.outputs[operation]]
    if made and all(math.prod(shape) > _ENTRIES for shape in made):
        raise CannotReplay  # as expensive as in the program, and no slope would be kept
    try:
        return [(node, (again,)) for node, again in nodes(0).items()]
    except _Large:
        first, other = nodes(1), nodes(2)
        return [(node, (again, other[node])) for node, again in first.items() if node in other]


def nodes_again(trace: Trace, operation: int, until: int, seed: int = 0) -> dict[int, Any]:
    """Return a call's recorded nodes with the nodes of `_repeated`."""
    return _same_nodes(trace, operation, _repeated(trace, operation, until, seed))


def _repeated(trace: Trace, operation: int, until: int, seed: int) -> dict[int, torch.Tensor]:
    """Repeat a call and return its results by tensor.

    A call that writes returns the tensors it wrote to.

    Args: until: how many operations had begun when its nodes ran. seed: draws the unrecorded entries. With 0 none are
    drawn, and a call that needs them raises _Large.

    Raises CannotReplay if the call cannot be repeated.
    """
    rows = trace.operations
    if rows.error[operation] >= 0 or not rows.grad_enabled[operation]:
        raise CannotReplay
    make, writes = call_again(trace, operation)
    inputs, made = rows.inputs[operation], rows.outputs[operation]
    read = trace.index.rows_read(operation)
    tensors = {row: recorded(trace, row, seed) for row in dict.fromkeys(read)}
    operands, results = [tensors[row] for row in read], dict[int, torch.Tensor]()
    for at, tensor in enumerate(inputs) if not writes else ():
        if operands[at].requires_grad and trace.index.writes_to(tensor, operation):
            operands[at] = operands[at].clone()  # as with inplace=True: torch refuses it for a leaf
    if writes:
        results = _written(trace, operation, operands[0])
        operands[0] = results[inputs[0]]
    returned = make(operands)
    if not writes and len(returned) != len(made):  # not all results were recorded
        raise CannotReplay
    results = results or dict(zip(made, returned, strict=True))
    for tensor, result in results.items() if not seed else ():
        check_result(trace, operation, tensor, result)
    if seed:
        return results if not writes else {}
    _overwrite(trace, operation, until, {**dict(zip(inputs, operands, strict=True)), **results})
    return results


def call_again(
    trace: Trace, operation: int, adapt: Callable[..., tuple] | None = None
) -> tuple[Callable[[list[torch.Tensor]], list[torch.Tensor]], bool]:
    """Return a function that repeats a recorded call on other operands.

    Also return whether it writes to the first, its only result.

    Args: adapt: returns another function, arguments and named arguments in place of the call's.

    It raises CannotReplay, as this does, if torch refuses it, or if an argument was not kept. It alone raises it for
    random numbers.
    """
    strings, rows, given = trace.strings, trace.operations, trace.arguments(operation)
    function, name = functions().get(strings[rows.function[operation]]), strings[rows.name[operation]]
    writes = writes_in_place(name)
    if function is None:
        raise CannotReplay("grad" if name == "grad" else "unknown")
    if not given.is_whole:
        raise CannotReplay("argument")

    def make(operands: list[torch.Tensor]) -> list[torch.Tensor]:
        positional, named = _filled(given, operands)
        make = (function, positional, named) if adapt is None else adapt(function, positional, named)
        state, drawn = get_rng_state(), trace.index.draws.get(operation)
        try:
            if drawn is not None:
                set_rng_state(made_tensor(list(drawn), dtype=uint8))
            with _as_in_the_program(trace, operation):
                returned = make[0](*make[1], **make[2])
        except Exception as problem:  # an argument was not kept, or has another type
            raise (problem if isinstance(problem, CannotReplay) else CannotReplay) from None
        if drawn is None and not state.equal(get_rng_state()):  # other numbers may give the result, but not the slope
            raise CannotReplay("random")
        results = operands[:1] if writes else list(returned) if isinstance(returned, list | tuple) else [returned]
        if not all(isinstance(one, torch.Tensor) for one in results):
            raise CannotReplay
        return results

    return make, writes


def _as_in_the_program(trace: Trace, operation: int) -> AbstractContextManager:
    """Return the autocast in which a call ran, with the dtype of its results."""
    modes, tensors = trace.operations.modes, trace.tensors
    if not modes or not modes[operation] & AUTOCAST:
        return nullcontext()
    results = {trace.strings[tensors.dtype[tensor]] for tensor in trace.operations.outputs[operation]}
    return autocast("cpu", float16 if "float16" in results else bfloat16, cache_enabled=False)


def recorded(trace: Trace, row: int, seed: int = 0) -> torch.Tensor:
    """Recreate a version of a tensor.

    Raises _Large if not all its entries were recorded, CannotReplay if it cannot be created.
    """
    value, tensor = trace.versions.value[row], trace.index.tensor_of(row)
    if value < 0 or trace.strings[trace.tensors.device[tensor]] != "cpu":
        raise CannotReplay("again" if value < 0 else "device")
    shape, dtype = trace.shapes[trace.values.shape[value]], trace.strings[trace.values.dtype[value]]
    entries = entries_of(trace, value)
    if entries is None and (not dtype.startswith("float") or math.prod(shape) > _MOST):
        raise CannotReplay
    if entries is None and not seed:
        raise _Large
    if entries is None:
        entries = np.random.default_rng(seed).uniform(0.5, 1.5, shape)
    made = from_numpy(entries.reshape(shape).copy())
    made = made if dtype in _STORED_AS_IS and not seed else made.to(getattr(torch, dtype))  # drawn entries are float64
    made = _laid_out(made, trace.shapes[trace.tensors.stride[tensor]])
    if trace.versions.node[row] >= 0 or trace.tensors.requires_grad[tensor]:
        made.requires_grad_(made.is_floating_point() or made.is_complex())
    return made


def _laid_out(made: torch.Tensor, stride: list[int]) -> torch.Tensor:
    """Return a tensor with the strides of the program's: torch's nodes and the order of its sums depend on them."""
    span = sum((size - 1) * step for size, step in zip(made.shape, stride, strict=False))
    if len(stride) != made.dim() or not 0 < span < _MOST_SPREAD * made.numel() or list(made.stride()) == stride:
        return made
    first = tuple(slice(None) if step else slice(1) for step in stride)
    part = made[first]
    return empty_strided(part.shape, stride, dtype=made.dtype).copy_(part).expand(made.shape)


def entries_of(trace: Trace, value: int) -> np.ndarray | None:
    """Return all entries of a value, flat, None if unrecorded."""
    columns, whole = trace.values, trace.index.asked_whole.get(value)
    data, start = (columns.data, columns.start[value]) if whole is None else (whole, 0)
    if start < 0 or (whole is None and columns.summary[value] >= 0):
        return None
    count, stored = math.prod(trace.shapes[columns.shape[value]]), STORED[trace.strings[columns.dtype[value]]]
    return np.frombuffer(data, stored, count, start) if count else np.empty(0, stored)


def _written(trace: Trace, operation: int, operand: torch.Tensor) -> dict[int, torch.Tensor]:
    """Return the tensors that a call writes to."""
    tensors, tensor = trace.tensors, trace.operations.inputs[operation][0]
    base = trace.index.in_storage[tensors.storage[tensor]][0] if tensors.storage[tensor] >= 0 else tensor
    row = trace.index.written(base, operation)
    if base == tensor or row is None or trace.versions.operation[row] != operation or trace.versions.node[row] < 0:
        return {tensor: operand.clone()}
    before = trace.index.before(base, operation)
    whole = recorded(trace, tensors.version_start[base] if before is None else before).clone()
    if list(whole.stride()) != trace.shapes[tensors.stride[base]]:
        raise CannotReplay
    stride, offset = trace.shapes[tensors.stride[tensor]], tensors.offset[tensor] - tensors.offset[base]
    return {base: whole, tensor: whole.as_strided(operand.shape, stride, offset)}


def _overwrite(trace: Trace, operation: int, until: int, tensors: dict[int, torch.Tensor]) -> None:
    """Restore the entries that backward read after unnoticed writes."""
    for tensor, made in tensors.items():
        if len(trace.versions_of(tensor)) == 1 or (rows := trace.index.overwritten(tensor, operation, until)) is None:
            continue
        entries = entries_of(trace, trace.versions.value[rows[1]])
        if entries is None:
            raise CannotReplay
        made.data.copy_(made_tensor(entries, dtype=made.dtype).reshape(made.shape))


def check_result(trace: Trace, operation: int, tensor: int, result: torch.Tensor) -> None:
    """Raise CannotReplay if a result differs from the recording."""
    row = trace.index.written(tensor, operation)
    value = -1 if row is None or trace.versions.operation[row] != operation else trace.versions.value[row]
    if value < 0 or trace.shapes[trace.values.shape[value]] != list(result.shape) or result.layout is not torch.strided:
        raise CannotReplay
    if trace.strings[trace.values.dtype[value]] != str(result.dtype).removeprefix("torch."):
        raise CannotReplay("autocast")
    recorded, close = entries_of(trace, value), _CLOSE.get(result.dtype, 1e-5)
    if recorded is not None and not _alike(recorded.astype((made := _flat(result)).dtype), made, close, close):
        raise CannotReplay("changed")


def _same_nodes(trace: Trace, operation: int, results: dict[int, torch.Tensor]) -> dict[int, Any]:
    """Return a call's recorded nodes with those of its repetition."""
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
    return found


def _ask(trace: Trace, node: int, again: tuple[Any, ...], modes: list[bool], left: int, found: _Matrices) -> int:
    """Store a node's slopes over each edge. Return its number of calls.

    Args: again: its nodes in the repeated calls. modes: whether a graph was made when it ran. Slopes that differ
    between calls or modes are not stored.
    """
    targets = [
        _Receiver(other, at) if other is not None and target >= 0 else None
        for target, (other, at) in zip(trace.nodes.edges[node], again[0].next_functions, strict=True)
    ]
    calls, outputs = 0, again[0]._input_metadata
    for output, given in enumerate(outputs):
        size, dtype = math.prod(given.shape), given.dtype
        if not 0 < size <= _ENTRIES or not (dtype.is_floating_point or dtype.is_complex):
            return calls
        each = []
        for one, mode in product(again, modes):
            with set_grad_enabled(mode):
                asked = _Asked(one, output, len(outputs), tuple(given.shape), dtype, targets)
                each.append(asked.matrices(left - calls))
                calls += asked.calls
        for edge, (matrix, *others) in enumerate(zip(*each, strict=True)):
            if matrix is not None and all(_alike(matrix, other) for other in others):
                found.add((node, output, edge), matrix)
    return calls


def _alike(matrix: np.ndarray, other: np.ndarray | None, relative: float = 1e-5, absolute: float = 0) -> bool:
    if other is None or matrix.tobytes() == other.tobytes():
        return other is not None
    # np.allclose takes ten times as long, and is needed only for NaN and ∞.
    near = np.abs(matrix - other) <= absolute + relative * np.abs(other)
    return bool(near.all()) or np.allclose(matrix, other, relative, absolute, equal_nan=True)


class _Receiver:
    """The receiver of a gradient over an edge.

    Attributes: its shape, its number of entries, whether they are complex.
    """

    def __init__(self, node: Any, number: int) -> None:
        gets = node._input_metadata[number]
        self.shape, self.is_complex = tuple(gets.shape), gets.dtype.is_complex
        self.size = math.prod(self.shape)


class _Asked:
    """A repeated call's node and its results for gradients of an output.

    Attributes: calls: how often it was called.
    """

    def __init__(
        self, node: Any, output: int, outputs: int, shape: tuple[int, ...], dtype: torch.dtype, edges: list
    ) -> None:
        self._node, self._output, self._shape, self._dtype = node, output, shape, dtype
        self._edges = [edge if edge is not None and 0 < edge.size <= _ENTRIES else None for edge in edges]
        self._gradients: list[torch.Tensor | None] = [None] * outputs
        self.calls = 0

    def matrices(self, left: int) -> list[np.ndarray | None]:
        """Return each edge's slopes, None if unknown.

        Args: left: approximately how often it may be called.
        """
        size, found = math.prod(self._shape), None
        if any(self._edges):
            found = self._entrywise(size)
            if found is None and size + 3 <= left:
                found = self._by_entry(size)
        return [None] * len(self._edges) if found is None else found

    def _passed(self, gradient: torch.Tensor, summed: bool = True) -> list[np.ndarray | None]:
        """Return the gradients that the node passes on. `summed`: sum them over broadcast axes, like the engine."""
        self.calls += 1
        self._gradients[self._output] = gradient
        made = self._node(*self._gradients)
        made = made if isinstance(made, tuple) else (made,)
        return [
            e and (None if g is None else _flat(g, e.shape if summed or g.shape != self._shape else None, e.is_complex))
            for g, e in zip(made, self._edges, strict=True)
        ]

    def _entrywise(self, size: int) -> list[np.ndarray | None] | None:
        """Return the matrices of an entrywise node (it may broadcast), None for other nodes."""
        if size < 6 or self._dtype not in (torch.float32, torch.float64):
            return None
        plain, weighted, weights = _weights(self._shape, self._dtype)
        first = self._passed(plain, summed=False)
        if any(one is not None and len(one) != size for one in first):
            return None
        for one, two in zip(first, self._passed(weighted, summed=False), strict=True):
            if one is not None and not _alike(one * weights, two):
                return None
        return [
            edge and (None if one is None else self._spread(one, edge))
            for one, edge in zip(first, self._edges, strict=True)
        ]

    def _spread(self, slopes: np.ndarray, edge: _Receiver) -> np.ndarray:
        """Return the matrix of an entrywise node, in which each entry of the result has one source entry."""
        if edge.size == len(slopes):
            return np.diag(slopes)
        matrix = np.zeros((len(slopes), edge.size), slopes.dtype)
        source = np.broadcast_to(np.arange(edge.size).reshape(edge.shape), self._shape)
        matrix[np.arange(len(slopes)), source.ravel()] = slopes
        return matrix

    def _by_entry(self, size: int) -> list[np.ndarray | None]:
        """Return the matrices of a node, entry by entry."""
        rows, dtype = [], self._dtype
        for unit in _units(self._shape, dtype):
            given = self._passed(unit)
            if dtype.is_complex:  # torch conjugates, so the result need not be a multiple of the arriving gradient
                turned = self._passed(1j * unit)
                given = [
                    None if g is None or t is None or not np.allclose(t, 1j * g, equal_nan=True) else g
                    for g, t in zip(given, turned, strict=True)
                ]
            rows.append(given)
        matrices = [None if any(g is None for g in edge) else np.array(edge) for edge in zip(*rows, strict=True)]
        if size > 1 and any(matrix is not None and np.isnan(matrix).any() for matrix in matrices):
            # If it is also NaN for a gradient of zeros, it is 0 · ∞, not a slope.
            none = self._passed(zeros(self._shape, dtype=dtype))
            for edge, (matrix, absent) in enumerate(zip(matrices, none, strict=True)):
                if matrix is None or absent is None or not np.isnan(absent).any():
                    continue
                if len(matrix) != matrix.shape[1]:  # its source entry in the result is unknown
                    matrices[edge] = None
                    continue
                matrix[np.isnan(matrix) & np.isnan(absent) & (np.eye(size) == 0)] = 0
        return matrices


@cache
def _units(shape: tuple[int, ...], dtype: torch.dtype) -> tuple[torch.Tensor, ...]:
    """Return gradients that are 1 in one entry."""
    size = math.prod(shape)
    return eye(size, dtype=dtype).reshape(size, *shape).unbind()


@cache
def _weights(shape: tuple[int, ...], dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor, np.ndarray]:
    """Return a gradient of ones, a gradient of distinct unordered numbers, and these numbers."""
    size = math.prod(shape)
    weights = 1 + np.random.default_rng(size).permutation(size) / size
    return ones(shape, dtype=dtype), made_tensor(weights, dtype=dtype).reshape(shape), weights


def _flat(tensor: torch.Tensor, shape: tuple[int, ...] | None = None, is_complex: bool = True) -> np.ndarray:
    """Return all entries of a tensor.

    A gradient has the shape and dtype of its receiver, as the engine passes it on.
    """
    dense = tensor.detach() if tensor.layout is torch.strided else tensor.detach().to_dense()
    if dense.is_complex():
        dense = dense.resolve_conj() if is_complex else dense.real.resolve_neg()
    elif dense.dtype is bfloat16:  # which NumPy lacks
        dense = dense.to(float64)
    if shape is not None and dense.shape != shape:
        dense = dense.sum_to_size(shape)
    entries = dense.numpy().ravel()  # NumPy, because a torch call takes several times as long
    return entries.astype(np.complex128 if entries.dtype.kind == "c" else np.float64)


def _filled(arguments: Arguments, tensors: list[torch.Tensor]) -> tuple[tuple, dict[str, Any]]:
    def one(part: Any) -> Any:
        match part:
            case InputTensor(number):
                return tensors[number]
            case Dtype(name):
                return getattr(torch, name)
            case Other(type="device"):  # of a result on the CPU, or that is not used
                return "cpu"
            case Other():
                raise CannotReplay("argument")
            case slice():
                return slice(*map(one, (part.start, part.stop, part.step)))
            case list() | tuple():
                return type(part)(map(one, part))
        return part

    return tuple(map(one, arguments.positional)), {name: one(part) for name, part in arguments.named.items()}


@cache
def functions() -> dict[str, Any]:
    """Return torch's functions by their names in recordings."""
    # Not CALLS, because C functions with different names compare equal and would all get the first name.
    known = ((classify(function), function) for function in names_of_functions() if function.__name__ != "__set__")
    internal = {name: getattr(torch, name) for name in _INTERNAL if hasattr(torch, name)}
    return internal | {call.function: function for call, function in known if call.recorded}
