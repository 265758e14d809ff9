"""Calls that combine many entries: sum, mean, max, norm, running sums, softmax, sorting."""

import math
from functools import partial
from typing import Any

import numpy as np

from explorer.analysis.run.operations import alike
from explorer.analysis.run.operations.call import NoEntryMap, OperationCall, Reading, own_lines, reduced
from explorer.analysis.run.operations.elementwise import MAXIMUM, MINIMUM, related
from explorer.analysis.run.operations.record import Derivative, EntryMap, Operation, Rule


def _map_reduction(call: OperationCall, operation: Operation) -> EntryMap:
    """Map every entry to all entries along the axes."""
    if len(call.operands) == 2 and len(call.results) == 1 and call.name in ("max", "min"):
        return related(call, {"max": MAXIMUM, "min": MINIMUM}[call.name])
    shape, rule = call.operands[0].shape, operation.kind
    if rule == "norm":
        return [_norm(call)]
    if rule in ("std", "var"):
        return [_read_spread(call, rule)]
    if len(call.operands) > 1:
        raise NoEntryMap("operands")
    axes = call.axes(1, "dim", "axis")
    if len(call.results) == 1:
        return [reduced(shape, axes, rule)]
    return [reduced(shape, axes, rule), reduced(shape, axes, f"arg{rule}" if rule in ("max", "min") else "position")]


def _map_running(call: OperationCall, operation: Operation) -> EntryMap:
    """Map every entry to those before it along an axis."""
    shape, axis = call.operands[0].shape, call.axis(1, "dim", "axis")
    reads = own_lines(shape, (axis,) if shape else ())
    first = Reading((np.where(reads[:, 1:] <= reads[:, :1], reads[:, 1:], -1),), operation.kind)
    return [first] if len(call.results) == 1 else [first, _read_order(call, axis, 1)]  # the second result: its position


def _map_line(call: OperationCall, operation: Operation) -> EntryMap:
    """Map every entry to its whole line along an axis."""
    return [Reading((own_lines(call.operands[0].shape, (call.axis(1, "dim"),)),), operation.kind)]


def _map_order(call: OperationCall, operation: Operation) -> EntryMap:
    """Map entries to their sorted order, or to some of them."""
    axis = call.axis(order_position(call.name), "dim", default=-1)
    return [_read_order(call, axis, index) for index in range(len(call.results))]


def order_position(name: str) -> int:
    """Return the position of the axis argument in an ordering call."""
    return 2 if name in ("topk", "kthvalue") else 1


def collapsed(shape: tuple[int, ...], reading: Reading) -> int | None:
    """Return the matrix axis that a reduction removed, otherwise None."""
    if len(shape) != 2 or not len(reading.reads[0]):
        return None
    rows, columns = np.divmod(reading.reads[0][0], shape[1])
    many = len(np.unique(rows)) > 1, len(np.unique(columns)) > 1
    if not any(many) and shape != (1, 1):  # the reduced axis has size 1
        many = shape[0] == 1, shape[1] == 1
    return {(True, False): 0, (False, True): 1}.get(many)


def _norm(call: OperationCall) -> Reading:
    """Read entrywise norms: L1, L2 (Frobenius), L∞, p."""
    matrix = call.name in ("linalg_matrix_norm",)
    order = call.plain(1, "p", "ord", default=2 if call.name == "linalg_vector_norm" else None)
    axes = call.axes(2, "dim", default=[-2, -1] if matrix else None)
    if order is None or order == "fro":
        order = 2
    elif matrix or (call.name == "linalg_norm" and len(axes) == 2 and len(call.operands[0].shape) == 2):
        raise NoEntryMap("matrix norm")
    if not isinstance(order, int | float) or isinstance(order, bool):
        raise NoEntryMap("order")
    return reduced(call.operands[0].shape, axes, "norm", p=float(order))


def _read_spread(call: OperationCall, rule: str) -> Reading:
    """Read variance and deviation around the mean. Torch divides by n − correction."""
    named_only = call.plain(1, default=None)
    unbiased = call.plain(2, "unbiased", default=True)
    if isinstance(named_only, bool):  # a.var(False)
        unbiased, axes = named_only, tuple(range(len(call.operands[0].shape)))
    else:
        axes = call.axes(1, "dim")
    correction = call.plain(-1, "correction", default=1 if unbiased else 0)
    return reduced(call.operands[0].shape, axes, rule, correction=1.0 if correction is None else float(correction))


def _read_order(call: OperationCall, axis: int, result: int) -> Reading:
    """Read sorted values as copies, positioned by torch's second result or the order itself."""
    indices = call.results[-1].numbers
    if indices is None:
        raise NoEntryMap("values")
    shape = call.operands[0].shape
    here = np.arange(call.operands[0].size).reshape(shape)
    if not shape:
        raise NoEntryMap("rank")
    where = indices.astype(int).reshape(call.results[-1].shape)
    if where.ndim < len(shape):
        where = np.expand_dims(where, axis)
    read = np.take_along_axis(here, where, axis).reshape(-1, 1)
    values = result == 0 and len(call.results) == 2
    return Reading((read,), "copy") if values else Reading((read,), "position", ())


