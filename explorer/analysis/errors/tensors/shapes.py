"""Shapes and positions that do not fit: products, broadcasts, reshape, stack, indices, axes."""

import re
from dataclasses import replace

from explorer.analysis.errors.explanations import changed
from explorer.analysis.errors.expressions import (
    WrittenCall,
    bracketed,
    called,
    numbers,
    operated,
    postfixed,
    shown,
    sizes,
)
from explorer.analysis.errors.failure_facts import Stopped
from explorer.analysis.errors.rule import Explanation, rule
from explorer.analysis.errors.tensors import layer_sizes, losses
from explorer.analysis.errors.tensors.call_facts import both, operands, operation_name, shapes
from explorer.analysis.errors.text_edits import with_argument

REDUCTIONS = "sum|mean|std|var|amax|amin|norm|prod|logsumexp|max|min|median|nansum|nanmean"
ELEMENTWISE = (
    "add|sub|mul|div|true_divide|pow|eq|ne|lt|le|gt|ge|maximum|minimum|atan2|remainder|rsub|radd|rmul|rtruediv"
)


@rule("RuntimeError", r"mat1 and mat2 shapes cannot be multiplied \((\d+)x(\d+) and (\d+)x(\d+)\)")
def product(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A matrix product whose inner sizes differ."""
    if operation_name(stopped) == "linear":
        return layer_sizes.features(stopped)
    given = shapes(stopped)
    if len(given) != 2 or operation_name(stopped) not in ("matmul", "mm"):
        return None
    _, columns, rows, _ = found.groups()
    values = {**both(stopped), "columns": columns, "rows": rows}
    a, b = given
    if len(a) == len(b) == 2 and a[1] != b[1] and a[0] not in (b[0], b[1]):
        wanted = {"right_wanted": sizes((a[1], b[1])), "left_wanted": sizes((a[0], b[0]))}
        return changed(stopped, "matmul-sizes-of-no-order", values | wanted)
    return changed(stopped, "matmul-sizes", values, _transposed(stopped))


def _transposed(stopped: Stopped) -> str | None:
    """The product with one factor transposed, or both exchanged, if only one of these fits."""
    pair, (a, b) = operands(stopped), shapes(stopped)
    if pair is None:
        return None
    if len(a) == 1 and len(b) == 2:
        return pair.made(pair.left, postfixed(pair.right, ".T")) if a[0] == b[1] else None
    if len(a) != 2 or len(b) != 2:
        return None
    ways = [
        (a[1] == b[1], pair.made(pair.left, _flipped(pair.right))),
        (a[0] == b[0], pair.made(_flipped(pair.left), pair.right)),
        (b[1] == a[0], pair.made(bracketed(pair.right), bracketed(pair.left))),
    ]
    fitting = [way for fits, way in ways if fits]
    return fitting[0] if len(fitting) == 1 or a == b else None


def _flipped(text: str) -> str:
    return text.removesuffix(".T") if text.endswith(".T") else postfixed(text, ".T")


@rule("RuntimeError", r"size mismatch, got input \(\d+\), mat \(\d+x(\d+)\), vec \((\d+)\)")
def matrix_vector(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A matrix times a vector whose length is not that of its rows."""
    given, pair = shapes(stopped), operands(stopped)
    if len(given) != 2:
        return None
    a, b = given
    fits = pair is not None and len(a) == 2 and len(b) == 1 and a[0] == b[0] and a[1] > 1
    values = {**both(stopped), "columns": found.group(1), "entries": found.group(2)}
    return changed(
        stopped, "matmul-vector", values, pair.made(postfixed(pair.left, ".T"), pair.right) if fits else None
    )


@rule("RuntimeError", r"inconsistent tensor size, expected tensor \[(\d+)\] and src \[(\d+)\]")
def dot_lengths(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A dot product of vectors of different lengths."""
    if len(stopped.inputs) != 2:
        return None
    return changed(stopped, "dot-lengths", {**both(stopped), "m": found.group(1), "n": found.group(2)})


@rule(
    "RuntimeError",
    r"(?:1D tensors expected, but got|(?:self|mat2) must be a matrix|vector \+ matrix @ vector expected"
    r"|batch[12] must be a 3D tensor)",
)
def product_ranks(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """dot, mv, mm or bmm with tensors of other ranks than they take."""
    name, call = operation_name(stopped), called(stopped.code)
    needs = {"dot": ("1", "1"), "vdot": ("1", "1"), "mv": ("2", "1"), "mm": ("2", "2"), "bmm": ("3", "3")}.get(name)
    if needs is None or len(stopped.inputs) != 2:
        return None
    values = {
        **both(stopped),
        "function": name,
        "left_axes": needs[0],
        "right_axes": needs[1],
    }
    new = None
    if call is not None and call.name == name and _multiplies(*shapes(stopped)):
        new = f"{call.receiver}.matmul({', '.join(call.arguments)})"
    return changed(stopped, "product-ranks", values, new)


def _multiplies(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    """Whether torch.matmul takes these shapes, for up to two axes and equal batches."""
    if not a or not b or a[-1] != b[-2 if len(b) > 1 else 0]:
        return False
    return len(a) <= 2 or len(b) <= 2 or a[:-2] == b[:-2]


@rule("RuntimeError", r"Expected size for first two dimensions of batch2 tensor to be: \[(\d+), (\d+)\]")
def batched_product(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A product of batches of matrices whose inner sizes, or whose numbers of matrices, differ."""
    pair, given = operands(stopped), shapes(stopped)
    if len(given) != 2 or len(given[0]) < 2 or len(given[1]) < 2:
        return None
    a, b = given
    values = {**both(stopped), "columns": str(a[-1]), "rows": str(b[-2])}
    if a[-1] == b[-2]:
        return changed(stopped, "batch-counts", both(stopped))
    fits = pair is not None and a[:-2] == b[:-2] and a[-1] == b[-1]
    return changed(
        stopped, "matmul-batches", values, pair.made(pair.left, postfixed(pair.right, ".mT")) if fits else None
    )


@rule("RuntimeError", r"both arguments to matmul need to be at least 1D")
def product_of_scalar(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """@ with a tensor that has no axis."""
    pair = operands(stopped)
    if len(stopped.inputs) != 2:
        return None
    scalar = both(stopped)["left" if not shapes(stopped)[0] else "right"]
    new = f"{pair.left} * {pair.right}" if pair and pair.operator == "@" else None
    return changed(stopped, "matmul-scalar", {"code": shown(stopped.code), "scalar": scalar}, new)


@rule("TypeError", r"unsupported operand type\(s\) for @: '(\w+)' and '(\w+)'")
def product_with_number(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """@ with a plain number."""
    pair, kinds = operated(stopped.code), found.groups()
    if "Tensor" not in kinds or not {"int", "float"} & set(kinds) or pair is None or pair.operator != "@":
        return None
    number = pair.left if kinds[0] != "Tensor" else pair.right
    values = {"code": shown(stopped.code), "number": shown(number)}
    return changed(stopped, "matmul-number", values, f"{pair.left} * {pair.right}")


@rule("RuntimeError", r"The size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\)")
def broadcast(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """Two shapes that broadcasting cannot align."""
    name, given = operation_name(stopped).strip("_").removeprefix("i"), shapes(stopped)
    if name.endswith("_loss") or name in ("huber", "kl_div"):
        return losses.pair_of_sizes(stopped)
    if len(given) != 2:
        return _many(stopped, given)
    a, b = given
    at = next((i for i in range(1, min(len(a), len(b)) + 1) if a[-i] != b[-i] and 1 not in (a[-i], b[-i])), 0)
    if name in ("matmul", "bmm"):
        return changed(stopped, "batch-counts", both(stopped))
    if not at:
        return None
    values = {**both(stopped), "m": str(a[-at]), "n": str(b[-at]), "axis": str(-at).replace("-", "−")}
    return _reduced(stopped, values, a, b) or _aligned(stopped, values, a, b)


def _many(stopped: Stopped, given: list[tuple[int, ...]]) -> Explanation | None:
    if len(given) < 3:
        return None
    values = {"code": shown(stopped.code), "shapes": ", ".join(sizes(shape) for shape in given[:6])}
    return changed(stopped, "broadcast-several", values)


def _reduced(stopped: Stopped, values: dict[str, str], a: tuple[int, ...], b: tuple[int, ...]) -> Explanation | None:
    """A / A.sum(1): the reduction dropped the axis along which it should be stretched."""
    pair = operands(stopped)
    if pair is None:
        return None
    for whole, part, reduced, text in ((a, b, 1, pair.right), (b, a, 0, pair.left)):
        operation = stopped.maker(stopped.inputs[reduced])
        if operation is None or len(part) != len(whole) - 1:
            continue
        operations = stopped.trace.operations
        name = (stopped.trace.string(operations.name[operation]) or "").removeprefix("linalg_vector_")
        sources = operations.inputs[operation]
        axes = [i for i in range(len(whole)) if whole[:i] + whole[i + 1 :] == part]
        if not sources or stopped.shape(sources[0]) != whole or len(axes) != 1:
            continue
        if not re.fullmatch(REDUCTIONS, name):
            continue
        told_values = {**values, "reduced": shown(text), "gone": str(axes[0]), "whole_shape": sizes(whole)}
        told_values["part_shape"] = sizes(part)
        values_of = re.fullmatch(r"(.*)(\.values|\[0\])", text, re.DOTALL)
        call = values_of.group(1) if values_of else text
        new, inner = None, called(call)
        if inner is not None and inner.name == name and "keepdim" not in call and inner.arguments:
            new = with_argument(call, "keepdim=True") + (values_of.group(2) if values_of else "")
        elif re.fullmatch(r"[\w.]+", text):
            new = f"{text}.unsqueeze({axes[0]})"
        made = new and (pair.made(pair.left, new) if reduced else pair.made(new, pair.right))
        return _alike(changed(stopped, "broadcast-keepdim", told_values, made), stopped, inner if new else None)
    return None


def _alike(explanation: Explanation, stopped: Stopped, call: WrittenCall | None) -> Explanation:
    """The explanation, with the same mistake corrected in the following code too: (x - x.mean(1)) / x.std(1)."""
    if not explanation.mended or call is None or stopped.span is None:
        return explanation
    lines, first = explanation.mended.split("\n"), stopped.span.line - 1
    given = re.escape(", ".join(call.arguments))
    again = re.compile(rf"((?:[/] |- )[A-Za-z_]\w*\.(?:{REDUCTIONS})\({given})(\)(?=\s*(?:\)|$)))")
    lines[first:] = [again.sub(r"\1, keepdim=True\2", line) for line in lines[first:]]
    return replace(explanation, mended="\n".join(lines))


def _aligned(stopped: Stopped, values: dict[str, str], a: tuple[int, ...], b: tuple[int, ...]) -> Explanation:
    pair, new = operands(stopped), None
    name = operation_name(stopped).strip("_")
    elementwise = pair is not None and (re.fullmatch(ELEMENTWISE, name) or pair.operator)
    if elementwise and len(a) == len(b) == 2 and a == b[::-1]:
        return changed(stopped, "broadcast-transposed", values, pair.made(pair.left, postfixed(pair.right, ".T")))
    if elementwise and len(a) == 2 and b == a[:1]:
        new = pair.made(pair.left, postfixed(pair.right, ".unsqueeze(1)"))
    elif elementwise and len(b) == 2 and a == b[:1] and "=" not in pair.operator:
        new = pair.made(postfixed(pair.left, ".unsqueeze(1)"), pair.right)
    kind = "broadcast-sizes-of-equal-axes" if len(a) == len(b) else "broadcast-sizes"
    return changed(stopped, "broadcast-column" if new else kind, values, new)


@rule("RuntimeError", r"output with shape (\[.*?\]) doesn't match the broadcast shape (\[.*?\])")
def inplace_shape(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """An in-place operation whose result is larger than the tensor it writes."""
    pair, call = operated(stopped.code), called(stopped.code)
    values = {
        "code": shown(stopped.code),
        "target": shown(pair.left if pair else call.receiver if call else stopped.code),
        "shape": sizes(numbers(found.group(1))),
        "result": sizes(numbers(found.group(2))),
    }
    return changed(stopped, "inplace-shape", values, outside(stopped))


def outside(stopped: Stopped) -> str | None:
    """`a += b` as `a = a + b`, and the line `a.add_(b)` as `a = a.add(b)`; None for other code."""
    pair, call, span = operated(stopped.code), called(stopped.code), stopped.span
    if pair is not None and pair.operator.endswith("=") and re.fullmatch(r"[A-Za-z_][\w.]*", pair.left):
        return f"{pair.left} = {pair.left} {pair.operator[:-1]} {bracketed(pair.right)}"
    whole = span is not None and stopped.source.split("\n")[span.line - 1].strip() == stopped.code
    if call is not None and whole and re.fullmatch(r"[A-Za-z_][\w.]*", call.receiver) and call.name.endswith("_"):
        return f"{call.receiver} = {call.receiver}.{call.name[:-1]}({', '.join(call.arguments)})"
    return None


RULES = (
    product,
    matrix_vector,
    dot_lengths,
    product_ranks,
    batched_product,
    product_of_scalar,
    product_with_number,
    broadcast,
    inplace_shape,
)
