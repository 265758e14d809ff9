"""Impossible sizes: reshape, view, expand, permute, sizes of new tensors, einsum, stack and cat."""

import math
import re
from math import prod

from explorer.analysis.diagnose.errors.evidence import LOADER
from explorer.analysis.diagnose.errors.rule import Explanation, FailureContext, Rules, numbers, sizes
from explorer.analysis.run.source.expressions import WrittenCall, items, shorten_code, with_argument, with_suffix

RULES = Rules()


def between(small: tuple[int, ...], large: tuple[int, ...]) -> str:
    """Return the index that stretches a mask over the axes in between.

    The mask is over the steps of each example. The result is [:, None, None, :], or "".

    >>> between((4, 6), (4, 2, 6, 6)), between((2, 6), (4, 2, 6))
    ('[:, None, None, :]', '')
    """
    fits = len(small) == 2 < len(large) and small == (large[0], large[-1])
    return f"[{', '.join([':', *['None'] * (len(large) - 2), ':'])}]" if fits else ""


RESHAPES = ("view", "reshape", "flatten", "unflatten", "_unsafe_view")


@RULES.rule(r"RuntimeError: shape '(?P<shape>\[.*?\])' is invalid for input of size (?P<entries>\d+)")
def reshape_size(at: FailureContext) -> Explanation:
    """Explain view or reshape to a different number of entries."""
    wanted, count, call = numbers(at["shape"]), int(at["entries"]), at.call
    given = at.shapes[0] if at.shapes else ()
    values = {"tensor": at.tensor, "own": sizes(given) if at.shapes else "?"}
    if -1 in wanted:
        return at.explain("reshape-not-divisible", **values, rest=str(prod(size for size in wanted if size != -1)))
    values |= {"places": str(prod(wanted))}
    own = list(call.arguments[call.is_function :]) if call and call.name in ("view", "reshape") else []
    written = list(items(own[0])) or own if len(own) == 1 else own
    if len(written) != len(wanted):
        return at.explain("reshape-entries", **values)
    if remainder := _remainder(written, wanted, count, given):
        return at.explain("reshape-remainder", **values | remainder)
    return at.explain("reshape-entries", _fitting(call, own, written, wanted, count, given), **values)


