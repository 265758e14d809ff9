"""Calls that combine many entries: sum, mean, max, norm over axes, running sums, softmax, sorting."""

import numpy as np

from explorer.analysis.tensors.operations.call import OperationCall, Unknown
from explorer.analysis.tensors.operations.reads import Reading, prefixes, reduced, slices

# torch's name to the rule of one entry
REDUCTIONS = {
    **{name: name for name in "sum mean prod max min argmax argmin any all std var logsumexp median".split()},
    **{"amax": "max", "amin": "min", "count_nonzero": "count", "nansum": "nansum", "norm": "norm"},
    **{"linalg_norm": "norm", "linalg_vector_norm": "norm", "linalg_matrix_norm": "norm", "frobenius_norm": "norm"},
}
RUNNING = {"cumsum": "sum", "cumprod": "prod", "cummax": "max", "cummin": "min", "logcumsumexp": "logsumexp"}
WHOLE_LINE = {"softmax": "softmax", "log_softmax": "log_softmax"}
ORDERING = frozenset("sort topk argsort kthvalue".split())
NAMES = frozenset([*REDUCTIONS, *RUNNING, *WHOLE_LINE, *ORDERING])


def combined(call: OperationCall) -> list[Reading]:
    """One reading per result. Raises Unknown."""
    shape = call.operands[0].shape
    if call.name in RUNNING:
        axis = call.axis(1, "dim", "axis")
        first = prefixes(shape, axis, RUNNING[call.name]) if shape else reduced(shape, (), RUNNING[call.name])
        if len(call.results) == 1:
            return [first]
        return [first, _chosen(call, axis)]
    if call.name in WHOLE_LINE:
        return [slices(shape, call.axis(1, "dim"), WHOLE_LINE[call.name])]
    if call.name in ORDERING:
        axis = call.axis(2 if call.name in ("topk", "kthvalue") else 1, "dim", default=-1)
        return [_ordered(call, axis, index) for index in range(len(call.results))]
    rule = REDUCTIONS[call.name]
    if rule == "norm":
        return [_norm(call)]
    if rule in ("std", "var"):
        return [_spread(call, rule)]
    if len(call.operands) > 1:
        raise Unknown("operands")
    axes = call.axes(1, "dim", "axis")
    if len(call.results) == 1:
        return [reduced(shape, axes, rule)]
    return [reduced(shape, axes, rule), reduced(shape, axes, f"arg{rule}" if rule in ("max", "min") else "position")]


def collapsed(name: str, shape: tuple[int, ...], reading: Reading) -> int | None:
    """The axis of a matrix that a reduction removed; None for both, and for other calls."""
    if name not in REDUCTIONS or len(shape) != 2 or not len(reading.reads[0]):
        return None
    rows, columns = np.divmod(reading.reads[0][0], shape[1])
    many = len(np.unique(rows)) > 1, len(np.unique(columns)) > 1
    if not any(many) and shape != (1, 1):  # the axis that was taken together has size 1
        many = shape[0] == 1, shape[1] == 1
    return {(True, False): 0, (False, True): 1}.get(many)


def _norm(call: OperationCall) -> Reading:
    """Entrywise norms: L1, L2, L∞, p; the Frobenius norm is the L2 norm of all entries in one row."""
    matrix = call.name in ("linalg_matrix_norm",)
    order = call.plain(1, "p", "ord", default=2 if call.name == "linalg_vector_norm" else None)
    axes = call.axes(2, "dim", default=[-2, -1] if matrix else None)
    if order is None or order == "fro":
        order = 2
    elif matrix or (call.name == "linalg_norm" and len(axes) == 2 and len(call.operands[0].shape) == 2):
        raise Unknown("matrix norm")
    if not isinstance(order, int | float) or isinstance(order, bool):
        raise Unknown("order")
    return reduced(call.operands[0].shape, axes, "norm", p=float(order))


def _spread(call: OperationCall, rule: str) -> Reading:
    """Variance and deviation around the mean; torch divides by n − correction."""
    named_only = call.plain(1, default=None)
    unbiased = call.plain(2, "unbiased", default=True)
    if isinstance(named_only, bool):  # a.var(False)
        unbiased, axes = named_only, tuple(range(len(call.operands[0].shape)))
    else:
        axes = call.axes(1, "dim")
    correction = call.plain(-1, "correction", default=1 if unbiased else 0)
    return reduced(call.operands[0].shape, axes, rule, correction=float(correction))


def _ordered(call: OperationCall, axis: int, result: int) -> Reading:
    """Sorted values are copies; torch's second result, or the order itself, gives their positions."""
    indices = call.results[-1].numbers
    if indices is None:
        raise Unknown("values")
    shape = call.operands[0].shape
    here = np.arange(call.operands[0].size).reshape(shape)
    if not shape:
        raise Unknown("rank")
    where = indices.astype(int).reshape(call.results[-1].shape)
    if where.ndim < len(shape):
        where = np.expand_dims(where, axis)
    read = np.take_along_axis(here, where, axis).reshape(-1, 1)
    values = result == 0 and len(call.results) == 2
    return Reading((read,), "copy") if values else Reading((read,), "position", ())


def _chosen(call: OperationCall, axis: int) -> Reading:
    """The second result of cummax: the position of the entry."""
    return _ordered(call, axis, 1)
