"""Layers of torch.nn with inputs of unexpected sizes: Linear, convolutions, Embedding."""

from math import prod

from explorer.analysis.diagnose.errors.elsewhere import layer_with_size
from explorer.analysis.diagnose.errors.rule import Explanation, FailureContext, Rules, numbers, sizes
from explorer.analysis.run.source.expressions import shorten_code

_FLATTENS = ("flatten", "view", "reshape")
_BEHIND = 4  # operations searched before a layer, such as dropout

RULES = Rules()


def features(at: FailureContext) -> Explanation | None:
    """Explain a Linear layer whose input has a wrong number of features."""
    if len(at.shapes) < 2 or not at.shapes[0] or len(at.shapes[1]) != 2:
        return None
    shape, (_, wanted) = at.shapes[:2]
    values = {"layer": at.layer, "wanted": str(wanted), "features": str(shape[-1]), "shape": sizes(shape)}
    factors = {"factors": " · ".join(map(str, shape[1:]))}
    if len(shape) > 2 and prod(shape[1:]) == wanted:
        return at.explain("linear-not-flattened", change_input(at, ".flatten(1)"), **values, **factors)
    if len(shape) == 2 and shape[0] == wanted:
        return at.explain("linear-transposed", change_input(at, ".T"), **values)
    flat = _flattened(at, shape)
    explanation = at.explain("linear-features-flattened" if flat else "linear-features", **values, **flat)
    return explanation.repaired_by(layer_with_size(at, wanted, shape[-1]))


def _flattened(at: FailureContext, shape: tuple[int, ...]) -> dict[str, str]:
    """Return the shape before an input was flattened, {} if it was not."""
    operations, tensor = at.trace.operations, at.inputs[0]
    for _ in range(_BEHIND):
        maker = at.run.makers.get(tensor)
        if maker is None or not operations.inputs[maker]:
            return {}
        tensor = operations.inputs[maker][0]
        before = at.run.shape(tensor)
        if at.run.names[maker] in _FLATTENS and len(before) > 2 and prod(before[1:]) == shape[-1]:
            return {"factors": " · ".join(map(str, before[1:])), "before": sizes(before)}
        if before != shape:
            return {}
    return {}


def is_input(at: FailureContext, text: str) -> bool:
    """Return whether a text names or creates the call's first tensor."""
    tensor = at.run.tensor(at.inputs[0])
    return at.written(at.run.makers.get(tensor.id)) == text or text in tensor.names


def change_input(at: FailureContext, suffix: str) -> str | None:
    """Append an attribute to the failing layer's only argument."""
    call = at.call
    fits = call is not None and len(call.arguments) == 1 and call.place(0) == 0 and is_input(at, call.value(0))
    return call.suffix_argument(0, suffix) if fits else None


@RULES.rule(
    r"RuntimeError: weight of size \[.*?\], expected input\[.*?\] to have (?P<wanted>\d+) channels, "
    r"but got (?P<channels>\d+) channels"
)
def channels(at: FailureContext) -> Explanation | None:
    """Explain a convolution whose input has a wrong number of channels."""
    if len(at.shapes) < 2 or not at.function.startswith("conv"):
        return None
    wanted, (image, weight) = at["wanted"], at.shapes[:2]
    values = {"layer": at.layer, "shape": sizes(image)}
    axis = len(image) - len(weight) + 1  # channel axis: 1 after a batch axis, otherwise 0
    if axis in (0, 1) and str(image[-1]) == wanted:
        axes = range(len(image))
        order = f"permute({', '.join(map(str, (*axes[:axis], axes[-1], *axes[axis:-1])))})"
        return at.explain("conv-channels-last", change_input(at, f".{order}"), **values, order=order, axis=axis)
    grey = wanted == "1" and len(image) == 3 and len(weight) == 4
    if grey and (new := change_input(at, ".unsqueeze(1)")):
        return at.explain("conv-no-channels", new, **values)
    return at.explain("conv-channels", **values).repaired_by(layer_with_size(at, int(wanted), int(at["channels"])))


@RULES.rule(
    r"RuntimeError: Expected (?P<fewer>\d)D \(unbatched\) or (?P<more>\d)D \(batched\) input to \w+, "
    r"but got input of size: (?P<shape>\[.*?\])"
)
def conv_rank(at: FailureContext) -> Explanation:
    """Explain a convolution or pooling with too few or too many axes."""
    return at.explain("conv-axes", layer=at.layer, axes=str(len(numbers(at["shape"]))))


@RULES.rule(r"IndexError: index out of range in self")
def lookup_range(at: FailureContext) -> Explanation | None:
    """Explain an index outside an Embedding's table."""
    if at.function not in ("embedding", "embedding_bag") or len(at.shapes) < 2:
        return None
    table = at.shapes[1]
    rows = table[0] if table else 0
    values = {"layer": at.layer, "rows": str(rows), "last": str(rows - 1)}
    values["indices"] = shorten_code(at.name(at.inputs[0])) or "?"
    wrong = [entry for entry in at.entries(at.inputs[0]) if not 0 <= entry < rows]
    if not wrong:
        return at.explain("embedding-range-large", **values, index="?", enough="?")
    if min(wrong) < 0:
        return at.explain("embedding-negative", **values, index=f"−{-min(wrong)}", enough=str(max(wrong) + 1))
    return at.explain("embedding-range", **values, index=str(max(wrong)), enough=str(max(wrong) + 1))
