"""Arguments of a wrong kind, calls of tensors, and attributes named differently on tensors."""

import re

from explorer.analysis.diagnose.errors.evidence import LINEAR
from explorer.analysis.diagnose.errors.rule import Explanation, FailureContext, Rules
from explorer.analysis.run.source.expressions import shorten_code

INSTEAD_OF_A_TENSOR = {"list": "list-for-tensor", "tuple": "tuple-for-tensor", "numpy.ndarray": "array-for-tensor"}
INSTEAD_OF_A_TENSOR |= {"float": "number-for-tensor", "int": "number-for-tensor", "NoneType": "none-for-tensor"}
# Names that other libraries use for tensor attributes.
INSTEAD = {"copy": ".clone", "average": ".mean", "gradient": ".grad", "to_numpy": ".numpy", "power": ".pow"}
INSTEAD |= {"dims": ".ndim", "ndims": ".ndim", "requires_gradient": ".requires_grad", "to_list": ".tolist"}
INSTEAD |= {"get_shape": ".size", "astype": ".to", "as_type": ".to", "zero_grad": ".grad.zero_", "values": ".detach"}
INSTEAD |= {"stack": "torch.stack", "concat": "torch.cat", "append": "torch.cat", "concatenate": "torch.cat"}

RULES = Rules()


@RULES.rule(
    r"TypeError: (?:linalg_)?(?P<function>\w+)\(\): argument '(?P<name>\w+)' (?:\(position \d+\) )?must "
    r"be (?P<wanted>[\w ]+?),? "
    r"(?:but found (?:element of type )?|not )(?P<given>\w[\w.]*)"
)
def argument_type(at: FailureContext) -> Explanation | None:
    """Explain an argument of a wrong type to a torch function."""
    if at["wanted"] == "Tensor":
        kind = INSTEAD_OF_A_TENSOR.get(at["given"])
        return at.explain(kind) if kind else None
    if at["wanted"] == "int" or "ints" in at["wanted"]:
        return at.explain("whole-number-wanted" if at["wanted"] == "int" else "sizes-wanted")
    return None


@RULES.rule(
    r"TypeError: (?P<function>\w+)\(\) received an invalid combination of arguments - got "
    r"\((?P<given>.*?)\), but expected"
)
def arguments_do_not_fit(at: FailureContext) -> Explanation | None:
    """Explain torch's long message that no signature fits the arguments."""
    forms = re.findall(r"^ [*] \((.*?)\)\s*$", at.failure.text[:2_000], re.MULTILINE)
    if not forms:
        return None
    given = at["given"].strip(", ")
    wanted = max(forms, key=lambda form: _alike(given, form)).split(", *")[0]
    return at.explain("arguments-do-not-fit", given=shorten_code(given), wanted=shorten_code(wanted))


def _alike(given: str, form: str) -> int:
    """Count the arguments with the type that this signature expects."""
    pairs = zip(given.split(", "), form.split(", "), strict=False)
    fitting = {"int": ("int", "Number", "float", "Scalar"), "float": ("float", "Number", "Scalar")}
    return sum(want.split(" ")[0] in fitting.get(kind, (kind,)) for kind, want in pairs)


@RULES.rule(
    r"TypeError: failed to unpack the object at pos \d+ with error \"type must be tuple of ints,but got "
    r"(?P<type>\w[\w.]*)"
)
def size_of_another_type(at: FailureContext) -> Explanation:
    """Explain a size that is not an integer, often after a division."""
    floats = (part for part in at.parts if part.thing.type == "float" and part.made.replace("//", "").count("/") == 1)
    if divided := next(floats, None):
        return at.explain("size-was-divided", name=divided.text, made=shorten_code(divided.made), line=divided.where)
    call, tensor = at.call, at.call.argument(0) if at.call else ""
    is_layer = call is not None and at.callee is not None and at.callee.thing.is_class_of(LINEAR)
    if at["type"] == "Tensor" and is_layer and at.trace.bound(tensor) is not None:
        new = f"{call.with_argument(0, f'{tensor}.shape[-1]')}({tensor})"
        return at.explain("layer-given-its-input", new, layer=call.head, tensor=tensor)
    return at.explain("sizes-of-another-type")


@RULES.rule(r"TypeError: '(?P<type>Tensor|int|float|torch\.Size)' object is not callable")
def called(at: FailureContext) -> Explanation | None:
    """Explain parentheses after a tensor, its shape, or a loss for an optimizer."""
    kind, given = at["type"], at.call.arguments if at.call else ()
    base, inside = at.call.head if at.call else at.code, ", ".join(given)
    numbers = [int(text) for text in given if text.removeprefix("-").isdecimal() and len(text) < 9]
    if kind == "torch.Size":
        new = f"{base}[{inside}]" if len(given) == len(numbers) == 1 else base
        return at.explain("shape-called", new, base=shorten_code(base), right=shorten_code(new))
    if base.endswith(".step") and inside:  # an optimizer calls its argument
        return at.explain("step-given-a-loss", f"{base}()", base=shorten_code(base), loss=shorten_code(inside))
    if kind != "Tensor":
        return None
    if base.endswith((".T", ".grad", ".data", ".mT", ".H")) and not inside:
        return at.explain("property-called", base, base=shorten_code(base))
    shape = (at.callee and at.callee.thing.shape) or []
    inside_it = all(-n <= i < n for i, n in zip(numbers, shape, strict=False))
    new = f"{base}[{inside}]" if inside_it and 0 < len(given) == len(numbers) <= len(shape) else ""
    return at.explain("tensor-called", new, base=shorten_code(base), inside=shorten_code(inside or "0"))


@RULES.rule(r"AttributeError: '(?:Tensor|Parameter)' object has no attribute '(?P<name>\w+)'")
def attribute_of_another_library(at: FailureContext) -> Explanation | None:
    """Explain a tensor attribute that only NumPy or another library has."""
    name, before = at["name"], at.before_attribute(at["name"])
    base, bound = shorten_code(before), at.trace.bound(before)
    if name == "zero_grad" and bound is not None and not at.trace.tensors.is_leaf[bound]:
        return at.explain("zero-grad-of-a-result", base=base)
    instead = f"len({base})" if name in ("len", "length") else INSTEAD.get(name)
    if instead is None:
        return None
    only_the_name = instead.rpartition(".")[0] == "" and name not in ("astype", "as_type", "values", "get_shape")
    repair = before + instead if only_the_name and at.code.endswith(f".{name}") else None
    return at.explain("tensor-attribute-of-another-library", repair, instead=instead, base=base)
