"""Impossible shapes: reshape, view, expand, permute, sizes of new tensors, einsum."""

import math
import re

from explorer.analysis.errors.rule import Explanation, FailureContext, Rules, numbers, sizes
from explorer.analysis.errors.tensors.shapes import between
from explorer.analysis.source import shorten_code, with_argument, with_suffix

RULES = Rules()


@RULES.rule("RuntimeError", r"view size is not compatible with input tensor's size and stride")
def view_of_strided(at: FailureContext) -> Explanation | None:
    """view() of a tensor whose entries do not lie in order."""
    call = at.call
    if call is None or not at.shapes:
        return None
    method = call.name == "view" and not call.is_function
    new = f"{call.receiver}.reshape({', '.join(call.arguments)})" if method else None
    return at.explain("view-not-contiguous", new, tensor=at.subject, shape=sizes(at.shapes[0]))


@RULES.rule(
    "RuntimeError",
    r"unflatten: Provided sizes (?P<shape>\[.*?\]) don't multiply up to the size of "
    r"dim (?P<axis>-?\d+) \((?P<size>\d+)\)",
)
def unflatten_size(at: FailureContext) -> Explanation:
    """unflatten into sizes whose product is wrong."""
    return at.explain("unflatten-size", places=str(math.prod(numbers(at["shape"]))))


@RULES.rule(
    "RuntimeError",
    r"The expanded size of the tensor \((?P<wanted>-?\d+)\) must match the existing size \((?P<size>\d+)\) at"
    r" non-singleton dimension (?P<axis>\d+)\.\s+Target sizes: (?P<target>\[.*?\])\.\s+Tensor "
    r"sizes: (?P<shape>\[.*?\])",
)
def expand_size(at: FailureContext) -> Explanation:
    """expand along an axis that is not of size 1, or a value that does not fill the place it is assigned to."""
    target, own = numbers(at["target"]), numbers(at["shape"])
    if at.operation_name == "__setitem__":
        return _assigned(at, target, own)
    if index := between(own, target):
        method = at.call and at.call.name == "expand" and at.call.receiver
        new = f"{with_suffix(method, index)}.expand({', '.join(at.call.arguments)})" if method else None
        values = {"mask": shorten_code(method or at.code), "mask_shape": sizes(own), "shape": sizes(target)}
        return at.explain("mask-between", new, **values, index=index)
    return at.explain("expand-size")


@RULES.rule(
    "RuntimeError",
    r"expand\(torch\.\w+\{(?P<shape>\[.*?\])\}, size=(?P<target>\[.*?\])\): the number of sizes provided",
)
def expand_axes(at: FailureContext) -> Explanation:
    """expand to fewer axes, or several values for one place."""
    if at.operation_name == "__setitem__":
        return _assigned(at, numbers(at["target"]), numbers(at["shape"]))
    return at.explain("expand-axes")


@RULES.rule(
    "RuntimeError",
    r"shape mismatch: value tensor of shape (?P<value>\[.*?\]) cannot be broadcast to "
    r"indexing result of shape (?P<own>\[.*?\])",
)
def assigned_to_mask(at: FailureContext) -> Explanation:
    """A value that does not fill the entries a mask or a list of indices picks."""
    return _assigned(at, numbers(at["own"]), numbers(at["value"]))


def _value_assigned(at: FailureContext) -> str:
    """The text that is assigned to the failing place, "" if that is not clear."""
    target, equals, written = at.statement.text.partition(" = ")
    return written.strip() if equals and target.strip() == at.code else ""


def _assigned(at: FailureContext, place: tuple[int, ...], value: tuple[int, ...]) -> Explanation:
    written, shapes = _value_assigned(at), {"place_shape": sizes(place), "value_shape": sizes(value)}
    if written and place == value[::-1] and len(value) == 2:
        repair = at.statement.replace(f"{at.code} = {with_suffix(written, '.T')}")
        return at.explain("assign-transposed", repair, place=shorten_code(at.code), **shapes)
    kind = "assign-shape" if place else "assign-many-to-one"
    return at.explain(kind, place=shorten_code(at.code), count=str(math.prod(value)), **shapes)


