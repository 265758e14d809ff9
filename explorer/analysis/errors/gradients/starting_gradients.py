"""Errors about the gradient that a backward starts with: of a tensor that is no scalar, of another shape or dtype."""

import math
import re

from explorer.analysis.errors.expressions import sizes
from explorer.analysis.errors.failure_facts import Stopped
from explorer.analysis.errors.gradients.source_lines import (
    tensor_of,
)
from explorer.analysis.errors.rule import Explanation, rule
from explorer.analysis.errors.text_edits import replaced


@rule("RuntimeError", r"grad can be (?:implicitly created|computed) only for (real )?scalar outputs(?: but got (\S+))?")
def not_one_number(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """backward() of a tensor with several entries, or of a complex or whole number."""
    call = re.fullmatch(r"(.+)\.backward\((.*)\)", stopped.code, re.DOTALL)
    first = re.search(r"\bgrad\(\s*(?:outputs\s*=\s*)?([A-Za-z_]\w*)\s*[,)]", stopped.code)
    operation = stopped.operation
    roots = (
        stopped.inputs
        if operation is not None and stopped.trace.string(stopped.trace.operations.name[operation]) == "grad"
        else []
    )
    name = call[1] if call else first[1] if first else ""
    tensor = roots[0] if roots else tensor_of(stopped, name)
    if tensor is None:
        return None
    values: dict[str, str | int] = {"name": name or stopped.name(tensor) or stopped.code, "code": stopped.code}
    if found[1]:
        return Explanation("loss-not-real", values | {"dtype": (found[2] or "").removeprefix("torch.")})
    flags = stopped.trace.tensors
    if len(roots) > 1 and flags.is_leaf[roots[0]] and not flags.is_leaf[roots[1]]:
        values |= {"other": stopped.name(roots[1])}
        swapped = re.fullmatch(r"((?:torch\.)?(?:autograd\.)?grad\()(\w+), *(\w+)\)", stopped.code)
        mended = ""
        if swapped and stopped.span:
            mended = replaced(stopped.source, stopped.span, f"{swapped[1]}{swapped[3]}, {swapped[2]})")
        return Explanation("grad-arguments-swapped", values, mended, stopped.place)
    values |= {"shape": sizes(stopped.shape(tensor)), "count": math.prod(stopped.shape(tensor))}
    new = ""
    if call and call[1]:
        new = f"{call[1]}.sum().backward({call[2]})"
    elif first:
        new = stopped.code[: first.end(1)] + ".sum()" + stopped.code[first.end(1) :]
    mended = replaced(stopped.source, stopped.span, new) if new and stopped.span else ""
    return Explanation("backward-of-several" if call else "grad-of-several", values, mended, stopped.place)


@rule(
    "RuntimeError",
    r"Mismatch in shape: grad_output\[(\d+)\] has a shape of \S*\[(.*?)\]\) and .* has a shape of \S*\[(.*?)\]\)",
)
def starting_gradient_shape(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """The starting gradient v has another shape than the root."""
    given, wanted = (sizes(_sizes(found[i])) for i in (2, 3))
    call = re.fullmatch(r"(\w+)\.backward\((?:gradient=)?torch\.(?:ones|tensor|randn|rand)\([^()]*\)\)", stopped.code)
    values: dict[str, str | int] = {"code": stopped.code, "given": given, "wanted": wanted}
    mended = ""
    if call and stopped.span:
        new = f"{call[1]}.backward({f'torch.ones_like({call[1]})' if found[3] else ''})"
        mended = replaced(stopped.source, stopped.span, new)
    return Explanation(
        "starting-gradient-shape" if found[3] else "starting-gradient-of-a-number", values, mended, stopped.place
    )


@rule("TypeError", r"gradients can be either Tensors or None, but got (\w+)|'(float|int)' object is not iterable")
def starting_gradient_type(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """The starting gradient v, or the root, is a number and no tensor."""
    call = re.fullmatch(r"(\w+)\.backward\((?:gradient=)?\s*([^()=]*)\)", stopped.code)
    kind = found[1] or found[2]
    if call and stopped.span:
        new = f"torch.full_like({call[1]}, {call[2]})" if found[2] else f"torch.tensor({call[2]})"
        root = tensor_of(stopped, call[1])
        listed = re.fullmatch(r"\[[-\d., ]+\]", call[2].strip()) and root is not None
        fits = found[2] or (listed and stopped.shape(root) == (call[2].count(",") + 1,))
        mended = replaced(stopped.source, stopped.span, f"{call[1]}.backward({new})") if fits else ""
        return Explanation("starting-gradient-no-tensor", {"code": stopped.code, "type": kind}, mended, stopped.place)
    if found[1] and ".backward(" in stopped.code:
        return Explanation("starting-gradient-no-tensor", {"code": stopped.code, "type": kind})
    if re.match(r"(torch\.)?(autograd\.)?grad\(", stopped.code):
        return Explanation("grad-of-a-number", {"code": stopped.code, "type": kind})
    return None


def _sizes(text: str) -> tuple[int, ...]:
    return tuple(int(size) for size in text.split(",") if size.strip().isdigit())


RULES = (not_one_number, starting_gradient_shape, starting_gradient_type)
