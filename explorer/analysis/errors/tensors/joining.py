"""Tensors that cannot be joined: stack and cat of other shapes, of nothing, of scalars, without a list."""

import re

from explorer.analysis.errors.explanations import changed
from explorer.analysis.errors.expressions import called, items, numbers, postfixed, shown, sizes
from explorer.analysis.errors.failure_facts import Stopped
from explorer.analysis.errors.rule import Explanation, rule
from explorer.analysis.errors.tensors.call_facts import arguments, shapes
from explorer.analysis.errors.text_edits import with_argument


@rule(
    "RuntimeError",
    r"stack expects each tensor to be equal size, but got (\[.*?\]) at entry (\d+) and (\[.*?\]) at entry (\d+)",
)
def stack_shapes(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """stack of tensors of different shapes."""
    first, i, second, k = found.groups()
    values = {"first": sizes(numbers(first)), "i": i, "second": sizes(numbers(second)), "k": k}
    loads = any("DataLoader(" in cell.source for cell in stopped.trace.cells)
    if loads and "stack(" not in stopped.code:
        return changed(stopped, "batch-of-other-shapes", values)
    vectors = all(
        len(shape) == 1 for shape in shapes(stopped)
    )  # of a list made elsewhere a batch was wanted, not one row
    written = re.fullmatch(r"torch\.stack\((\[.*\])\)", stopped.code, re.DOTALL) if vectors else None
    return changed(stopped, "stack-shapes", values, f"torch.cat({written[1]})" if written else None)


@rule("RuntimeError|ValueError", r"(?:stack expects a non-empty TensorList|expected a non-empty list of Tensors)")
def joined_nothing(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """cat or stack of an empty list."""
    return changed(stopped, "join-nothing", {"code": shown(stopped.code)})


@rule(
    "RuntimeError",
    r"Sizes of tensors must match except in dimension (\d+)\. Expected size (\d+) but got"
    r" size (\d+) for tensor number (\d+)",
)
def cat_sizes(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """cat along one axis of tensors that differ along another."""
    axis, given = int(found.group(1)), shapes(stopped)
    k = int(found.group(4))
    if len(given) <= k:
        return None
    values = {
        "axis": str(axis),
        "first_shape": sizes(given[0]),
        "other_shape": sizes(given[k]),
        "k": str(k),
        "m": found.group(2),
        "n": found.group(3),
    }
    differ = [d for d in range(len(given[0])) if len({shape[d] for shape in given}) > 1 and d != axis]
    call, new = called(stopped.code), None
    fits = [d for d in range(len(given[0])) if len({shape[:d] + shape[d + 1 :] for shape in given}) == 1]
    if not fits and any(len(shape) != len(given[0]) for shape in given):
        return changed(stopped, "cat-sizes", values)
    if not fits:
        return _unlike(stopped, values, given, axis, differ)
    if call is not None and len(fits) == 1 and call.head in ("torch.cat", "torch.concat", "torch.concatenate"):
        at = call.place(1, "dim", "axis")
        if at is None and len(call.arguments) == 1:
            new = with_argument(stopped.code, f"dim={fits[0]}")
        elif at is not None and re.fullmatch(r"-?\d+", call.value(at)):
            new = call.with_argument(at, str(fits[0]))
    return changed(stopped, "cat-sizes", values, new)


def _unlike(
    stopped: Stopped, values: dict[str, str], given: list[tuple[int, ...]], axis: int, differ: list[int]
) -> Explanation:
    """cat of tensors that fit along no axis: expand one, or cut or pad them."""
    values = values | {"differ": _axes(differ), "last": str(len(given[0]) - 1)}
    d, small = differ[0], [k for k, shape in enumerate(given) if shape[differ[0]] == 1]
    others = {shape[d] for shape in given if shape[d] != 1}
    if len(differ) == 1 and len(others) == 1 and small:
        return changed(stopped, "cat-expand", values, _expanded(stopped, given, d, small))
    spatial = len(given[0]) in (4, 5) and axis == 1 and not {0, 1} & set(differ)
    image = spatial and all(max(shape[d] for shape in given) - min(shape[d] for shape in given) == 1 for d in differ)
    return changed(stopped, "cat-images" if image else "cat-fits-nowhere", values)


def _axes(axes: list[int]) -> str:
    """Axes in a sentence, as Fluent's messages join them: 2, 3."""
    return ", ".join(map(str, axes))


def _expanded(stopped: Stopped, given: list[tuple[int, ...]], axis: int, small: list[int]) -> str | None:
    """cat of a list written in place, those with one entry along an axis expanded to the size of the others there."""
    call = called(stopped.code)
    listed = call.arguments[0] if call and call.arguments and call.head in ("torch.cat", "torch.concat") else ""
    pieces = list(items(listed))
    large = next((k for k in range(len(given)) if k not in small), None)
    if call is None or len(pieces) != len(given) or large is None or not re.fullmatch(r"[\w.]+", pieces[large]):
        return None
    sizes_to = ", ".join(f"{pieces[large]}.shape[{axis}]" if d == axis else "-1" for d in range(len(given[0])))
    for k in small:
        pieces[k] = postfixed(pieces[k], f".expand({sizes_to})")
    return call.with_argument(0, f"{listed[0]}{', '.join(pieces)}{listed[-1]}")


@rule("RuntimeError", r"Tensors must have same number of dimensions: got (\d+) and (\d+)")
def cat_axes(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """cat of tensors with different numbers of axes."""
    given = shapes(stopped)
    if not given:
        return None
    values = {"m": found.group(1), "n": found.group(2), "shapes": ", ".join(sizes(shape) for shape in given[:6])}
    if fitting := _repeated(stopped, given):
        return changed(stopped, "cat-repeated", values | fitting)
    return changed(
        stopped, "cat-axes" if _raisable(stopped, given) else "cat-axes-only", values, _raised(stopped, given)
    )


def _axis(stopped: Stopped, axes: int) -> int | None:
    """The axis of the call, from 0."""
    axis = arguments(stopped).get(1, "dim", "axis", default=0)
    return axis % axes if isinstance(axis, int) and -axes <= axis < axes else None


def _raisable(stopped: Stopped, given: list[tuple[int, ...]]) -> bool:
    """Whether one more axis of size 1 in the smaller ones makes all of them fit."""
    most = max(map(len, given))
    axis = _axis(stopped, most)
    whole = [shape for shape in given if len(shape) == most]
    if axis is None or any(len(shape) < most - 1 for shape in given):
        return False
    rest = {shape[:axis] + shape[axis + 1 :] for shape in whole}
    small = [shape for shape in given if len(shape) == most - 1]
    raised = [{(*shape[:d], 1, *shape[d:]) for d in range(most)} for shape in small]
    fits = [any(shape[:axis] + shape[axis + 1 :] in rest for shape in each) for each in raised]
    return len(rest) == 1 and all(fits)


def _repeated(stopped: Stopped, given: list[tuple[int, ...]]) -> dict[str, str] | None:
    """For two tensors, one a step short: the size of its missing axis, and the shapes that can be joined."""
    if len(given) != 2 or {len(shape) for shape in given} != {2, 3} or _raisable(stopped, given):
        return None
    k = 0 if len(given[0]) == 2 else 1
    flat, deep = given[k], given[1 - k]
    if flat[0] != deep[0]:
        return None
    names = [shown(stopped.name(input_)) or "?" for input_ in stopped.inputs]
    values = {"flat": names[k], "deep": names[1 - k], "flat_shape": sizes(flat), "deep_shape": sizes(deep)}
    values |= {"steps": str(deep[1]), "long": sizes((*deep[:2], deep[2] + flat[1]))}
    return values | {"short": sizes((flat[0], deep[2] + flat[1])), "one": sizes((deep[0], deep[2]))}


def _raised(stopped: Stopped, given: list[tuple[int, ...]]) -> str | None:
    """cat of a list written in place, with vectors made rows or columns of the matrices beside them."""
    call, axis = called(stopped.code), arguments(stopped).get(1, "dim", "axis", default=0)
    if (
        call is None
        or call.head not in ("torch.cat", "torch.concat")
        or not isinstance(axis, int)
        or axis not in (0, 1, -1, -2)
        or not call.arguments
    ):
        return None
    listed, axis = call.arguments[0], axis % 2
    pieces = list(items(listed))
    matrices = {size[1 - axis] for size in given if len(size) == 2}
    if len(pieces) != len(given) or len(matrices) != 1 or not all(len(size) in (1, 2) for size in given):
        return None
    for i, shape in enumerate(given):
        if len(shape) == 1 and shape[0] in matrices:
            pieces[i] = postfixed(pieces[i], f".unsqueeze({axis})")
        elif len(shape) == 1:
            return None
    return call.with_argument(0, f"{listed[0]}{', '.join(pieces)}{listed[-1]}")


@rule("RuntimeError", r"zero-dimensional tensor \(at position (\d+)\) cannot be concatenated")
def cat_scalars(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """cat of tensors without an axis."""
    call, joined = called(stopped.code), arguments(stopped)
    only_them = len(joined.positional) < 2 and not joined.named
    alone = call is not None and call.head == "torch.cat" and not any(shapes(stopped)) and only_them
    new = f"torch.stack({', '.join(call.arguments)})" if alone else None
    return changed(stopped, "cat-scalars", {"code": shown(stopped.code)}, new)


@rule(
    "TypeError",
    r"(cat|stack|hstack|vstack|concat)\(\): argument 'tensors' \(position 1\) must be tuple of Tensors, not Tensor",
)
def joined_without_list(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """cat or stack of tensors without a list around them."""
    call, trace, new = called(stopped.code), stopped.trace, None
    if call is not None and len(call.arguments) > 1:
        bound = [trace.bound(argument) for argument in call.arguments]
        if all(tensor is not None for tensor in bound) and len({stopped.shape(tensor) for tensor in bound}) == 1:
            new = call.with_arguments(f"({', '.join(call.arguments)})") if stopped.shape(bound[0]) else None
    return changed(stopped, "join-needs-a-list", {"code": shown(stopped.code), "function": found.group(1)}, new)


RULES = (stack_shapes, joined_nothing, cat_sizes, cat_axes, cat_scalars, joined_without_list)
