"""Arguments of a wrong kind, calls of tensors, and attributes named differently on tensors."""

import re

from explorer.analysis.errors.rule import Explanation, FailureContext, Rules
from explorer.analysis.source.expressions import closing, shorten_code

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
    if at["type"] == "float" and (only := at.divided_name()):
        return at.explain("size-was-divided", name=only.name, made=shorten_code(only.value), line=only.line)
    call, tensor = at.call, at.call.argument(0) if at.call else ""
    if at["type"] == "Tensor" and call and call.name == "Linear" and at.trace.bound(tensor) is not None:
        new = f"{call.with_argument(0, f'{tensor}.shape[-1]')}({tensor})"
        return at.explain("layer-given-its-input", new, layer=call.head, tensor=tensor)
    return at.explain("sizes-of-another-type")


@RULES.rule(r"TypeError: '(?P<type>Tensor|int|float|torch\.Size)' object is not callable")
def called(at: FailureContext) -> Explanation | None:
    """Explain parentheses after a tensor, its shape, or a loss for an optimizer."""
    code, kind = at.code, at["type"]
    ends = (i for i, character in enumerate(code[:400]) if character == "(" and closing(code, i) == len(code) - 1)
    opening = next(ends, len(code))
    base, inside = code[:opening].strip(), code[opening + 1 : -1].strip()
    if kind == "torch.Size":
        new = f"{base}[{inside}]" if re.fullmatch(r"-?\d", inside) else base
        return at.explain("shape-called", new, base=shorten_code(base), right=shorten_code(new))
    if base.endswith(".step") and inside:  # an optimizer calls its argument
        return at.explain("step-given-a-loss", f"{base}()", base=shorten_code(base), loss=shorten_code(inside))
    if kind != "Tensor":
        return None
    if base.endswith((".T", ".grad", ".data", ".mT", ".H")) and not inside:
        return at.explain("property-called", base, base=shorten_code(base))
    new = f"{base}[{inside}]" if _has_position(at, base, inside) else ""
    return at.explain("tensor-called", new, base=shorten_code(base), inside=shorten_code(inside or "0"))


def _has_position(at: FailureContext, base: str, inside: str) -> bool:
    """Return whether a named tensor has this position, written in numbers."""
    tensor = at.trace.bound(base)
    if tensor is None or not re.fullmatch(r"(?:-?\d+)(?:, ?-?\d+)*", inside):
        return False
    shape, indices = at.run.shape(tensor), [int(index[:9]) for index in inside.split(",")]
    return len(indices) <= len(shape) and all(-n <= i < n for i, n in zip(indices, shape, strict=False))


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
    only_the_name = re.fullmatch(r"\.\w+", instead) and name not in ("astype", "as_type", "values", "get_shape")
    repair = before + instead if only_the_name and at.code.endswith(f".{name}") else None
    return at.explain("tensor-attribute-of-another-library", repair, instead=instead, base=base)
