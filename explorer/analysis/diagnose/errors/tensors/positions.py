"""Positions that a tensor does not have: indices, axes, masks."""

import re

from explorer.analysis.diagnose.errors.rule import Explanation, FailureContext, Rules, numbers, sizes
from explorer.analysis.run.operations.signatures import methods_with
from explorer.analysis.run.source.expressions import parse_subscript, shorten_code

RULES = Rules()
Taken = tuple[str, tuple[str, ...]]  # the indexed expression and the indices, as written


def _signed(number: str | int) -> str:
    return str(number).replace("-", "−")


@RULES.rule(
    r"IndexError|RuntimeError: index (?P<given>-?\d+) is out of bounds for dimension (?P<axis>\d+) with "
    r"size (?P<size>\d+)"
)
def index_range(at: FailureContext) -> Explanation:
    """Explain an index past the end of an axis."""
    index, axis, size, taken = int(at["given"]), int(at["axis"]), int(at["size"]), parse_subscript(at.code)
    if at.shapes and at.shapes[0] == ():
        return at.explain("index-of-scalar", **at.indexed)
    values = at.indexed | {"index": _signed(index), "last": str(size - 1)}
    if size == 0:
        return at.explain("index-of-empty", **values)
    return at.explain("index-range", _nearest(taken, index, axis, at.shapes[0] if at.shapes else ()), **values)


def _nearest(taken: Taken | None, index: int, axis: int, shape: tuple[int, ...]) -> str | None:
    """Return the nearest valid position for an index off by one."""
    if taken is None or axis >= len(shape) or index not in (shape[axis], -shape[axis] - 1):
        return None
    array, indices = taken
    if not axis < len(indices) <= len(shape) or indices[axis] != str(index) or {"...", "None"} & set(indices):
        return None
    new = list(indices)
    for place, text in enumerate(indices):
        if re.fullmatch(r"-?\d{1,9}", text) and not -shape[place] <= int(text) < shape[place]:
            new[place] = str(shape[place] - 1 if int(text) > 0 else -shape[place])
    return f"{array}[{', '.join(new)}]"


@RULES.rule(
    r"IndexError: select\(\): index (?P<given>-?\d+) out of range for tensor of size (?P<own>\[.*?\]) at "
    r"dimension (?P<axis>\d+)"
)
def select_range(at: FailureContext) -> Explanation | None:
    """Explain select() past the end of an axis."""
    shape, axis = numbers(at["own"]), int(at["axis"])
    if axis >= len(shape):
        return None
    values = {"size": str(shape[axis]), "last": str(shape[axis] - 1)}
    return at.explain("index-range", tensor=at.tensor, index=_signed(at["given"]), **values)


@RULES.rule(r"IndexError: index out of range in self")
def picked_range(at: FailureContext) -> Explanation | None:
    """Explain index_select with an index past the end."""
    axis, shape = at.arguments.get(1, "dim", default=None), at.shapes[0] if at.shapes else ()
    if at.function != "index_select" or type(axis) is not int or not -len(shape) <= axis < len(shape):
        return None
    values = {"axis": str(axis % len(shape)), "size": str(shape[axis]), "last": str(shape[axis] - 1)}
    return at.explain("index-select-range", tensor=at.tensor, **values)


@RULES.rule(r"IndexError: too many indices for tensor of dimension (?P<axes>\d+)")
def index_count(at: FailureContext) -> Explanation | None:
    """Explain more indices than axes."""
    taken = parse_subscript(at.code)
    if taken is None or not at.shapes:
        return None
    if at.shapes[0] == ():
        return at.explain("index-of-scalar", **at.indexed)
    return at.explain("index-too-many", **at.indexed, shape=sizes(at.shapes[0]), count=str(len(taken[1])))