@RULES.rule("TypeError", r"can't assign a (?P<given>list|tuple|str|ndarray|numpy\.ndarray|NoneType) to a torch\.(\w+)")
def assigned_other(at: FailureContext) -> Explanation:
    """Something else than a number or a tensor assigned to entries."""
    if at["given"] not in ("list", "tuple"):
        return at.explain("assign-not-a-number", place=shorten_code(at.code))
    positional, written, shapes = at.arguments.positional, _value_assigned(at), at.shapes
    fits = written and len(positional) == 3 and shapes and _fills(shapes[0], *positional[1:])
    repair = at.statement.replace(f"{at.code} = torch.tensor({written})") if fits else None
    return at.explain("assign-list", repair, place=shorten_code(at.code))


def _fills(shape: tuple[int, ...], index: object, value: object) -> bool:
    """Whether a flat list fills the entries of a vector's slice, or a row of a matrix."""
    if not isinstance(value, list | tuple) or not all(isinstance(entry, int | float) for entry in value):
        return False
    if isinstance(index, slice) and len(shape) == 1:
        whole = all(bound is None or type(bound) is int for bound in (index.start, index.stop, index.step))
        return whole and index.step != 0 and len(range(*index.indices(shape[0]))) == len(value)
    return type(index) is int and len(shape) == 2 and shape[1] == len(value)


@RULES.rule("RuntimeError", r"input\.dim\(\) = (?P<axes>\d+) is not equal to len\(dims\) = (?P<given>\d+)")
def permute_count(at: FailureContext) -> Explanation:
    """permute with another number of axes than the tensor has."""
    return at.explain("permute-count", tensor=at.subject)


@RULES.rule("RuntimeError", r"t\(\) expects a tensor with <= 2 dimensions, but self is (?P<axes>\d+)D")
def transposed_batch(at: FailureContext) -> Explanation:
    """t() of more than two axes."""
    method = at.call and at.call.name == "t" and not at.call.is_function
    return at.explain("t-of-many-axes", f"{at.call.receiver}.transpose(-2, -1)" if method else None, tensor=at.subject)


@RULES.rule("RuntimeError", r"Number of dimensions of repeat dims can not be smaller")
def repeat_axes(at: FailureContext) -> Explanation | None:
    """repeat with fewer numbers than axes."""
    call = at.call
    if not at.shapes or call is None:
        return None
    axes, count = len(at.shapes[0]), len(call.arguments)
    simple = call.name == "repeat" and all(re.fullmatch(r"\w+", argument) for argument in call.arguments)
    new = call.with_arguments(*call.arguments, *["1"] * (axes - count)) if simple else None
    return at.explain("repeat-axes", new, tensor=at.subject, axes=str(axes), count=str(count))


@RULES.rule(
    "RuntimeError",
    r"split_with_sizes expects split_sizes to sum exactly to (?P<size>\d+) .*?split_sizes=(?P<sizes>\[.*?\])",
)
def split_sum(at: FailureContext) -> Explanation:
    """split into sizes that do not add up."""
    return at.explain("split-sum", total=str(sum(numbers(at["sizes"]))))


@RULES.rule(
    "RuntimeError", r"upper bound and lower bound inconsistent with step sign|upper bound and larger bound inconsistent"
)
def arange_direction(at: FailureContext) -> Explanation:
    """arange that never comes to its end."""
    down = at.call and len(at.call.arguments) == 2 == len(at.arguments.positional) and not at.arguments.named
    return at.explain("arange-direction", with_argument(at.code, "-1") if down else None)


