"""Impossible shapes: reshape, view, expand, permute, sizes of new tensors, einsum."""

import math
import re

from explorer.analysis.errors.explanations import changed
from explorer.analysis.errors.expressions import called, numbers, postfixed, shown, sizes
from explorer.analysis.errors.failure_facts import Stopped
from explorer.analysis.errors.rule import Explanation, rule
from explorer.analysis.errors.tensors.call_facts import arguments, operation_name, shapes, statement, subject
from explorer.analysis.errors.text_edits import with_argument


@rule("RuntimeError", r"only one dimension can be inferred")
def reshape_two_unknown(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """More than one -1 in a shape."""
    return changed(stopped, "reshape-two-unknown", {"code": shown(stopped.code)})


@rule("RuntimeError", r"view size is not compatible with input tensor's size and stride")
def view_of_strided(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """view() of a tensor whose entries do not lie in order."""
    call, given = called(stopped.code), shapes(stopped)
    if call is None or not given:
        return None
    new = (
        f"{call.receiver}.reshape({', '.join(call.arguments)})"
        if call.name == "view" and not call.is_function
        else None
    )
    values = {"tensor": shown(subject(stopped, call)) or "?", "shape": sizes(given[0])}
    return changed(stopped, "view-not-contiguous", values, new)


@rule("RuntimeError", r"unflatten: Provided sizes (\[.*?\]) don't multiply up to the size of dim (-?\d+) \((\d+)\)")
def unflatten_size(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """unflatten into sizes whose product is wrong."""
    wanted = numbers(found.group(1))
    values = {"axis": found.group(2), "size": found.group(3), "shape": sizes(wanted), "places": str(math.prod(wanted))}
    return changed(stopped, "unflatten-size", values)


@rule(
    "RuntimeError",
    r"The expanded size of the tensor \((-?\d+)\) must match the existing size \((\d+)\) at"
    r" non-singleton dimension (\d+)"
    r"\.\s+Target sizes: (\[.*?\])\.\s+Tensor sizes: (\[.*?\])",
)
def expand_size(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """expand along an axis that is not of size 1, or a value that does not fill the place it is assigned to."""
    wanted, size, axis, target, have = found.groups()
    if operation_name(stopped) == "__setitem__":
        return _assigned(stopped, numbers(target), numbers(have))
    values = {
        "code": shown(stopped.code),
        "wanted": wanted,
        "size": size,
        "axis": axis,
        "target": sizes(numbers(target)),
        "shape": sizes(numbers(have)),
    }
    return changed(stopped, "expand-size", values)


@rule("RuntimeError", r"expand\(torch\.\w+\{(\[.*?\])\}, size=(\[.*?\])\): the number of sizes provided")
def expand_axes(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """expand to fewer axes, or several values for one place."""
    have, target = numbers(found.group(1)), numbers(found.group(2))
    if operation_name(stopped) == "__setitem__":
        return _assigned(stopped, target, have)
    return changed(stopped, "expand-axes", {"code": shown(stopped.code), "shape": sizes(have), "target": sizes(target)})


@rule(
    "RuntimeError",
    r"shape mismatch: value tensor of shape (\[.*?\]) cannot be broadcast to indexing result of shape (\[.*?\])",
)
def assigned_to_mask(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A value that does not fill the entries a mask or a list of indices picks."""
    return _assigned(stopped, numbers(found.group(2)), numbers(found.group(1)))


def _assigned(stopped: Stopped, place: tuple[int, ...], value: tuple[int, ...]) -> Explanation:
    values = {"place": shown(stopped.code), "place_shape": sizes(place), "value_shape": sizes(value)}
    span, code = statement(stopped)
    target, equals, written = code.partition(" = ")
    if equals and target.strip() == stopped.code and place == value[::-1] and len(value) == 2:
        return changed(stopped, "assign-transposed", values, f"{target} = {postfixed(written.strip(), '.T')}", span)
    if not place:
        return changed(stopped, "assign-many-to-one", values | {"count": str(math.prod(value))})
    return changed(stopped, "assign-shape", values)


@rule("TypeError", r"can't assign a (list|tuple|str|ndarray|numpy\.ndarray|NoneType) to a torch\.(\w+)")
def assigned_other(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """Something else than a number or a tensor assigned to entries."""
    kind, values = found.group(1), {"place": shown(stopped.code), "given": found.group(1)}
    if kind not in ("list", "tuple"):
        return changed(stopped, "assign-not-a-number", values)
    span, code = statement(stopped)
    positional, given = arguments(stopped).positional, shapes(stopped)
    target, equals, written = code.partition(" = ")
    new = None
    if (
        equals
        and target.strip() == stopped.code
        and len(positional) == 3
        and given
        and _fills(given[0], *positional[1:])
    ):
        new = f"{target} = torch.tensor({written.strip()})"
    return changed(stopped, "assign-list", values, new, span)


def _fills(shape: tuple[int, ...], index: object, value: object) -> bool:
    """Whether a flat list fills the entries of a vector's slice, or a row of a matrix."""
    if not isinstance(value, list | tuple) or not all(isinstance(entry, int | float) for entry in value):
        return False
    if isinstance(index, slice) and len(shape) == 1:
        whole = all(bound is None or type(bound) is int for bound in (index.start, index.stop, index.step))
        return whole and index.step != 0 and len(range(*index.indices(shape[0]))) == len(value)
    return type(index) is int and len(shape) == 2 and shape[1] == len(value)


@rule("RuntimeError", r"input\.dim\(\) = (\d+) is not equal to len\(dims\) = (\d+)")
def permute_count(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """permute with another number of axes than the tensor has."""
    values = {
        "tensor": shown(subject(stopped, called(stopped.code))) or "?",
        "axes": found.group(1),
        "given": found.group(2),
    }
    return changed(stopped, "permute-count", values)


@rule("RuntimeError", r"permute\(\): duplicate dims|dim (-?\d+) appears multiple times in the list of dims")
def axis_twice(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """One axis named twice."""
    return changed(stopped, "axis-twice", {"code": shown(stopped.code)})


@rule("RuntimeError", r"t\(\) expects a tensor with <= 2 dimensions, but self is (\d+)D")
def transposed_batch(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """t() of more than two axes."""
    call = called(stopped.code)
    new = f"{call.receiver}.transpose(-2, -1)" if call and call.name == "t" and not call.is_function else None
    values = {"tensor": shown(subject(stopped, call)) or "?", "axes": found.group(1)}
    return changed(stopped, "t-of-many-axes", values, new)


@rule("RuntimeError", r"Number of dimensions of repeat dims can not be smaller")
def repeat_axes(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """repeat with fewer numbers than axes."""
    given, call = shapes(stopped), called(stopped.code)
    if not given or call is None:
        return None
    values = {"tensor": shown(subject(stopped, call)), "axes": str(len(given[0])), "count": str(len(call.arguments))}
    new = call.with_arguments(*call.arguments, *["1"] * (len(given[0]) - len(call.arguments)))
    simple = call.name == "repeat" and all(re.fullmatch(r"\w+", argument) for argument in call.arguments)
    return changed(stopped, "repeat-axes", values, new if simple else None)


@rule("RuntimeError", r"split_with_sizes expects split_sizes to sum exactly to (\d+) .*?split_sizes=(\[.*?\])")
def split_sum(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """split into sizes that do not add up."""
    total = sum(numbers(found.group(2)))
    return changed(stopped, "split-sum", {"code": shown(stopped.code), "size": found.group(1), "total": str(total)})


@rule(
    "RuntimeError",
    r"(?:negative dimension (-\d+)|Dimension size must be non-negative|must be greater or"
    r" equal to 0, got (-\d+)|number of steps must be non-negative)",
)
def negative_size(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A size below zero."""
    return changed(stopped, "negative-size", {"code": shown(stopped.code)})


@rule(
    "RuntimeError", r"upper bound and lower bound inconsistent with step sign|upper bound and larger bound inconsistent"
)
def arange_direction(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """arange that never comes to its end."""
    call, bounds = called(stopped.code), arguments(stopped)
    down = call is not None and len(call.arguments) == 2 == len(bounds.positional) and not bounds.named
    return changed(
        stopped, "arange-direction", {"code": shown(stopped.code)}, with_argument(stopped.code, "-1") if down else None
    )


@rule("RuntimeError", r"step must be nonzero")
def arange_step(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """arange with step 0."""
    return changed(stopped, "arange-step-zero", {"code": shown(stopped.code)})


@rule("TypeError", r"linspace\(\) received an invalid combination of arguments - got \((?:int|float), (?:int|float)\)")
def linspace_steps(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """linspace without the number of points."""
    call = called(stopped.code)
    new = with_argument(stopped.code, "steps=100") if call and len(call.arguments) == 2 else None
    return changed(stopped, "linspace-steps", {"code": shown(stopped.code)}, new)


@rule("RuntimeError", r"random_ expects 'from' to be less than 'to', but got from=(-?\d+) >= to=(-?\d+)")
def randint_bounds(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """randint from a number that is not below the end."""
    values = {"low": found.group(1).replace("-", "−"), "high": found.group(2).replace("-", "−")}
    return changed(stopped, "randint-bounds", values)


@rule("TypeError", r"randint\(\): argument 'size' \(position (\d)\) must be tuple of ints, not int")
def randint_size(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """randint without a tuple for the size."""
    call, at = called(stopped.code), int(found.group(1))
    new = None
    if call is not None and len(call.arguments) == at == 2:
        low, high = call.arguments
        counted = re.fullmatch(r"\d{1,9}", low) and re.fullmatch(r"\d{1,9}", high) and int(low) >= int(high)
        new = call.with_arguments(low, f"({high},)") if counted else call.with_arguments(low, high, "(1,)")
    elif call is not None and len(call.arguments) == 3 == at:
        new = call.with_argument(2, f"({call.value(2)},)")
    return changed(stopped, "randint-size", {"code": shown(stopped.code)}, new)


@rule(
    "TypeError",
    r"(\w+)\(\): argument 'size'.*? must be tuple of (?:ints|SymInts), (?:not|but found element of type) float|"
    r"^(?:zeros|ones|empty|rand|randn)\(\) takes 1 positional argument but \d+ were given",
)
def size_not_whole(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A size with a fraction, often made by /."""
    call = called(stopped.code)
    if found.group(1) is None and not re.search(r"(?<!/)/(?!/)", shown(stopped.code)):
        return None  # one of several arguments is no size, which of them is not said
    halved = [i for i, argument in enumerate(call.arguments) if re.fullmatch(r"\w+ ?/ ?\w+", argument)] if call else []
    new = call.with_argument(halved[0], call.arguments[halved[0]].replace("/", "//")) if len(halved) == 1 else None
    return changed(stopped, "size-not-whole", {"code": shown(stopped.code)}, new)


@rule(
    "RuntimeError",
    r"einsum\(\): subscript (\w) has size (\d+) for operand (\d+) which does not broadcast"
    r" with previously seen size (\d+)",
)
def einsum_sizes(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """An einsum index used for axes of two sizes."""
    letter, size, operand, seen = found.groups()
    values = {"letter": letter, "size": size, "operand": operand, "seen": seen}
    return changed(stopped, "einsum-sizes", values)


@rule(
    "RuntimeError",
    r"einsum\(\): the number of subscripts in the equation \((\d+)\) does not match the"
    r" number of dimensions \((\d+)\) for operand (\d+)",
)
def einsum_letters(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """An operand of einsum with another number of axes than letters."""
    return changed(
        stopped, "einsum-letters", {"letters": found.group(1), "axes": found.group(2), "operand": found.group(3)}
    )


@rule("RuntimeError", r"einsum\(\): (fewer|more) operands were provided")
def einsum_operands(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """Another number of tensors than the equation of einsum names."""
    equation, given = re.search(r"['\"]([^'\"]{1,200})['\"]", stopped.code), len(stopped.inputs)
    if equation is None:
        return None
    named = equation.group(1).partition("->")[0].count(",") + 1
    return changed(stopped, "einsum-operands", {"named": str(named), "given": str(given)})


@rule("RuntimeError", r"einsum\(\): output subscript (\w) does not appear")
def einsum_output(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A letter of the result of einsum that no operand has."""
    return changed(stopped, "einsum-output", {"letter": found.group(1)})


RULES = (
    reshape_two_unknown,
    view_of_strided,
    unflatten_size,
    expand_size,
    expand_axes,
    assigned_to_mask,
    assigned_other,
    permute_count,
    axis_twice,
    transposed_batch,
    repeat_axes,
    split_sum,
    negative_size,
    arange_direction,
    arange_step,
    linspace_steps,
    randint_bounds,
    randint_size,
    size_not_whole,
    einsum_sizes,
    einsum_letters,
    einsum_operands,
    einsum_output,
)
