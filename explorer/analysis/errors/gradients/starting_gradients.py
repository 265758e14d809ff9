"""Errors about the gradient that a backward starts with: of a tensor that is no scalar, of another shape or dtype."""

import math
import re

from explorer.analysis.errors.gradients.tensor_origins import tensor_of
from explorer.analysis.errors.rule import Explanation, FailureContext, Rules, sizes

RULES = Rules()


@RULES.rule(
    "RuntimeError",
    r"grad can be (?:implicitly created|computed) only for (?P<real>real )?scalar outputs"
    r"(?: but got (?:torch\.)?(?P<dtype>\S+))?",
)
def not_one_number(at: FailureContext) -> Explanation | None:
    """backward() of a tensor with several entries, or of a complex or whole number."""
    call = re.fullmatch(r"(.+)\.backward\((.*)\)", at.code, re.DOTALL)
    first = re.search(r"\bgrad\(\s*(?:outputs\s*=\s*)?([A-Za-z_]\w*)\s*[,)]", at.code)
    roots = at.inputs if at.operation_name == "grad" else []
    written = call[1] if call else first[1] if first else ""
    tensor = roots[0] if roots else tensor_of(at, written)
    if tensor is None:
        return None
    name, flags = written or at.name(tensor) or at.code, at.trace.tensors
    if at["real"]:
        return at.explain("loss-not-real", name=name)
    if len(roots) > 1 and flags.is_leaf[roots[0]] and not flags.is_leaf[roots[1]]:
        swapped = re.fullmatch(r"((?:torch\.)?(?:autograd\.)?grad\()(\w+), *(\w+)\)", at.code)
        new = f"{swapped[1]}{swapped[3]}, {swapped[2]})" if swapped else None
        return at.explain("grad-arguments-swapped", new, name=name, other=at.name(roots[1]))
    new = f"{call[1]}.sum().backward({call[2]})" if call else ""
    if first and not call:
        new = f"{at.code[: first.end(1)]}.sum(){at.code[first.end(1) :]}"
    kind, shape = "backward-of-several" if call else "grad-of-several", at.shape(tensor)
    return at.explain(kind, new, name=name, shape=sizes(shape), count=math.prod(shape))


@RULES.rule(
    "RuntimeError",
    r"Mismatch in shape: grad_output\[\d+\] has a shape of \S*?(?P<given>\[.*?\])\) and .* has a shape of "
    r"\S*?(?P<wanted>\[.*?\])\)",
)
def starting_gradient_shape(at: FailureContext) -> Explanation:
    """The starting gradient v has another shape than the root."""
    call = re.fullmatch(r"(\w+)\.backward\((?:gradient=)?torch\.(?:ones|tensor|randn|rand)\([^()]*\)\)", at.code)
    scalar = at["wanted"] == "[]"
    new = f"{call[1]}.backward({'' if scalar else f'torch.ones_like({call[1]})'})" if call else None
    return at.explain("starting-gradient-of-a-number" if scalar else "starting-gradient-shape", new)


@RULES.rule(
    "TypeError",
    r"gradients can be either Tensors or None, but got (?P<type>\w+)|'(?P<number>float|int)' object is not iterable",
)
def starting_gradient_type(at: FailureContext) -> Explanation | None:
    """The starting gradient v, or the root, is a number and no tensor."""
    kind = {"type": at["type"] or at["number"]}
    if call := re.fullmatch(r"(\w+)\.backward\((?:gradient=)?\s*([^()=]*)\)", at.code):
        root, new = tensor_of(at, call[1]), None
        if at["number"]:
            new = f"{call[1]}.backward(torch.full_like({call[1]}, {call[2]}))"
        elif re.fullmatch(r"\[[-\d., ]+\]", call[2].strip()) and root is not None:
            new = (
                f"{call[1]}.backward(torch.tensor({call[2]}))" if at.shape(root) == (call[2].count(",") + 1,) else None
            )
        return at.explain("starting-gradient-no-tensor", new, **kind)
    if at["type"] and ".backward(" in at.code:
        return at.explain("starting-gradient-no-tensor", **kind)
    return at.explain("grad-of-a-number", **kind) if re.match(r"(torch\.)?(autograd\.)?grad\(", at.code) else None
