"""Products and broadcasts whose shapes do not fit."""

import re

from explorer.analysis.diagnose.errors.rule import Explanation, FailureContext, Rules, sizes
from explorer.analysis.diagnose.errors.tensors import layer_sizes
from explorer.analysis.diagnose.errors.tensors.reshaping import between
from explorer.analysis.run.operations import names_where, operation_of
from explorer.analysis.run.operations.signatures import methods_with
from explorer.analysis.run.source.expressions import bracketed, parse_call, shorten_code, with_argument, with_suffix

REDUCTIONS = methods_with("keepdim") & names_where(lambda operation: operation.sentence == "reduced")
AXES = {"dot": ("1", "1"), "vdot": ("1", "1"), "mv": ("2", "1"), "mm": ("2", "2"), "bmm": ("3", "3")}
Shape = tuple[int, ...]

RULES = Rules()
_CUT = re.compile(r"\[\s*:\s*([\w.]{1,80})(?:\.size\((\d)\)|\.shape\[(\d)\])\s*\]$")  # table[: x.size(0)]


@RULES.rule(r"RuntimeError: mat1 and mat2 shapes cannot be multiplied \(\d+x(?P<columns>\d+) and (?P<rows>\d+)x\d+\)")
def product(at: FailureContext) -> Explanation | None:
    """Explain a matrix product whose inner sizes differ."""
    if at.function == "linear":
        return layer_sizes.features(at)
    if len(at.shapes) != 2 or at.function not in ("matmul", "mm"):
        return None
    a, b = at.shapes
    if len(a) == len(b) == 2 and a[1] != b[1] and a[0] not in (b[0], b[1]):
        wanted = {"right_wanted": sizes((a[1], b[1])), "left_wanted": sizes((a[0], b[0]))}
        return at.explain("matmul-sizes-of-no-order", **at.both, **wanted)
    if len(a) == len(b) == 2 and a[0] == b[0] and a[1] != b[1] and _is_parameter_of_data(at):
        # Transposing would also make the shapes fit, but it turns the data's columns into rows.
        how = {"how": "sized", "name": at.both["right"], "from": sizes(b), "into": sizes((a[1], b[1]))}
        return at.explain("matmul-sizes", **at.both, **how)
    return at.explain("matmul-sizes", _transposed(at), **at.both, **_find_fit(at))


def _is_parameter_of_data(at: FailureContext) -> bool:
    """Return whether the second factor is learned and the first depends on no leaf."""
    tensors, (left, right) = at.trace.tensors, at.inputs
    return tensors.is_leaf[right] and tensors.requires_grad[right] and not tensors.requires_grad[left]


def _find_fit(at: FailureContext) -> dict[str, str]:
    """Find a transposition or exchange of factors that makes the inner sizes agree."""
    both, (a, b) = at.both, at.shapes
    how = "exchanged" if len(a) == len(b) == 2 and b[1] == a[0] else "none"
    for name, shape, fits in (
        (both["right"], b, len(b) == 2 and a[-1] == b[1]),
        (both["left"], a, len(a) == len(b) == 2 and a[0] == b[0]),
    ):
        if fits:
            return {"how": "turned", "name": name, "from": sizes(shape), "into": sizes(shape[::-1])}
    return {"how": how, "name": "", "from": "", "into": ""}


def _transposed(at: FailureContext) -> str | None:
    """Transpose one factor, or exchange both, if only one change fits."""
    pair, (a, b) = at.operands, at.shapes
    if pair is None:
        return None
    if len(a) == 1 and len(b) == 2:
        return pair.with_operands(pair.left, with_suffix(pair.right, ".T")) if a[0] == b[1] else None
    if len(a) != 2 or len(b) != 2:
        return None
    ways = [
        (a[1] == b[1], pair.with_operands(pair.left, with_suffix(pair.right, ".T"))),
        (a[0] == b[0], pair.with_operands(with_suffix(pair.left, ".T"), pair.right)),
        (b[1] == a[0], pair.with_operands(bracketed(pair.right), bracketed(pair.left))),
    ]
    fitting = [way for fits, way in ways if fits]
    return fitting[0] if len(fitting) == 1 or a == b else None


@RULES.rule(
    r"RuntimeError: (?:1D tensors expected, but got|(?:self|mat2) must be a matrix|vector \+ matrix @ vector expected"
    r"|batch[12] must be a 3D tensor)"
)
def product_ranks(at: FailureContext) -> Explanation | None:
    """Explain dot, mv, mm or bmm with tensors of the wrong rank."""
    name = at.function
    if name not in AXES or len(at.inputs) != 2:
        return None
    axes = {"left_axes": AXES[name][0], "right_axes": AXES[name][1]}
    return at.explain("product-ranks", **at.both, function=name, **axes)


