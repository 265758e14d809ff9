"""Tensors that cannot be joined: stack and cat of other shapes, of nothing, of scalars, without a list."""

import re

from explorer.explain.editing import with_argument
from explorer.explain.expressions import called, numbers, parts, postfixed, shown, sizes
from explorer.explain.rule import Explanation, rule
from explorer.explain.stopped import Stopped
from explorer.explain.telling import changed
from explorer.explain.tensors.given import arguments, shapes


@rule(
    "RuntimeError",
    r"stack expects each tensor to be equal size, but got (\[.*?\]) at entry (\d+) and (\[.*?\]) at entry (\d+)",
)
def stack_shapes(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """stack of tensors of different shapes."""
    first, i, second, k = found.groups()
    values = {"first": sizes(numbers(first)), "i": i, "second": sizes(numbers(second)), "k": k}
    loads = any("DataLoader(" in one.source for one in stopped.trace.cells)
    if loads and "stack(" not in stopped.code:
        return changed(stopped, "batch-of-other-shapes", values)
    vectors = all(len(one) == 1 for one in shapes(stopped))  # of a list made elsewhere a batch was wanted, not one row
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
    fits = [d for d in range(len(given[0])) if len({one[:d] + one[d + 1 :] for one in given}) == 1]
    call, new = called(stopped.code), None
    if call is not None and len(fits) == 1 and call.head in ("torch.cat", "torch.concat", "torch.concatenate"):
        at = call.place(1, "dim", "axis")
        if at is None and len(call.arguments) == 1:
            new = with_argument(stopped.code, f"dim={fits[0]}")
        elif at is not None and re.fullmatch(r"-?\d+", call.value(at)):
            new = call.with_argument(at, str(fits[0]))
    return changed(stopped, "cat-sizes", values, new)


@rule("RuntimeError", r"Tensors must have same number of dimensions: got (\d+) and (\d+)")
def cat_axes(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """cat of tensors with different numbers of axes."""
    given = shapes(stopped)
    if not given:
        return None
    values = {"m": found.group(1), "n": found.group(2), "shapes": ", ".join(sizes(one) for one in given[:6])}
    return changed(stopped, "cat-axes", values, _raised(stopped, given))


def _raised(stopped: Stopped, given: list[tuple[int, ...]]) -> str | None:
    """cat of a list written in place, its vectors made rows or columns of the matrices beside them."""
    call, (positional, named) = called(stopped.code), arguments(stopped)
    axis = named.get("dim", named.get("axis", positional[1] if len(positional) > 1 else 0))
    if (
        call is None
        or call.head not in ("torch.cat", "torch.concat")
        or axis not in (0, 1, -1, -2)
        or not call.arguments
    ):
        return None
    listed, axis = call.arguments[0], axis % 2
    pieces = list(parts(listed[1:-1])) if re.fullmatch(r"[\[(].*[\])]", listed, re.DOTALL) else []
    matrices = {one[1 - axis] for one in given if len(one) == 2}
    if len(pieces) != len(given) or len(matrices) != 1 or not all(len(one) in (1, 2) for one in given):
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
    call, (positional, named) = called(stopped.code), arguments(stopped)
    alone = (
        call is not None and call.head == "torch.cat" and not any(shapes(stopped)) and len(positional) < 2 and not named
    )
    new = f"torch.stack({', '.join(call.arguments)})" if alone else None
    return changed(stopped, "cat-scalars", {"code": shown(stopped.code)}, new)


@rule(
    "TypeError",
    r"(cat|stack|hstack|vstack|concat)\(\): argument 'tensors' \(position 1\) must be tuple of Tensors, not Tensor",
)
def joined_without_list(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """cat or stack of tensors that stand side by side."""
    call, trace, new = called(stopped.code), stopped.trace, None
    if call is not None and len(call.arguments) > 1:
        bound = [trace.bound(one) for one in call.arguments]
        if all(one is not None for one in bound) and len({stopped.shape(one) for one in bound}) == 1:
            new = call.with_arguments(f"({', '.join(call.arguments)})") if stopped.shape(bound[0]) else None
    return changed(stopped, "join-needs-a-list", {"code": shown(stopped.code), "function": found.group(1)}, new)


RULES = (stack_shapes, joined_nothing, cat_sizes, cat_axes, cat_scalars, joined_without_list)
