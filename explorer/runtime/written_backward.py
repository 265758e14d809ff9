"""Run a written backward's lines on recorded values, with torch but without the program.

The lines are this project's own text. Their tensors are made of the recorded entries, and autograd's nodes by repeating
the recorded calls (`replay`). A recording keeps a sample of large tensors: those of `record(full=…)` are read there,
and results of whole tensors are computed again.
"""

import ast
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch
from msgspec.structs import replace

# Bound here, since the program may replace them.
from torch import allclose, bfloat16, complex128, enable_grad, float64, no_grad, ones, zeros, zeros_like

from explorer.runtime.own_tensors import tensor_of
from explorer.runtime.recorder.faults import reraise_recorder_error
from explorer.runtime.replay import CannotReplay, apart, call_again, entries_of, nodes_again, recorded
from explorer.trace import AT_END, STORED, Trace, at_begin

_WRITTEN = (  # allowed elements of the lines; a lambda would run the program's code
    ast.Module | ast.Expression | ast.Assign | ast.For | ast.expr_context | ast.operator | ast.unaryop | ast.cmpop
    | ast.keyword | ast.Name | ast.Constant | ast.UnaryOp | ast.BinOp | ast.Compare | ast.Call | ast.Attribute
    | ast.Subscript | ast.Tuple | ast.List
)  # fmt: skip
_RELATIVE, _ABSOLUTE = 1e-5, 1e-6  # as in backward-code-checked
_OF_LARGEST = 3e-6  # relative to the largest entry; formulas round unlike torch's kernels, by 1e-6 in ResNet-18
_GLOBALS = {"__builtins__": {}, "torch": torch, "range": range}


class NotRun(Exception):
    """Raised if the lines cannot be run.

    Attributes: why: as in `backward-code-none`. tensor, operation: its tensor and call, or -1. text: of an error.
    """

    def __init__(self, why: str, tensor: int = -1, operation: int = -1, text: str = "") -> None:
        super().__init__(why)
        self.why, self.tensor, self.operation, self.text = why, tensor, operation, text


def agrees(
    trace: Trace,
    backward: int,
    text: str,
    tensors: Mapping[str, int],
    roots: Mapping[str, int],
    leaves: Mapping[str, tuple[int, int, int]],
    grads: tuple[str, ...],
) -> bool:
    """Return whether a backward's lines yield the recorded gradients.

    Rounding is ignored. Raises NotRun.

    Args: tensors: the tensor of each expression in the text. roots: the node behind each root. leaves: by expression a
    tensor, and the values of its gradient before and after. grads: expressions of the results of `autograd.grad`.
    """
    try:
        with apart(), no_grad():
            return _Room(trace, backward, tensors, roots).agrees(text, leaves, grads)
    except NotRun:
        raise
    except CannotReplay as problem:
        raise NotRun(problem.why) from None
    except Exception as problem:  # torch refuses a line
        reraise_recorder_error(problem)
        raise NotRun("refused", text=str(problem)) from None


@contextmanager
def _of_call(operation: int) -> Iterator[None]:
    """Turn CannotReplay into NotRun with its call."""
    try:
        yield
    except CannotReplay as problem:
        raise NotRun(problem.why, operation=operation) from None