@RULES.rule(r"RuntimeError: Expected size for first two dimensions of batch2 tensor to be: \[(\d+), (\d+)\]")
def batched_product(at: FailureContext) -> Explanation | None:
    """Explain a batched product whose inner sizes or batch sizes differ."""
    if len(at.shapes) != 2 or min(map(len, at.shapes)) < 2:
        return None
    pair, (a, b) = at.operands, at.shapes
    if a[-1] == b[-2]:
        return at.explain("batch-counts", **at.both)
    fits = pair is not None and a[:-2] == b[:-2] and a[-1] == b[-1]
    new = pair.with_operands(pair.left, with_suffix(pair.right, ".mT")) if fits else None
    return at.explain("matmul-batches", new, **at.both, columns=str(a[-1]), rows=str(b[-2]))


@RULES.rule(r"RuntimeError: both arguments to matmul need to be at least 1D")
def product_of_scalar(at: FailureContext) -> Explanation | None:
    """Explain @ with a tensor without axes."""
    if len(at.inputs) != 2:
        return None
    return at.explain("matmul-scalar", scalar=at.both["left" if not at.shapes[0] else "right"])


@RULES.rule(r"TypeError: unsupported operand type\(s\) for @: '(?P<one>\w+)' and '(?P<other>\w+)'")
def product_with_number(at: FailureContext) -> Explanation | None:
    """Explain @ with a plain number."""
    pair, kinds = at.binary, {at["one"], at["other"]}
    if "Tensor" not in kinds or not {"int", "float"} & kinds or pair is None or pair.operator != "@":
        return None
    number = pair.left if at["one"] != "Tensor" else pair.right
    return at.explain("matmul-number", number=shorten_code(number))


@RULES.rule(r"RuntimeError: The size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\)")
def broadcast(at: FailureContext) -> Explanation | None:
    """Explain two shapes that broadcasting cannot align."""
    name, given = at.function.strip("_").removeprefix("i"), at.shapes
    is_loss = name.endswith("_loss") or name in ("huber", "kl_div")
    if is_loss and given[:1] != given[1:2]:
        return at.explain("loss-shapes", **at.scored)
    if len(given) > 2:
        return at.explain("broadcast-several", shapes=", ".join(sizes(shape) for shape in given[:6]))
    if len(given) != 2:
        return None
    a, b = given
    if name in ("matmul", "bmm"):
        return at.explain("batch-counts", **at.both)
    differ = (i for i in range(1, min(len(a), len(b)) + 1) if a[-i] != b[-i] and 1 not in (a[-i], b[-i]))
    axis = next(differ, 0)
    if not axis:
        return None
    values = {**at.both, "m": str(a[-axis]), "n": str(b[-axis]), "axis": f"−{axis}"}
    steps = (_reduced, _cut_by_another_axis, _mask_between)
    return next((found for step in steps if (found := step(at, values, a, b))), None) or _aligned(at, values, a, b)


def _reduced(at: FailureContext, values: dict[str, str], a: Shape, b: Shape) -> Explanation | None:
    """Explain A / A.sum(1), in which the reduction dropped the axis to stretch."""
    pair = at.operands
    for whole, part, reduced in ((a, b, 1), (b, a, 0)) if pair else ():
        operation = at.run.makers.get(at.inputs[reduced])
        axes = [i for i in range(len(whole)) if whole[:i] + whole[i + 1 :] == part]
        if operation is None or len(axes) != 1:
            continue
        name, given = at.run.names[operation].removeprefix("linalg_vector_"), at.trace.operations.inputs[operation]
        if name not in REDUCTIONS or not given or at.run.shape(given[0]) != whole:
            continue
        text = pair.right if reduced else pair.left
        entries = re.fullmatch(r"(.*)(\.values|\[0\])", text, re.DOTALL)
        call, behind = (entries[1], entries[2]) if entries else (text, "")
        new, inner = None, parse_call(call)
        if inner is not None and inner.name == name and "keepdim" not in call and inner.arguments:
            new = with_argument(call, "keepdim=True") + behind
        elif re.fullmatch(r"[\w.]+", text):
            new = f"{text}.unsqueeze({axes[0]})"
        repair = new and (pair.with_operands(pair.left, new) if reduced else pair.with_operands(new, pair.right))
        gone = {"gone": str(axes[0]), "whole_shape": sizes(whole), "part_shape": sizes(part)}
        return at.explain("broadcast-keepdim", repair, **values, reduced=shorten_code(text), **gone)
    return None


