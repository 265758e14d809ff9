"""One step of a model on a table: weights and gradients by column."""

import math
from dataclasses import dataclass

from explorer.analysis.explain.autograd import selected_backward, tensor_gradient
from explorer.analysis.run.operations import PRODUCTS
from explorer.analysis.views.data.data_steps import reach
from explorer.trace import Table, Trace, Value

PULLS = "pulls"  # table of each row's contribution to each weight's gradient, as named in `steps.gradient`
CLOSE = 1e-3  # allowed difference of a float32 sum from the gradient, relative to its largest part


@dataclass(frozen=True)
class Weighted:
    """A tensor of inputs multiplied by weights.

    Attributes:
        inputs, table, weights: names of the tensor, its table and the weights, or "".
        columns: columns of the table, in the order of the weights.
        gradients: gradient at each weight, None without a backward.
    """

    inputs: str
    table: str
    weights: str
    columns: tuple[str, ...]
    gradients: tuple[float, ...] | None


def weighted(trace: Trace) -> Weighted | None:
    """Return the first product of a table's tensor with one trainable weight per column."""
    linked = {trace.bound(table_tensor.name): table_tensor for table_tensor in reversed(trace.table_tensors)}
    calls = trace.operations
    for operation in range(len(calls)):
        taken = calls.inputs[operation]
        if len(taken) < 2 or trace.string(calls.name[operation]) not in PRODUCTS or taken[0] not in linked:
            continue
        tensor, weights = linked[taken[0]], taken[1]
        size = trace.shapes[trace.tensors.shape[weights]]
        if not trace.tensors.requires_grad[weights] or math.prod(size) != len(tensor.columns):
            continue
        value, _ = tensor_gradient(trace, weights, selected_backward(trace))
        gradient = trace.value(value)
        gradients = (
            None
            if gradient is None or gradient.data is None
            else tuple(abs(entry) if isinstance(entry, complex) else float(entry) for entry in gradient.data)
        )
        name = next((binding.name for binding in trace.bindings if binding.tensor == weights), "")
        return Weighted(tensor.name, tensor.table, name, tuple(tensor.columns), gradients)
    return None


def adds_up(pulls: Table, gradients: tuple[float, ...]) -> bool:
    """Return whether a table's rows add up to these gradients, in its first recorded columns."""
    if pulls.width < len(gradients) or not gradients:
        return False
    for column, gradient in zip(pulls.columns, gradients, strict=False):
        if column.mean is None:
            return False
        total = column.mean * (pulls.rows - column.missing)
        if abs(total - gradient) > CLOSE * max(1e-12, abs(gradient), reach(column.low), reach(column.high)):
            return False
    return True


def scalar(trace: Trace, name: str) -> float | None:
    """Return the single final entry of a name's tensor, or None."""
    tensor = trace.bound(name)
    return _only(None if tensor is None else trace.latest(tensor))


def loss(trace: Trace) -> float | None:
    """Return the root as a number."""
    backward = selected_backward(trace)
    roots = [] if backward is None else trace.backwards[backward].root_tensors
    return _only(trace.latest(roots[0])) if roots and roots[0] >= 0 else None


def _only(value: Value | None) -> float | None:
    entries = () if value is None else value.entries
    return float(entries[0]) if len(entries) == 1 and not isinstance(entries[0], complex) else None
