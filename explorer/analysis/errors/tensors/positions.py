"""Positions that a tensor does not have: indices, axes, masks."""

import re

from explorer.analysis.errors.explanations import changed
from explorer.analysis.errors.expressions import called, numbers, postfixed, shown, sizes, subscripted
from explorer.analysis.errors.failure_facts import Stopped
from explorer.analysis.errors.rule import Explanation, rule
from explorer.analysis.errors.tensors.call_facts import arguments, dtypes, operation_name, shapes, subject

ALONG = (
    "sum|mean|std|var|amax|amin|max|min|argmax|argmin|prod|cumsum|cumprod|softmax|log_softmax|softmin|sort|argsort|median|"
    "logsumexp|any|all|norm|flip|unbind|chunk|split|topk|kthvalue|diff|count_nonzero|nanmean|nansum"
)
MINUS = "−"


def _signed(number: int) -> str:
    return str(number).replace("-", MINUS)


@rule("IndexError|RuntimeError", r"index (-?\d+) is out of bounds for dimension (\d+) with size (\d+)")
def index_range(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """An index past the end of an axis."""
    index, axis, size = map(int, found.groups())
    given, taken = shapes(stopped), subscripted(stopped.code)
    if given and given[0] == ():
        return index_of_scalar(stopped)
    tensor = taken[0] if taken else subject(stopped, called(stopped.code))
    values = {
        "tensor": shown(tensor) or "?",
        "index": _signed(index),
        "axis": str(axis),
        "size": str(size),
        "last": str(size - 1),
    }
    if size == 0:
        return changed(stopped, "index-of-empty", values)
    looped = _shorter_loop(stopped, taken, size) if axis == 0 else None
    if looped is not None:
        return looped if looped.mended else changed(stopped, "index-range", values)
    return changed(stopped, "index-range", values, _nearest(taken, index, axis, given[0] if given else ()))


def _nearest(taken: tuple[str, tuple[str, ...]] | None, index: int, axis: int, shape: tuple[int, ...]) -> str | None:
    """The last or first position, for an index that is one too far and written as a number."""
    if taken is None or axis >= len(shape) or index not in (shape[axis], -shape[axis] - 1):
        return None
    array, indices = taken
    if axis >= len(indices) or indices[axis] != str(index) or any(index in ("...", "None") for index in indices):
        return None
    if len(indices) > len(shape):
        return None
    new = list(indices)
    for at, text in enumerate(indices):
        if re.fullmatch(r"-?\d{1,9}", text) and not -shape[at] <= int(text) < shape[at]:
            new[at] = str(shape[at] - 1 if int(text) > 0 else -shape[at])
    return f"{array}[{', '.join(new)}]"


def _shorter_loop(stopped: Stopped, taken: tuple[str, tuple[str, ...]] | None, size: int) -> Explanation | None:
    """`for i in range(4)` over three entries, ended at the length of the tensor; None outside such a loop."""
    index = re.fullmatch(r"([A-Za-z_]\w*)(?: ?\+ ?(\d{1,6}))?", taken[1][0]) if taken and len(taken[1]) == 1 else None
    span = stopped.span
    if index is None or span is None or not re.fullmatch(r"[A-Za-z_][\w.]*", taken[0]):
        return None
    lines = stopped.source.split("\n")
    indent = len(lines[span.line - 1]) - len(lines[span.line - 1].lstrip())
    for at in range(span.line - 2, -1, -1):
        line = lines[at]
        own = len(line) - len(line.lstrip())
        if not line.strip() or own >= indent:
            continue
        indent = own
        loop = re.match(rf"(\s*for {index.group(1)} in range\()([^()#]*(?:\([^()#]*\)[^()#]*)?)(\)\s*:.*)$", line)
        if loop is None:
            continue
        bounds = loop.group(2).split(",")
        if len(bounds) > 2:
            return None
        end = f"len({taken[0]})" + (f" - {index.group(2)}" if index.group(2) else "")
        lines[at] = loop.group(1) + (f"{bounds[0]}, {end}" if len(bounds) == 2 else end) + loop.group(3)
        values = {
            "tensor": shown(taken[0]),
            "size": str(size),
            "last": str(size - 1),
            "line": str(at + 1),
            "code": shown(stopped.code),
        }
        return Explanation("index-loop", values, "\n".join(lines), stopped.place)
    return None


@rule("IndexError", r"(?:select\(\): index (-?\d+) out of range for tensor of size (\[.*?\]) at dimension (\d+))")
def select_range(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """select() past the end of an axis."""
    shape, axis = numbers(found.group(2)), int(found.group(3))
    if axis >= len(shape):
        return None
    tensor = shown(subject(stopped, called(stopped.code))) or "?"
    values = {"tensor": tensor, "index": _signed(int(found.group(1))), "axis": str(axis), "size": str(shape[axis])}
    return changed(stopped, "index-range", {**values, "last": str(shape[axis] - 1)})


@rule("IndexError", r"index out of range in self")
def picked_range(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """index_select with an index past the end."""
    given, axis = shapes(stopped), arguments(stopped).get(1, "dim", default=None)
    if (
        operation_name(stopped) != "index_select"
        or not given
        or type(axis) is not int
        or not -len(given[0]) <= axis < len(given[0])
    ):
        return None
    size = given[0][axis]
    values = {"tensor": shown(subject(stopped, called(stopped.code))) or "?", "axis": str(axis % len(given[0]))}
    return changed(stopped, "index-select-range", {**values, "size": str(size), "last": str(size - 1)})


@rule("IndexError", r"out of range: tried to access index (-?\d+) on a tensor of (\d+) elements")
def take_range(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """take or put_ with an index past the last entry."""
    count = int(found.group(2))
    values = {"index": _signed(int(found.group(1))), "entries": str(count), "last": str(count - 1)}
    return changed(stopped, "take-range", values)


@rule("IndexError", r"invalid index of a 0-dim tensor")
def scalar_index(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """An index of a tensor that has no axis."""
    return index_of_scalar(stopped)


def index_of_scalar(stopped: Stopped) -> Explanation:
    """An index of a tensor that has no axis."""
    taken = subscripted(stopped.code)
    values = {"tensor": shown(taken[0] if taken else stopped.code)}
    read = taken is not None and operation_name(stopped) == "__getitem__" and taken[1] == ("0",)
    return changed(stopped, "index-of-scalar", values, f"{taken[0]}.item()" if read else None)


@rule("IndexError", r"too many indices for tensor of dimension (\d+)")
def index_count(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """More indices than axes."""
    taken, given = subscripted(stopped.code), shapes(stopped)
    if taken is None or not given:
        return None
    values = {"tensor": shown(taken[0]), "shape": sizes(given[0]), "axes": found.group(1), "count": str(len(taken[1]))}
    if given[0] == ():
        return index_of_scalar(stopped)
    return changed(stopped, "index-too-many", values)


@rule(
    "IndexError",
    r"The shape of the mask (\[.*?\]) at index (\d+) does not match the shape of the indexed tensor (\[.*?\])",
)
def mask_shape(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A mask whose shape is not that of the tensor."""
    taken = subscripted(stopped.code)
    mask, shape = numbers(found.group(1)), numbers(found.group(3))
    values = {"tensor": shown(taken[0] if taken else stopped.code), "mask_shape": sizes(mask), "shape": sizes(shape)}
    new = None
    if taken and len(taken[1]) == 1 and len(shape) == 2 and mask == shape[1:] and shape[0] != shape[1]:
        new = f"{taken[0]}[:, {taken[1][0]}]"
    elif taken and len(taken[1]) == 1 and mask == (*shape, 1):
        new = f"{taken[0]}[{postfixed(taken[1][0], f'.squeeze({len(shape)})')}]"
    return changed(stopped, "mask-shape", values, new)


@rule("IndexError", r"tensors used as indices must be long, int, byte or bool tensors")
def index_floats(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A tensor of floats as an index."""
    taken, kinds = subscripted(stopped.code), dtypes(stopped)
    if taken is None or len(kinds) < 2:
        return None
    values = {"index": shown(", ".join(taken[1])), "dtype": kinds[1]}
    new = f"{taken[0]}[{postfixed(taken[1][0], '.long()')}]" if len(taken[1]) == 1 and len(kinds) >= 2 else None
    return changed(
        stopped,
        "index-tensor-dtype",
        values,
        new if operation_name(stopped) in ("__getitem__", "__setitem__") else None,
    )


@rule("IndexError", r"only integers, slices .*?are valid indices \(got (\w+)\)")
def index_kind(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A float or another object as an index."""
    taken, kind = subscripted(stopped.code), found.group(1)
    values = {"code": shown(stopped.code), "given": kind}
    if taken is None or kind != "float" or len(taken[1]) != 1:
        return changed(stopped, "index-not-whole" if kind == "float" else "index-kind", values)
    index, new = taken[1][0], None
    if re.fullmatch(r"\d+\.0*", index):
        new = f"{taken[0]}[{index.partition('.')[0]}]"
    elif re.fullmatch(r"[\w.()]+ ?/ ?\w+", index):
        new = f"{taken[0]}[{index.replace('/', '//')}]"
    return changed(stopped, "index-not-whole", values, new)


@rule("TypeError", r"new\(\): invalid data type 'str'")
def index_text(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A text as an index."""
    taken = subscripted(stopped.code)
    if operation_name(stopped) not in ("__getitem__", "__setitem__") or taken is None:
        return None
    return changed(stopped, "index-text", {"tensor": shown(taken[0]), "index": shown(", ".join(taken[1]))})


@rule("IndexError", r"shape mismatch: indexing tensors could not be broadcast together with shapes (.*)$")
def index_lists(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """Lists of indices of different lengths."""
    lengths = ", ".join(sizes(numbers(word)) for word in re.findall(r"\[[^\]]{0,80}\]", found.group(1))[:6])
    return changed(stopped, "index-lists", {"code": shown(stopped.code), "shapes": lengths})


@rule("ValueError", r"step must be greater than zero")
def negative_step(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A slice that runs backward."""
    taken, given = subscripted(stopped.code), shapes(stopped)
    if taken is None or not given:
        return None
    axes = [i for i, text in enumerate(taken[1]) if text == "::-1"]
    plain = (
        len(axes) == 1 and all(text in (":", "::-1") for text in taken[1]) and operation_name(stopped) == "__getitem__"
    )
    return changed(
        stopped, "slice-backward", {"code": shown(stopped.code)}, f"{taken[0]}.flip({axes[0]})" if plain else None
    )


@rule("IndexError", r"Dimension out of range \(expected to be in range of \[(-?\d+), (-?\d+)\], but got (-?\d+)\)")
def axis_range(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """An axis that the tensor does not have."""
    low, high, axis = map(int, found.groups())
    call, given = called(stopped.code), shapes(stopped)
    joined = operation_name(stopped) in ("cat", "concat", "stack") and stopped.inputs
    tensor = stopped.name(stopped.inputs[0]) if joined else subject(stopped, call)
    values = {"tensor": shown(tensor) or "?", "axis": _signed(axis), "low": _signed(low), "high": _signed(high)}
    name = operation_name(stopped)
    if name in ("cat", "concat") and given and all(len(shape) == 1 for shape in given):
        same = axis == 1 and len(set(given)) == 1 and call is not None and call.head in ("torch.cat", "torch.concat")
        new = f"torch.stack({', '.join(call.arguments)})" if same else None
        return changed(stopped, "cat-axis-of-vectors", {"code": shown(stopped.code), "axis": _signed(axis)}, new)
    if not given or name in ("cat", "concat", "stack"):
        return changed(stopped, "axis-range", values)
    values["shape"] = sizes(given[0])
    if low == -len(given[0]) - 1 and (given[0] != () or name == "unsqueeze"):
        return changed(stopped, "axis-range-new", values)
    new = _along(stopped, axis, high if axis > 0 else low) if re.fullmatch(ALONG, name) else None
    if given[0] == ():
        return changed(stopped, "axis-of-scalar", values)
    if len(given[0]) == 1:
        return changed(stopped, "axis-of-vector", values, new)
    return changed(stopped, "axis-range-shape", values, new if axis in (low - 1, high + 1) else None)


def _along(stopped: Stopped, axis: int, new: int) -> str | None:
    """The call with another axis, if its axis is written as a number."""
    call = called(stopped.code)
    line = stopped.source.split("\n")[stopped.span.line - 1] if stopped.span else ""
    if call is None or ".backward(" in line:  # with another axis the loss would not be a scalar
        return None
    at = [i for i, argument in enumerate(call.arguments) if re.fullmatch(rf"(?:(?:dim|axis)\s*=\s*)?{axis}", argument)]
    named = [i for i in at if not re.fullmatch(r"-?\d+", call.arguments[i])]
    at = named or at
    return call.with_argument(at[0], str(new)) if len(at) == 1 else None


@rule("IndexError", r"tuple index out of range")
def shape_axis(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """x.shape[2] of a tensor with two axes."""
    taken = subscripted(stopped.code)
    if taken is None or not taken[0].endswith(".shape") or len(taken[1]) != 1:
        return None
    name = taken[0].removesuffix(".shape")
    tensor = stopped.trace.bound(name)
    values = {"tensor": shown(name), "index": shown(taken[1][0])}
    if tensor is None:
        return changed(stopped, "shape-index", values)
    shape = stopped.shape(tensor)
    if re.fullmatch(r"-?\d{1,4}", taken[1][0]) and -len(shape) <= int(taken[1][0]) < len(shape):
        return changed(stopped, "shape-index", values)  # the name meant another tensor there
    return changed(stopped, "shape-index-of", {**values, "shape": sizes(shape), "axes": str(len(shape))})


@rule("RuntimeError", r"Index tensor must have the same number of dimensions as (?:input|self|src) tensor")
def gather_axes(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """gather or scatter with an index that has too few or too many axes."""
    given = shapes(stopped)
    if len(given) < 2:
        return None
    values = {"shape": sizes(given[0]), "index_shape": sizes(given[1]), "function": operation_name(stopped)}
    call = called(stopped.code)
    at = None if call is None else call.place(2 if call.is_function else 1, "index")
    new = None
    if at is not None and len(given[0]) == 2 and given[1] == given[0][:1] and _axis(stopped) in (1, -1):
        new = call.with_argument(at, postfixed(call.value(at), ".unsqueeze(1)"))
    return changed(stopped, "gather-axes", values, new)


def _axis(stopped: Stopped) -> int | None:
    axis = arguments(stopped).get(1, "dim", default=None)
    return axis if type(axis) is int else None


@rule(
    "RuntimeError",
    r"Size does not match at dimension (\d+) expected index (\[.*?\]) to be (?:no larger|smaller) than self (\[.*?\])",
)
def gather_size(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """gather with an index larger than the tensor along another axis."""
    values = {
        "axis": found.group(1),
        "index_shape": sizes(numbers(found.group(2))),
        "shape": sizes(numbers(found.group(3))),
    }
    return changed(stopped, "gather-size", values)


@rule("RuntimeError", r"selected index k out of range")
def top_range(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """topk of more entries than there are."""
    given = shapes(stopped)
    if not given:
        return None
    return changed(stopped, "topk-range", {"code": shown(stopped.code), "shape": sizes(given[0])})


@rule("RuntimeError|IndexError", r"(\w+)\(\): Expected reduction dim .*?(?:numel\(\) == 0|non-zero size)")
def reduced_nothing(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """max or min of no entries."""
    given = shapes(stopped)
    tensor = shown(subject(stopped, called(stopped.code))) or "?"
    return changed(
        stopped,
        "reduce-nothing",
        {"tensor": tensor, "shape": sizes(given[0]) if given else "?", "function": found.group(1)},
    )


@rule("TypeError", r"slice indices must be integers")
def slice_not_whole(stopped: Stopped, found: re.Match[str]) -> Explanation:
    """A slice that ends at a fraction, often made by /."""
    halves = re.findall(r"(?<!/)/(?!/)", stopped.code)
    new = stopped.code.replace("/", "//") if len(halves) == 1 and "//" not in stopped.code else None
    return changed(stopped, "slice-not-whole", {"code": shown(stopped.code)}, new)


RULES = (
    slice_not_whole,
    index_range,
    select_range,
    picked_range,
    take_range,
    scalar_index,
    index_count,
    mask_shape,
    index_floats,
    index_kind,
    index_text,
    index_lists,
    negative_step,
    axis_range,
    shape_axis,
    gather_axes,
    gather_size,
    top_range,
    reduced_nothing,
)