def _cut_by_another_axis(at: FailureContext, values: dict[str, str], a: Shape, b: Shape) -> Explanation | None:
    """Explain x + table[: x.size(0)], in which the rows of the table meet a later axis of x."""
    pair = at.operands
    for whole, part, cut in ((a, b, 1), (b, a, 0)) if pair else ():
        old, other = (pair.right, pair.left) if cut else (pair.left, pair.right)
        size = _CUT.search(old)
        axis, meets = int(size[2] or size[3]) if size else 0, len(whole) - len(part)
        if size is None or size[1] != other or not axis < meets < len(whole) or whole[axis] != part[0]:
            continue
        right = f".size({meets})" if size[2] else f".shape[{meets}]"
        new = f"{old[: size.end(1)]}{right}]"
        texts = {"part": shorten_code(old), "base": other, "right": f"{other}{right}", "axis": str(axis)}
        shapes = {"part_shape": sizes(part), "shape": sizes(whole), "meets": str(meets), "size": str(whole[meets])}
        repair = pair.with_operands(pair.left, new) if cut else pair.with_operands(new, pair.right)
        return at.explain("cut-by-another-axis", repair, **{**values, **texts, **shapes})
    return None


def _mask_between(at: FailureContext, values: dict[str, str], a: Shape, b: Shape) -> Explanation | None:
    """Explain a mask of (B, T) for scores of (B, H, T, T)."""
    pair, index = at.operands, between(b, a)
    if not index:
        return None
    mask = pair.right if pair else at.call.argument(0, "mask") if at.call and at.function.startswith("masked") else ""
    if pair:
        new = pair.with_operands(pair.left, with_suffix(mask, index))
    else:
        new = at.change_argument(0, index, "mask") if mask else None
    wanted = {"mask": shorten_code(mask) or values["right"], "mask_shape": sizes(b), "shape": sizes(a), "index": index}
    return at.explain("mask-between", new, **wanted)


def _aligned(at: FailureContext, values: dict[str, str], a: Shape, b: Shape) -> Explanation:
    pair, new = at.operands, None
    elementwise = pair is not None and (operation_of(at.function).entrywise or pair.operator)
    if elementwise and len(a) == len(b) == 2 and a == b[::-1]:
        return at.explain(
            "broadcast-transposed", pair.with_operands(pair.left, with_suffix(pair.right, ".T")), **values
        )
    if elementwise and len(a) == 2 and b == a[:1]:
        new = pair.with_operands(pair.left, with_suffix(pair.right, ".unsqueeze(1)"))
    elif elementwise and len(b) == 2 and a == b[:1] and "=" not in pair.operator:
        new = pair.with_operands(with_suffix(pair.left, ".unsqueeze(1)"), pair.right)
    kind = "broadcast-sizes-of-equal-axes" if len(a) == len(b) else "broadcast-sizes"
    return at.explain("broadcast-column" if new else kind, new, **values)


@RULES.rule(r"RuntimeError: output with shape (?P<shape>\[.*?\]) doesn't match the broadcast shape (?P<result>\[.*?\])")
def inplace_shape(at: FailureContext) -> Explanation | None:
    """Explain an in-place result larger than its tensor."""
    if at.operation is not None and at.trace.operations.frames[at.operation] >= 0:
        image, means = at.shapes if len(at.shapes) == 2 else ((), ())
        if at.function != "sub_" or means[1:] != (1, 1) or len(image) < 3 or "Normalize(" not in at.sources:
            return None
        return at.explain("normalize-channels", shape=sizes(image), channels=image[-3], given=means[0])
    target = at.binary.left if at.binary else at.call.receiver if at.call else at.code
    return at.explain("inplace-shape", outside(at), target=shorten_code(target))


def outside(at: FailureContext) -> str | None:
    """Rewrite `a += b` as `a = a + b`, or return None."""
    pair, call = at.binary, at.call
    if pair is not None and pair.operator.endswith("=") and re.fullmatch(r"[A-Za-z_][\w.]*", pair.left):
        return f"{pair.left} = {pair.left} {pair.operator[:-1]} {bracketed(pair.right)}"
    whole = call is not None and at.here.whole_line.strip() == at.code
    if whole and re.fullmatch(r"[A-Za-z_][\w.]*", call.receiver) and call.name.endswith("_"):
        return f"{call.receiver} = {call.receiver}.{call.name[:-1]}({', '.join(call.arguments)})"
    return None