class _Room:
    """The tensors and nodes that the lines read, each created when read."""

    def __init__(self, trace: Trace, backward: int, tensors: Mapping[str, int], roots: Mapping[str, int]) -> None:
        self.until, self.backward = trace.backwards[backward].operations, backward
        self.trace, self._tensors, self._roots = _with_full(trace, backward), tensors, roots
        self._made: dict[int, torch.Tensor] = {}
        self._nodes: dict[int, dict[int, Any]] = {}  # nodes of each operation

    def agrees(self, text: str, leaves: Mapping[str, tuple[int, int, int]], grads: tuple[str, ...]) -> bool:
        """Return the result of `agrees` above."""
        around = [self._around(*leaf) for leaf in leaves.values()]
        for (tensor, _, _), (before, _) in zip(leaves.values(), around, strict=True):
            if before is not None:
                self.tensor(tensor).grad = before
        names = dict[str, Any](_GLOBALS)
        exec(self._compiled(text, names), names)
        given = grads or tuple(f"{leaf}.grad" for leaf in leaves)
        results = [eval(self._compiled(one, names, "eval"), names) for one in given]
        return all(_close(one, other) for one, other in zip(results, (after for _, after in around), strict=True))

    def tensor(self, tensor: int) -> torch.Tensor:
        """Return a tensor as it was when the backward began."""
        if tensor not in self._made:
            row = self.trace.index.before(tensor, self.until) if tensor >= 0 else None
            row = self.trace.tensors.version_start[tensor] if row is None and tensor >= 0 else row
            self._made[tensor] = self._root() if row is None else self._recorded(row)
        return self._made[tensor]

    def node(self, node: int) -> Any:
        """Return torch's node for a recorded node. Raises NotRun, CannotReplay."""
        operation = self.trace.nodes.operation[node]
        if self.trace.nodes.user_code[node]:
            raise NotRun("own", operation=operation)
        if operation < 0:
            raise NotRun("again")
        if operation not in self._nodes:
            for row in self._read_by(operation):
                self._recorded(row, operation)
            with enable_grad(), _of_call(operation):
                self._nodes[operation] = nodes_again(self.trace, operation, self.until)
        if node not in self._nodes[operation]:
            raise NotRun("graph", operation=operation)
        return self._nodes[operation][node]

    def _recorded(self, row: int, reader: int = -1) -> torch.Tensor:
        if not self._is_whole(row):
            self._compute(row, reader)
        return recorded(self.trace, row)

    def _is_whole(self, row: int) -> bool:
        return (value := self.trace.versions.value[row]) >= 0 and entries_of(self.trace, value) is not None

    def _compute(self, row: int, reader: int) -> None:
        """Compute a large tensor's entries by the calls behind it.

        Raises NotRun, CannotReplay. Args: reader: the call that reads it, or -1.
        """
        todo, calls = [(row, reader)], set[int]()
        while todo:
            one, by = todo.pop()
            if self._is_whole(one):
                continue
            if (operation := self.trace.versions.operation[one]) < 0:
                raise NotRun("entries", self.trace.index.tensor_of(one), by)
            if operation not in calls:
                calls.add(operation)
                todo += [(other, operation) for other in self._read_by(operation)]
        for operation in sorted(calls):
            with _of_call(operation):
                self._call(operation)
        if not self._is_whole(row):
            raise NotRun("entries", self.trace.index.tensor_of(row))

    def _read_by(self, operation: int) -> list[int]:
        """Return the versions that a call reads.

        Those that it overwrites, such as the running statistics of batch norm, become ones if they were not recorded:
        its results do not depend on them, or the gradients will differ.
        """
        trace, read = self.trace, self.trace.index.rows_read(operation)
        for tensor, row in list(zip(trace.operations.inputs[operation], read, strict=True))[1:]:
            if not trace.index.writes_to(tensor, operation) or self._is_whole(row):
                continue
            if (value := trace.versions.value[row]) >= 0:
                shape, dtype = trace.shapes[trace.values.shape[value]], trace.strings[trace.values.dtype[value]]
                trace.index.asked_whole.setdefault(value, ones(shape).numpy().astype(STORED[dtype]).tobytes())
        return read

    def _call(self, operation: int) -> None:
        """Repeat a call and keep all entries of its results."""
        trace, (make, writes) = self.trace, call_again(self.trace, operation)
        operands = [recorded(trace, row).detach().clone() for row in trace.index.rows_read(operation)]
        tensors = trace.operations.inputs[operation][:1] if writes else trace.operations.outputs[operation]
        for tensor, result in zip(tensors, make(operands), strict=False):
            row = trace.index.written(tensor, operation)
            if row is None or trace.versions.operation[row] != operation or (value := trace.versions.value[row]) < 0:
                continue
            stored, shape = STORED[trace.strings[trace.values.dtype[value]]], trace.shapes[trace.values.shape[value]]
            if list(result.shape) == shape:
                wide = result.float() if result.dtype is bfloat16 else result  # NumPy has no bfloat16
                trace.index.asked_whole.setdefault(value, wide.numpy().astype(stored).tobytes())

    def _root(self) -> torch.Tensor:
        """Return a root without a name: only its shape and type matter."""
        (seed,), trace = self.trace.backwards[self.backward].seeds, self.trace
        shape, dtype = trace.shapes[trace.values.shape[seed]], trace.strings[trace.values.dtype[seed]]
        return zeros(shape, dtype=getattr(torch, dtype))

    def _entries(self, value: int, tensor: int) -> torch.Tensor | None:
        if value < 0:
            return None
        entries, trace = entries_of(self.trace, value), self.trace
        if entries is None:
            raise NotRun("entries", tensor)
        shape, dtype = trace.shapes[trace.values.shape[value]], trace.strings[trace.values.dtype[value]]
        return tensor_of(entries.reshape(shape), dtype)

    def _around(self, tensor: int, before: int, after: int) -> tuple[torch.Tensor | None, torch.Tensor | None]:
        """Return `.grad` before and after.

        If all arriving entries were kept, it is as if it had been 0 before.
        """
        if (kept := self.trace.full_entries(tensor, self.backward)) is None:
            return self._entries(before, tensor), self._entries(after, tensor)
        arrived = tensor_of(kept.numpy(), kept.dtype)
        return None if before < 0 else zeros_like(arrived), arrived

    def _compiled(self, text: str, names: dict[str, Any], mode: str = "exec") -> Any:
        tree = _Standing(self, names).visit(ast.parse(text, mode=mode))
        return compile(ast.unparse(tree), "backward", mode)

    def made_by(self, expression: str) -> "_Node | None":
        """Return the node behind an expression, None if it is not a tensor."""
        if expression in self._roots:
            return _Node(self, self._roots[expression])
        if expression not in self._tensors:
            return None
        row = self.trace.index.before(self._tensors[expression], self.until)
        return _Node(self, -1 if row is None else self.trace.versions.node[row])

    def named(self, expression: str) -> torch.Tensor | None:
        """Return an expression's tensor, None if it is not the program's."""
        return self.tensor(self._tensors[expression]) if expression in self._tensors else None


