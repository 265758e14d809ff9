"""Run small programs for tests, and look facts up in their Trace."""

import numpy as np
import torch

from explorer.analysis.explain.autograd import numbered_backward, selected_backward, tensor_gradient
from explorer.trace import Failure, Printed, Trace
from tests.traces import trace_of

TWICE = """\
w = torch.tensor(1., requires_grad=True)
x = torch.tensor(2., requires_grad=True)
a = w + x
b = w + 1
y = a * b
y.backward()
"""  # one leaf is used twice, so its gradient is a sum


def traced(source: str, **options) -> Trace:
    """Return a program's checked Trace; options are those of `trace.Options`."""
    return trace_of(source, **options).check()


def entries(trace: Trace, value: int) -> np.ndarray | None:
    """Return the entries of a value in its shape, None for -1. The value must be small enough to be kept in full."""
    found = trace.value(value)
    return None if found is None else np.array(found.data).reshape(found.shape)


def value(trace: Trace, name: str) -> np.ndarray:
    """Return the last value of the tensor that a name was bound to last."""
    return entries(trace, states(trace, name)[-1])


def states(trace: Trace, name: str) -> list[int]:
    """Return the value ids of all versions of a named tensor, oldest first."""
    return [trace.versions.value[version] for version in trace.versions_of(bound(trace, name))]


def bound(trace: Trace, name: str) -> int:
    """Return the tensor that a name was bound to last. Raises KeyError for a name that never was."""
    tensor = trace.bound(name)
    if tensor is None:
        raise KeyError(name)
    return tensor


def gradient(trace: Trace, name: str, backward: int | None = None) -> np.ndarray | None:
    """Return a named tensor's gradient in the `backward`th call (from 1) or the shown one."""
    shown = selected_backward(trace) if backward is None else numbered_backward(trace, backward)
    return entries(trace, tensor_gradient(trace, bound(trace, name), shown)[0])


def grad(trace: Trace, name: str) -> np.ndarray | None:
    """`.grad` of a named tensor at the end."""
    return entries(trace, trace.tensors.grad[bound(trace, name)])


def accumulations(trace: Trace, name: str) -> list[tuple[np.ndarray | None, np.ndarray]]:
    """`.grad` of a leaf before and after every backward that reached it."""
    tensor = bound(trace, name)
    return [
        (entries(trace, call.before[i]), entries(trace, call.after[i]))
        for call in trace.backwards
        for i, leaf in enumerate(call.accumulated)
        if leaf == tensor
    ]


def printed(trace: Trace) -> str:
    """Return what the program wrote to stdout."""
    return "".join(part.text for part in _outputs(trace) if isinstance(part, Printed) and part.stream == "stdout")


def warned(trace: Trace) -> list[str]:
    """Return the warnings the program raised."""
    return [part.text for part in _outputs(trace) if isinstance(part, Printed) and part.stream == "warning"]


def failure(trace: Trace) -> tuple[str, str, str]:
    """Return type, text and place of the only exception that ended the program."""
    [found] = [part for part in _outputs(trace) if isinstance(part, Failure)]
    return found.type, found.text, trace.text(found.span)


def node_of(trace: Trace, name: str) -> int:
    """Return the node that made a named tensor's last version, -1 for none."""
    return trace.versions.node[trace.versions_of(bound(trace, name))[-1]]


def leaf_node(trace: Trace, name: str) -> int:
    """Return the AccumulateGrad of a named leaf."""
    return trace.nodes.variable.index(bound(trace, name))


def node_names(trace: Trace, nodes=None) -> list[str | None]:
    """Return torch's names of nodes, by default all; None for -1."""
    ids = range(len(trace.nodes)) if nodes is None else nodes
    return [trace.strings[trace.nodes.name[node]] if node >= 0 else None for node in ids]


def operation_names(trace: Trace) -> list[str]:
    """Return the short names of all operations, in order."""
    return [trace.strings[name] for name in trace.operations.name]


def texts(trace: Trace, name: str | None = None) -> list[str]:
    """Return the program's text at every operation, or at those with one name."""
    names = operation_names(trace)
    return [trace.text(span) for i, span in enumerate(trace.operations.span) if name is None or names[i] == name]


def unattributed(trace: Trace) -> list[str]:
    """Return nodes, except leaves, that belong to no operation and no backward."""
    columns = zip(trace.nodes.operation, trace.nodes.made_by, trace.nodes.variable, strict=True)
    return node_names(trace, [node for node, owners in enumerate(columns) if max(owners) < 0])


def plain(source: str) -> dict:
    """Return the names that a program leaves behind when it runs without a recorder, from the same seed."""
    torch.manual_seed(0)
    scope = {"torch": torch}
    exec(source, scope)
    return scope


def graph_difference(trace: Trace, root: int, torch_root) -> tuple[str, int]:
    """Walk both graphs at once along their edges: the first difference ("" if none), and how many nodes were met."""
    names, twins, stack = node_names(trace), {root: torch_root}, [(root, torch_root)]
    while stack:
        node, twin = stack.pop()
        name = twin.name().rpartition("::")[2]
        if names[node] != name:
            return f"node {node} is {names[node]}, torch has {name}", len(twins)
        mine = list(zip(trace.nodes.edges[node], trace.nodes.edge_inputs[node], strict=True))
        theirs = twin.next_functions
        if [number for target, number in mine if target >= 0] != [number for target, number in theirs if target]:
            return f"the edges of node {node} ({name}) are {mine}, torch has {theirs}", len(twins)
        for (target, _), (other, _) in zip(mine, theirs, strict=True):
            if (target < 0) != (other is None) or (target in twins and twins[target] is not other):
                return f"an edge of node {node} ({name}) leads elsewhere", len(twins)
            if target >= 0 and target not in twins:
                twins[target] = other
                stack.append((target, other))
    return "", len(set(twins.values()))


def reached(trace: Trace, root: int) -> set[int]:
    """Return the nodes that edges lead to from a root, with it."""
    seen, stack = {root}, [root]
    while stack:
        below = {target for target in trace.nodes.edges[stack.pop()] if target >= 0} - seen
        seen |= below
        stack += below
    return seen


def near(found, expected, tolerance: float = 1e-4) -> bool:
    """Return whether shapes are equal and entries agree; NaN equals NaN."""
    found, expected = np.asarray(found), np.asarray(expected)
    return found.shape == expected.shape and np.allclose(found, expected, tolerance, 1e-6, equal_nan=True)


def _outputs(trace: Trace) -> list:
    return [output for cell in trace.cells for output in cell.outputs]