@RULES.rule(
    "TypeError", r"linspace\(\) received an invalid combination of arguments - got \((?:int|float), (?:int|float)\)"
)
def linspace_steps(at: FailureContext) -> Explanation:
    """linspace without the number of points."""
    two = at.call and len(at.call.arguments) == 2
    return at.explain("linspace-steps", with_argument(at.code, "steps=100") if two else None)


@RULES.rule(
    "RuntimeError", r"random_ expects 'from' to be less than 'to', but got from=(?P<low>-?\d+) >= to=(?P<high>-?\d+)"
)
def randint_bounds(at: FailureContext) -> Explanation:
    """randint from a number that is not below the end."""
    return at.explain("randint-bounds", low=at["low"].replace("-", "−"), high=at["high"].replace("-", "−"))


@RULES.rule("TypeError", r"randint\(\): argument 'size' \(position (?P<position>\d)\) must be tuple of ints, not int")
def randint_size(at: FailureContext) -> Explanation:
    """randint without a tuple for the size."""
    call, position, new = at.call, int(at["position"]), None
    if call is not None and len(call.arguments) == position == 2:
        low, high = call.arguments
        counted = re.fullmatch(r"\d{1,9}", low) and re.fullmatch(r"\d{1,9}", high) and int(low) >= int(high)
        new = call.with_arguments(low, f"({high},)") if counted else call.with_arguments(low, high, "(1,)")
    elif call is not None and len(call.arguments) == 3 == position:
        new = call.with_argument(2, f"({call.value(2)},)")
    return at.explain("randint-size", new)


@RULES.rule(
    "TypeError",
    r"\w+\(\): argument 'size'.*? must be tuple of (?:ints|SymInts), (?P<what>not|but found element of type) float|"
    r"^(?:zeros|ones|empty|rand|randn)\(\) takes 1 positional argument but \d+ were given",
)
def size_not_whole(at: FailureContext) -> Explanation | None:
    """A size with a fraction, often made by /."""
    call = at.call
    if not at["what"] and not re.search(r"(?<!/)/(?!/)", at.code):
        return None  # one of several arguments is no size, which of them is not said
    halved = [i for i, argument in enumerate(call.arguments) if re.fullmatch(r"\w+ ?/ ?\w+", argument)] if call else []
    new = call.with_argument(halved[0], call.arguments[halved[0]].replace("/", "//")) if len(halved) == 1 else None
    return at.explain("size-not-whole", new)


@RULES.rule("RuntimeError", r"einsum\(\): (fewer|more) operands were provided")
def einsum_operands(at: FailureContext) -> Explanation | None:
    """Another number of tensors than the equation of einsum names."""
    equation = re.search(r"['\"]([^'\"]{1,200})['\"]", at.code)
    if equation is None:
        return None
    named = equation[1].partition("->")[0].count(",") + 1
    return at.explain("einsum-operands", named=str(named), given=str(len(at.inputs)))


RULES.message_rules(
    {
        r"RuntimeError: only one dimension can be inferred": "reshape-two-unknown",
        r"RuntimeError: permute\(\): duplicate dims|dim (-?\d+) appears multiple times in the "
        r"list of dims": "axis-twice",
        r"RuntimeError: (?:negative dimension (-\d+)|Dimension size must be non-negative|must be greater "
        r"or equal to 0, got (-\d+)|number of steps must be non-negative)": "negative-size",
        r"RuntimeError: step must be nonzero": "arange-step-zero",
        r"RuntimeError: einsum\(\): subscript (?P<letter>\w) has size (?P<size>\d+) for operand "
        r"(?P<operand>\d+) which does not broadcast with previously seen size (?P<seen>\d+)": "einsum-sizes",
        r"RuntimeError: einsum\(\): the number of subscripts in the equation \((?P<letters>\d+)\) does "
        r"not match the number of dimensions \((?P<axes>\d+)\) for operand (?P<operand>\d+)": "einsum-letters",
        r"RuntimeError: einsum\(\): output subscript (?P<letter>\w) does not appear": "einsum-output",
    }
)