@RULES.rule(r"IndexError: tensors used as indices must be long, int, byte or bool tensors")
def index_floats(at: FailureContext) -> Explanation | None:
    """Explain a tensor of floats as an index."""
    taken = parse_subscript(at.code)
    if taken is None or len(at.dtypes) < 2:
        return None
    return at.explain("index-tensor-dtype", index=shorten_code(", ".join(taken[1])), dtype=at.dtypes[1])


@RULES.rule(
    r"IndexError: Dimension out of range \(expected to be in range of \[(?P<from>-?\d+), (?P<to>-?\d+)\], "
    r"but got (?P<given>-?\d+)\)"
)
def axis_range(at: FailureContext) -> Explanation:
    """Explain an axis that the tensor does not have."""
    low, high, axis = int(at["from"]), int(at["to"]), int(at["given"])
    given, name = at.shapes, at.function
    values = {"axis": _signed(axis), "low": _signed(low), "high": _signed(high), "tensor": at.tensor}
    if name in ("cat", "concat") and given and all(len(shape) == 1 for shape in given):
        return at.explain("cat-axis-of-vectors", **values)
    if not given or name in ("cat", "concat", "stack"):
        first = {"tensor": shorten_code(at.name(at.inputs[0])) or "?"} if given else {}
        return at.explain("axis-range", **values | first)
    values["shape"] = sizes(given[0])
    if low == -len(given[0]) - 1 and (given[0] != () or name == "unsqueeze"):
        return at.explain("axis-range-new", **values)
    if given[0] == ():
        return at.explain("axis-of-scalar", **values)
    if len(given[0]) == 1:
        new = _along(at, axis, high if axis > 0 else low) if name in methods_with("dim") else None
        return at.explain("axis-of-vector", new, **values)
    return at.explain("axis-range-shape", **values)


def _along(at: FailureContext, axis: int, new: int) -> str | None:
    """Replace the call's axis, if it is written as a number."""
    call = at.call
    if call is None or ".backward(" in at.here.whole_line:  # along another axis the loss would not be a scalar
        return None
    places = [i for i, text in enumerate(call.arguments) if re.fullmatch(rf"(?:(?:dim|axis)\s*=\s*)?{axis}", text)]
    places = [i for i in places if "=" in call.arguments[i]] or places
    return call.with_argument(places[0], str(new)) if len(places) == 1 else None


@RULES.rule(r"IndexError: tuple index out of range")
def shape_axis(at: FailureContext) -> Explanation | None:
    """Explain x.shape[2] of a tensor with two axes."""
    sized, index = (at.whole.receiver, at.whole.first("index")) if at.whole else (None, None)
    if sized is None or index is None or sized.receiver is None or not sized.text.endswith(".shape"):
        return None
    shape, values = sized.receiver.thing.shape, {"tensor": shorten_code(sized.receiver.text)}
    values["index"] = shorten_code(index.text)
    if shape is None:
        return at.explain("shape-index", **values)
    return at.explain("shape-index-of", **values, shape=sizes(shape), axes=str(len(shape)))


@RULES.rule(
    r"RuntimeError: Index tensor must have the same number of dimensions as (?:input|self|src) tensor", operands=2
)
def gather_axes(at: FailureContext) -> Explanation | None:
    """Explain gather or scatter with an index of too few or too many axes."""
    shape, index = at.shapes[:2]
    rows = len(shape) == 2 and index == shape[:1] and at.arguments.get(1, "dim", default=None) in (1, -1)
    place = 2 if at.call and at.call.is_function else 1
    new = at.change_argument(place, ".unsqueeze(1)", "index") if rows else None
    return at.explain("gather-axes", new, shape=sizes(shape), index_shape=sizes(index), function=at.function)


RULES.rule(
    r"IndexError: out of range: tried to access index (?P<given>-?\d+) on a tensor of "
    r"(?P<entries>\d+) elements"
)(lambda at: at.explain("take-range", index=_signed(at["given"]), last=str(int(at["entries"]) - 1)))