def _remainder(written: list[str], wanted: tuple[int, ...], count: int, own: tuple[int, ...]) -> dict[str, str] | None:
    """Return C of a size C // H, if an axis leaves a remainder."""
    for i, text in enumerate(written):
        divided = re.fullmatch(r"([\w.]+) ?// ?([\w.]+)", text)
        factors = [wanted[k] for k, other in enumerate(written) if divided and other == divided[2]]
        if not divided or not (factors or divided[2].isdigit()):
            continue
        part = factors[0] if factors else int(divided[2])
        whole = [size for size in own if part and size // part == wanted[i] and size % part]
        if whole and count * part * wanted[i] == prod(wanted) * whole[0]:
            return {"whole": divided[1], "part": divided[2], "size": str(whole[0]), "by": str(part), "written": text}
    return None


def _fitting(
    call: WrittenCall, given: list[str], written: list[str], wanted: tuple[int, ...], count: int, own: tuple[int, ...]
) -> str | None:
    """Correct the only size that is neither named nor already right."""
    fitting = {}
    for i, text in enumerate(written):
        others = prod(wanted[:i] + wanted[i + 1 :])
        if text.isdigit() and others > 0 and count % others == 0 and own[i : i + 1] != (wanted[i],):
            fitting[i] = str(count // others)
    if len(fitting) != 1:
        return None
    inner = ", ".join(fitting.get(i, text) for i, text in enumerate(written))
    first = given[0]
    if len(given) == 1 and first[:1] in ("(", "["):
        inner = f"{first[0]}{inner}{',' if len(written) == 1 and first[0] == '(' else ''}{first[-1]}"
    return call.with_arguments(*call.arguments[: call.is_function], inner)


def rows_made(at: FailureContext, tensor: int, rows: int, examples: int) -> dict[str, str] | None:
    """Return the view or reshape that changed the number of rows."""
    trace, operations = at.trace, at.trace.operations
    for _ in range(len(operations)):
        maker = at.run.makers.get(tensor)
        if maker is None or not operations.inputs[maker]:
            return None
        before = operations.inputs[maker][0]
        shape, after = at.run.shape(before), at.run.shape(tensor)
        if at.run.names[maker] in RESHAPES and shape[:1] == (examples,) and after[:1] == (rows,):
            line = str(trace.line(operations.span[maker]))
            values = {"made": shorten_code(at.written(maker)), "line": line, "before": sizes(shape)}
            return values | {"each": str(prod(shape[1:])), "wide": str(prod(after[1:]))}
        tensor = before
    return None


@RULES.rule(r"NotImplementedError: Padding size (?P<count>\d+) is not supported for (?P<axes>\d)D input tensor")
def pad_without_channels(at: FailureContext) -> Explanation:
    """Explain padding by reflection without a channel axis."""
    padded = int(at["count"]) // 2
    return at.explain("pad-without-channels", padded=str(padded), least=str(padded + 1))


@RULES.rule(
    r"ValueError|NotImplementedError: Got (?P<axes>\d)D input, but (?P<mode>\w+) mode needs (?P<wanted>\d)D input"
    r"|Input and output must have the same number of spatial dimensions, but got input with spatial dimensions of "
    r"\[(?P<own>.*?)\] and output size of (?P<size>\(.*?\))"
)
def resized_axes(at: FailureContext) -> Explanation:
    """Explain interpolate with a wrong number of axes for mode or size."""
    if at["axes"]:
        return at.explain("resize-mode-axes")
    own = at["own"]
    return at.explain("resize-size-axes", spatial=f"({own})" if "," in own else f"({own},)", count=own.count(",") + 1)


@RULES.rule(
    r"RuntimeError: The expanded size of the tensor \((?P<wanted>-?\d+)\) must match the existing size "
    r"\((?P<size>\d+)\) at"
    r" non-singleton dimension (?P<axis>\d+)\.\s+Target sizes: (?P<target>\[.*?\])\.\s+Tensor "
    r"sizes: (?P<shape>\[.*?\])"
)
def expand_size(at: FailureContext) -> Explanation:
    """Explain expand along an axis of size above 1, or an assigned value that does not fit."""
    target, own = numbers(at["target"]), numbers(at["shape"])
    if at.function == "__setitem__":
        return _assigned(at, target, own)
    if index := between(own, target):
        method = at.call and at.call.name == "expand" and at.call.receiver
        new = f"{with_suffix(method, index)}.expand({', '.join(at.call.arguments)})" if method else None
        values = {"mask": shorten_code(method or at.code), "mask_shape": sizes(own), "shape": sizes(target)}
        return at.explain("mask-between", new, **values, index=index)
    return at.explain("expand-size")


@RULES.rule(
    r"RuntimeError: expand\(torch\.\w+\{(?P<shape>\[.*?\])\}, size=(?P<target>\[.*?\])\): the number of sizes provided"
)
def expand_axes(at: FailureContext) -> Explanation:
    """Explain expand to fewer axes, or with several values where one is needed."""
    if at.function == "__setitem__":
        return _assigned(at, numbers(at["target"]), numbers(at["shape"]))
    return at.explain("expand-axes")


def _value_assigned(at: FailureContext) -> str:
    """Return the text assigned to the failing place, "" if unclear."""
    target, equals, written = at.statement.text.partition(" = ")
    return written.strip() if equals and target.strip() == at.code else ""


def _assigned(at: FailureContext, place: tuple[int, ...], value: tuple[int, ...]) -> Explanation:
    written, shapes = _value_assigned(at), {"place_shape": sizes(place), "value_shape": sizes(value)}
    if written and place == value[::-1] and len(value) == 2:
        return at.explain("assign-transposed", place=shorten_code(at.code), **shapes)
    kind = "assign-shape" if place else "assign-many-to-one"
    return at.explain(kind, place=shorten_code(at.code), count=str(math.prod(value)), **shapes)


@RULES.rule(r"RuntimeError: Number of dimensions of repeat dims can not be smaller")
def repeat_axes(at: FailureContext) -> Explanation | None:
    """Explain repeat with fewer numbers than axes."""
    call = at.call
    if not at.shapes or call is None:
        return None
    axes, count = len(at.shapes[0]), len(call.arguments)
    return at.explain("repeat-axes", tensor=at.tensor, axes=str(axes), count=str(count))


@RULES.rule(r"RuntimeError: einsum\(\): (fewer|more) operands were provided")
def einsum_operands(at: FailureContext) -> Explanation | None:
    """Explain a number of tensors that differs from einsum's equation."""
    equation = at.arguments.get(0, default=None)
    if not isinstance(equation, str):
        return None
    named = equation.partition("->")[0].count(",") + 1
    return at.explain("einsum-operands", named=str(named), given=str(len(at.inputs)))


CAT = ("torch.cat", "torch.concat", "torch.concatenate")
Shapes = list[tuple[int, ...]]


@RULES.rule(
    r"RuntimeError: stack expects each tensor to be equal size, but got (?P<first>\[.*?\]) at entry (?P<i>\d+) and "
    r"(?P<second>\[.*?\]) at entry (?P<k>\d+)"
)
def stack_shapes(at: FailureContext) -> Explanation:
    """Explain stack of tensors of different shapes."""
    if any(one.is_a(LOADER) for one in at.running):
        return at.explain("batch-of-other-shapes")
    vectors = all(len(shape) == 1 for shape in at.shapes)  # a list made elsewhere was meant as a batch, not a row
    written = re.fullmatch(r"torch\.stack\((\[.*\])\)", at.code, re.DOTALL) if vectors else None
    return at.explain("stack-shapes", f"torch.cat({written[1]})" if written else None)


@RULES.rule(
    r"RuntimeError: Sizes of tensors must match except in dimension (?P<axis>\d+)\. Expected size (?P<m>\d+) but got"
    r" size (?P<n>\d+) for tensor number (?P<k>\d+)"
)
def cat_sizes(at: FailureContext) -> Explanation | None:
    """Explain cat along one axis of tensors that differ along another."""
    given, call, k, new = at.shapes, at.call, int(at["k"]), None
    if len(given) <= k:
        return None
    values = {"first_shape": sizes(given[0]), "other_shape": sizes(given[k])}
    fits = [d for d in range(len(given[0])) if len({shape[:d] + shape[d + 1 :] for shape in given}) == 1]
    if not fits and all(len(shape) == len(given[0]) for shape in given):
        return _unlike(at, values, given)
    if call is not None and len(fits) == 1 and call.head in CAT:
        place = call.place(1, "dim", "axis")
        if place is None and len(call.arguments) == 1:
            new = with_argument(at.code, f"dim={fits[0]}")
        elif place is not None and re.fullmatch(r"-?\d+", call.value(place)):
            new = call.with_argument(place, str(fits[0]))
    return at.explain("cat-sizes", new, **values)


def _unlike(at: FailureContext, values: dict[str, str], given: Shapes) -> Explanation:
    """Explain cat of tensors that fit along no axis: expand, cut or pad them."""
    axis = int(at["axis"])
    differ = [d for d in range(len(given[0])) if len({shape[d] for shape in given}) > 1 and d != axis]
    values = values | {"differ": ", ".join(map(str, differ)), "last": str(len(given[0]) - 1)}
    d = differ[0]
    small = [k for k, shape in enumerate(given) if shape[d] == 1]
    if len(differ) == 1 and small and len({shape[d] for shape in given if shape[d] != 1}) == 1:
        return at.explain("cat-expand", **values)
    spatial = len(given[0]) in (4, 5) and axis == 1 and not {0, 1} & set(differ)
    image = spatial and all(max(shape[d] for shape in given) - min(shape[d] for shape in given) == 1 for d in differ)
    return at.explain("cat-images" if image else "cat-fits-nowhere", **values)


@RULES.rule(r"RuntimeError: Tensors must have same number of dimensions: got (?P<m>\d+) and (?P<n>\d+)", operands=1)
def cat_axes(at: FailureContext) -> Explanation | None:
    """Explain cat of tensors with different numbers of axes."""
    given = at.shapes
    values, raisable = {"shapes": ", ".join(sizes(shape) for shape in given[:6])}, _raisable(at, given)
    if not raisable and (fitting := _repeated(at, given)):
        return at.explain("cat-repeated", **values, **fitting)
    return at.explain("cat-axes" if raisable else "cat-axes-only", **values)


def _raisable(at: FailureContext, given: Shapes) -> bool:
    """Return whether an extra axis of size 1 in the smaller tensors suffices."""
    most, axis = max(map(len, given)), at.arguments.get(1, "dim", "axis", default=0)
    if not isinstance(axis, int) or not -most <= axis < most or any(len(shape) < most - 1 for shape in given):
        return False
    axis %= most
    rest = {shape[:axis] + shape[axis + 1 :] for shape in given if len(shape) == most}
    raised = [{(*s[:d], 1, *s[d:]) for d in range(most)} for s in given if len(s) == most - 1]
    return len(rest) == 1 and all(any(s[:axis] + s[axis + 1 :] in rest for s in each) for each in raised)


def _repeated(at: FailureContext, given: Shapes) -> dict[str, str] | None:
    """Return the missing axis of a tensor one step short, with joinable shapes."""
    if len(given) != 2 or {len(shape) for shape in given} != {2, 3}:
        return None
    k = 0 if len(given[0]) == 2 else 1
    flat, deep = given[k], given[1 - k]
    if flat[0] != deep[0]:
        return None
    names = [shorten_code(at.name(tensor)) or "?" for tensor in at.inputs]
    values = {"flat": names[k], "deep": names[1 - k], "flat_shape": sizes(flat), "deep_shape": sizes(deep)}
    values |= {"steps": str(deep[1]), "long": sizes((*deep[:2], deep[2] + flat[1]))}
    return values | {"short": sizes((flat[0], deep[2] + flat[1])), "one": sizes((deep[0], deep[2]))}


@RULES.rule(r"RuntimeError: zero-dimensional tensor \(at position (\d+)\) cannot be concatenated")
def cat_scalars(at: FailureContext) -> Explanation:
    """Explain cat of tensors without axes."""
    return at.explain("cat-scalars", others="yes" if any(at.shapes) else "no")


RULES.rule(
    r"RuntimeError: Padding length should be less than or equal to two times the input dimension "
    r"but got padding length (?P<count>\d+) and input of dimension (?P<axes>\d+)"
)(lambda at: at.explain("pad-of-more-axes", most=2 * int(at["axes"])))
RULES.rule(
    r"RuntimeError: unflatten: Provided sizes (?P<shape>\[.*?\]) don't multiply up to the size of "
    r"dim (?P<axis>-?\d+) \((?P<size>\d+)\)"
)(lambda at: at.explain("unflatten-size", places=str(math.prod(numbers(at["shape"])))))
RULES.rule(
    r"RuntimeError: shape mismatch: value tensor of shape (?P<value>\[.*?\]) cannot be broadcast to "
    r"indexing result of shape (?P<own>\[.*?\])"
)(lambda at: _assigned(at, numbers(at["own"]), numbers(at["value"])))
RULES.rule(
    r"RuntimeError: split_with_sizes expects split_sizes to sum exactly to (?P<size>\d+) "
    r".*?split_sizes=(?P<sizes>\[.*?\])"
)(lambda at: at.explain("split-sum", total=str(sum(numbers(at["sizes"])))))
RULES.rule(
    r"RuntimeError: random_ expects 'from' to be less than 'to', but got from=(?P<low>-?\d+) >= "
    r"to=(?P<high>-?\d+)"
)(lambda at: at.explain("randint-bounds", low=at["low"].replace("-", "−"), high=at["high"].replace("-", "−")))
