"""Tensors that cannot be joined: stack and cat of other shapes, of nothing, of scalars, without a list."""

import re

from explorer.analysis.errors.rule import Explanation, FailureContext, Rules, sizes
from explorer.analysis.source import items, shorten_code, with_argument, with_suffix

CAT = ("torch.cat", "torch.concat", "torch.concatenate")
Shapes = list[tuple[int, ...]]

RULES = Rules()


@RULES.rule(
    "RuntimeError",
    r"stack expects each tensor to be equal size, but got (?P<first>\[.*?\]) at entry (?P<i>\d+) and "
    r"(?P<second>\[.*?\]) at entry (?P<k>\d+)",
)
def stack_shapes(at: FailureContext) -> Explanation:
    """stack of tensors of different shapes."""
    if "DataLoader(" in at.sources and "stack(" not in at.code:
        return at.explain("batch-of-other-shapes")
    vectors = all(len(shape) == 1 for shape in at.shapes)  # of a list made elsewhere a batch was wanted, not one row
    written = re.fullmatch(r"torch\.stack\((\[.*\])\)", at.code, re.DOTALL) if vectors else None
    return at.explain("stack-shapes", f"torch.cat({written[1]})" if written else None)


@RULES.rule(
    "RuntimeError",
    r"Sizes of tensors must match except in dimension (?P<axis>\d+)\. Expected size (?P<m>\d+) but got"
    r" size (?P<n>\d+) for tensor number (?P<k>\d+)",
)
def cat_sizes(at: FailureContext) -> Explanation | None:
    """cat along one axis of tensors that differ along another."""
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
    """cat of tensors that fit along no axis: expand one, or cut or pad them."""
    axis = int(at["axis"])
    differ = [d for d in range(len(given[0])) if len({shape[d] for shape in given}) > 1 and d != axis]
    values = values | {"differ": ", ".join(map(str, differ)), "last": str(len(given[0]) - 1)}
    d = differ[0]
    small = [k for k, shape in enumerate(given) if shape[d] == 1]
    if len(differ) == 1 and small and len({shape[d] for shape in given if shape[d] != 1}) == 1:
        return at.explain("cat-expand", _expanded(at, given, d, small), **values)
    spatial = len(given[0]) in (4, 5) and axis == 1 and not {0, 1} & set(differ)
    image = spatial and all(max(shape[d] for shape in given) - min(shape[d] for shape in given) == 1 for d in differ)
    return at.explain("cat-images" if image else "cat-fits-nowhere", **values)


def _listed(at: FailureContext) -> tuple[str, list[str]]:
    """The list of tensors that torch.cat is given in the call itself, and its items as written."""
    listed = at.call.arguments[0] if at.call and at.call.arguments and at.call.head in CAT else ""
    return listed, list(items(listed))


def _with_items(at: FailureContext, listed: str, pieces: list[str]) -> str:
    """The failing call with other items in its list."""
    return at.call.with_argument(0, f"{listed[0]}{', '.join(pieces)}{listed[-1]}")


def _expanded(at: FailureContext, given: Shapes, axis: int, small: list[int]) -> str | None:
    """cat of a list written in place, those with one entry along an axis expanded to the size of the others there."""
    listed, pieces = _listed(at)
    large = next((k for k in range(len(given)) if k not in small), None)
    if len(pieces) != len(given) or large is None or not re.fullmatch(r"[\w.]+", pieces[large]):
        return None
    target = ", ".join(f"{pieces[large]}.shape[{axis}]" if d == axis else "-1" for d in range(len(given[0])))
    for k in small:
        pieces[k] = with_suffix(pieces[k], f".expand({target})")
    return _with_items(at, listed, pieces)


@RULES.rule("RuntimeError", r"Tensors must have same number of dimensions: got (?P<m>\d+) and (?P<n>\d+)")
def cat_axes(at: FailureContext) -> Explanation | None:
    """cat of tensors with different numbers of axes."""
    given = at.shapes
    if not given:
        return None
    values, raisable = {"shapes": ", ".join(sizes(shape) for shape in given[:6])}, _raisable(at, given)
    if not raisable and (fitting := _repeated(at, given)):
        return at.explain("cat-repeated", **values, **fitting)
    return at.explain("cat-axes" if raisable else "cat-axes-only", _raised(at, given), **values)


def _raisable(at: FailureContext, given: Shapes) -> bool:
    """Whether one more axis of size 1 in the smaller ones makes all of them fit."""
    most, axis = max(map(len, given)), at.arguments.get(1, "dim", "axis", default=0)
    if not isinstance(axis, int) or not -most <= axis < most or any(len(shape) < most - 1 for shape in given):
        return False
    axis %= most
    rest = {shape[:axis] + shape[axis + 1 :] for shape in given if len(shape) == most}
    raised = [{(*s[:d], 1, *s[d:]) for d in range(most)} for s in given if len(s) == most - 1]
    return len(rest) == 1 and all(any(s[:axis] + s[axis + 1 :] in rest for s in each) for each in raised)


def _repeated(at: FailureContext, given: Shapes) -> dict[str, str] | None:
    """For two tensors, one a step short: the size of its missing axis, and the shapes that can be joined."""
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


def _raised(at: FailureContext, given: Shapes) -> str | None:
    """cat of a list written in place, with vectors made rows or columns of the matrices beside them."""
    (listed, pieces), axis = _listed(at), at.arguments.get(1, "dim", "axis", default=0)
    if not isinstance(axis, int) or axis not in (0, 1, -1, -2):
        return None
    matrices = {size[1 - axis % 2] for size in given if len(size) == 2}
    fits = all(len(size) == 2 or (len(size) == 1 and size[0] in matrices) for size in given)
    if len(pieces) != len(given) or len(matrices) != 1 or not fits:
        return None
    suffixes = (f".unsqueeze({axis % 2})" if len(shape) == 1 else "" for shape in given)
    raised = [with_suffix(piece, suffix) if suffix else piece for piece, suffix in zip(pieces, suffixes, strict=True)]
    return _with_items(at, listed, raised)


@RULES.rule("RuntimeError", r"zero-dimensional tensor \(at position (\d+)\) cannot be concatenated")
def cat_scalars(at: FailureContext) -> Explanation:
    """cat of tensors without an axis."""
    only_them = len(at.arguments.positional) < 2 and not at.arguments.named
    alone = at.call is not None and at.call.head == "torch.cat" and not any(at.shapes) and only_them
    return at.explain("cat-scalars", f"torch.stack({', '.join(at.call.arguments)})" if alone else None)


@RULES.rule(
    "TypeError",
    r"(?P<function>cat|stack|hstack|vstack|concat)\(\): argument 'tensors' \(position 1\) must be tuple of Tensors, "
    r"not Tensor",
)
def joined_without_list(at: FailureContext) -> Explanation:
    """cat or stack of tensors without a list around them."""
    call, new = at.call, None
    if call is not None and len(call.arguments) > 1:
        bound = [at.trace.bound(argument) for argument in call.arguments]
        if None not in bound and len({at.shape(tensor) for tensor in bound}) == 1 and at.shape(bound[0]):
            new = call.with_arguments(f"({', '.join(call.arguments)})")
    return at.explain("join-needs-a-list", new)


RULES.message_rules(
    {
        r"RuntimeError|ValueError: (?:stack expects a non-empty TensorList|expected a non-empty list of "
        r"Tensors)": "join-nothing",
    }
)