class _Node:
    """A stand-in for a recorded node, with recorded edges and torch's computations."""

    def __init__(self, room: _Room, node: int) -> None:
        self._room, self._node = room, node

    @property
    def next_functions(self) -> list[tuple["_Node", int]]:
        nodes, node = self._room.trace.nodes, self._node
        return [
            (_Node(self._room, one), at) for one, at in zip(nodes.edges[node], nodes.edge_inputs[node], strict=True)
        ]

    @property
    def variable(self) -> torch.Tensor:
        return self._room.tensor(self._room.trace.nodes.variable[self._node])

    def __call__(self, *gradients: torch.Tensor | None) -> Any:
        return self._room.node(self._node)(*gradients)

    def __getattr__(self, name: str) -> Any:  # `_saved_self`, and `apply` of a Function
        return getattr(self._room.node(self._node), name)


class _Standing(ast.NodeTransformer):
    """A transformer that replaces the program's tensor expressions by names.

    It lets nothing else of the program through.
    """

    def __init__(self, room: _Room, names: dict[str, Any]) -> None:
        self._room, self._names = room, names

    def visit(self, node: ast.AST) -> ast.AST:
        if not isinstance(node, _WRITTEN):
            raise NotRun("own")
        if isinstance(node, ast.Name | ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Load):
            text = ast.unparse(node)
            made_by = self._room.made_by(text.removesuffix(".grad_fn")) if text.endswith(".grad_fn") else None
            if (made := self._room.named(text) if made_by is None else made_by) is not None:
                self._names[name := f"the_{len(self._names)}"] = made
                return ast.Name(name, ast.Load())
        return self.generic_visit(node)


def _with_full(trace: Trace, backward: int) -> Trace:
    """Return a copy whose values can grow, with the tensors kept at the end and when the backward began."""
    again, full, until = replace(trace), trace.full, trace.backwards[backward].operations
    for tensor, when, entry in zip(full.tensor, full.backward, full.entry, strict=True):
        rows = trace.versions_of(tensor)
        row = rows[-1] if when == AT_END else trace.index.before(tensor, until) if when == at_begin(backward) else None
        if when == at_begin(backward) and row is None:
            row = rows[0]
        if row is not None:
            again.index.asked_whole[trace.versions.value[row]] = full.entries[entry].data
    return again


def _close(given: torch.Tensor | None, expected: torch.Tensor | None) -> bool:
    if given is None or expected is None:
        return given is expected
    if given.shape != expected.shape:
        return False
    wide = complex128 if given.is_complex() else float64
    given, expected = given.detach().to(wide), expected.to(wide)
    largest = float(expected.abs().nan_to_num(0, 0, 0).max()) if expected.numel() else 0.0
    return allclose(given, expected, _RELATIVE, max(_ABSOLUTE, _OF_LARGEST * largest), equal_nan=True)