# ---- the table -----------------------------------------------------------------------------------------------------

_SHARED = "where(self == result, 1, 0) / sum(where(self == result, 1, 0), dim)"
_EXTREME = "sign(self) * where(abs(self) == result, 1, 0) / sum(where(abs(self) == result, 1, 0), dim)"
_CHOSEN = {"self": Derivative(words="chosen")}
_CHOSEN_OFTEN = {"self": Derivative(words="chosen-often")}


def _reduction(name: str, kind: str = "", by: Rule = "", **fields: Any) -> Operation:
    defaults: dict = {"derivative": {"self": by} if by else {}}
    return Operation(
        name, kind=kind or name, entries=_map_reduction, subject="reduce", sentence="reduced", **(defaults | fields)
    )


def _extreme(name: str, word: str) -> Operation:
    """Define max or min, along an axis with positions, or over all entries."""
    nodes = {f"{name.title()}Backward0": _CHOSEN, f"{name.title()}Backward1": {"self": Derivative(_SHARED, word)}}
    return _reduction(name, nodes=nodes)


def _norm_derivative(order: str) -> dict[str, Rule]:
    cases = (
        (order, 0, Derivative("0")),
        (order, 1, Derivative("sign(self)")),
        (order, 2, Derivative("self / result", zero="result == 0")),
        (order, math.inf, Derivative(_EXTREME, "farthest")),
        (order, -math.inf, Derivative(_EXTREME, "nearest")),
    )
    return {"self": Derivative(f"sign(self) * (abs(self) / result)**({order} - 1)", zero="self == 0", cases=cases)}


_line = partial(Operation, subject="reduce")
OPERATIONS = (
    _reduction("sum", by="1", step="sum"),
    _reduction("mean", by="1 / n", step="mean"),
    _reduction("prod", by=Derivative(words="others")),
    _extreme("max", "largest"),
    _extreme("min", "smallest"),
    _reduction("amax", "max", Derivative(_SHARED, "largest")),
    _reduction("amin", "min", Derivative(_SHARED, "smallest")),
    _reduction("argmax", gives="positions"),
    _reduction("argmin", gives="positions"),
    _reduction("any", gives="truth"),
    _reduction("all", gives="truth"),
    _reduction("count_nonzero", "count", gives="counts"),
    _reduction("nansum"),
    _reduction("std", by=Derivative("(self - mean(self, dim)) / ((n - correction) * result)", zero="result == 0")),
    _reduction("var", by="2 * (self - mean(self, dim)) / (n - correction)"),
    _reduction("logsumexp", by="exp(self - result)"),
    _reduction(
        "median", nodes={"MedianBackward0": {"self": Derivative(_SHARED, "median")}, "MedianBackward1": _CHOSEN}
    ),
    _reduction("norm", derivative=_norm_derivative("p")),
    _reduction("linalg_norm", "norm"),
    _reduction("linalg_vector_norm", "norm", derivative=_norm_derivative("ord")),
    _reduction("linalg_matrix_norm", "norm"),
    _reduction("frobenius_norm", "norm"),
    _line("cumsum", kind="sum", entries=_map_running, sentence="running", back="cumsum",
          derivative={"self": Derivative(words="cumulative")}),
    _line("cumprod", kind="prod", entries=_map_running, sentence="running",
          derivative={"self": Derivative(words="running-product")}),
    _line("cummax", kind="max", entries=_map_running, sentence="running", derivative=_CHOSEN_OFTEN),
    _line("cummin", kind="min", entries=_map_running, sentence="running", derivative=_CHOSEN_OFTEN),
    _line("logcumsumexp", kind="logsumexp", entries=_map_running, sentence="running"),
    _line("softmax", kind="softmax", entries=_map_line, sentence="softmax", alike=alike.softmax,
          derivative={"self": "result * (G - sum(G * result, dim))"}),
    _line("log_softmax", kind="log_softmax", entries=_map_line, sentence="log-softmax", alike=alike.softmax,
          derivative={"self": "G - exp(result) * sum(G, dim)"}),
    Operation("softmin", alike=alike.softmax),
    _line("sort", entries=_map_order, sentence="ordered", derivative={"self": Derivative(words="sorted")}),
    _line("topk", entries=_map_order, sentence="ordered", derivative=_CHOSEN),
    _line("argsort", entries=_map_order, sentence="order", gives="positions"),
    _line("kthvalue", entries=_map_order, sentence="kth", derivative=_CHOSEN),
    Operation("mode", derivative=_CHOSEN),
)  # fmt: skip
