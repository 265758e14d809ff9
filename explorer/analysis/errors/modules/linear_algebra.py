"""Errors of torch.linalg and numpy.linalg: singular, not square, not positive definite, not finite."""

import re

from explorer.analysis.errors.explanation import Explanation
from explorer.analysis.errors.failure_context import FailureContext
from explorer.analysis.errors.rule import Rules

ERRORS = "_LinAlgError|LinAlgError|RuntimeError"

RULES = Rules()


@RULES.rule("_LinAlgError|LinAlgError", r"[Ss]ingular")
def singular(at: FailureContext) -> Explanation:
    """The inverse of a matrix that has none, or a system without one solution."""
    if re.search(r"\bsolve\(", at.code):
        return at.explain("system-singular", _least_squares(at))
    new = re.sub(r"^(torch|np|numpy)\.(?:linalg\.inv|(?<=torch\.)inverse)\(", r"\1.linalg.pinv(", at.code)
    new = re.sub(r"\.inverse\(\)$", ".pinverse()", new)
    if batch := re.search(r"Batch element (\d+)", at.failure.text):
        return at.explain("matrix-singular-in-batch", new, index=batch[1])
    if diagonal := re.search(r"diagonal element (\d+)", at.failure.text):
        return at.explain("matrix-singular", new, index=diagonal[1])
    return at.explain("array-singular", new)


def _least_squares(at: FailureContext) -> str | None:
    """The solution of a system of two named tensors by the pseudo-inverse."""
    call, shapes = re.fullmatch(r"torch\.linalg\.solve\((\w+), ?(\w+)\)", at.code), at.shapes
    if not call or len(shapes) != 2 or len(shapes[0]) != 2:
        return None
    if len(shapes[1]) == 1:
        return f"(torch.linalg.pinv({call[1]}) @ {call[2]}.unsqueeze(-1)).squeeze(-1)"
    return f"(torch.linalg.pinv({call[1]}) @ {call[2]})"


RULES.message_rule(ERRORS, r"not positive[- ]definite", "not-positive-definite")
RULES.message_rule(
    ERRORS,
    r"(?P<function>[\w.]+): A must be batches of square matrices, but they are (?P<rows>\d+) by "
    r"(?P<columns>\d+)",
    "matrix-not-square",
)
RULES.message_rule(ERRORS, r"Last 2 dimensions of the array must be square", "array-not-square")
RULES.message_rule(ERRORS, r"(?P<function>[\w.]+): The input tensor A must have at least 2 dimensions", "matrix-wanted")
RULES.message_rule(ERRORS, r"(?P<function>trace|triu|tril): .*(?:expected a matrix|at least 2 dim)", "matrix-wanted")
RULES.message_rule(
    ERRORS,
    r"non-finite values|(?:should|must) not contain infs or NaNs|did not converge|failed to converge",
    "matrix-not-finite",
)
RULES.message_rule(
    ERRORS,
    r"Incompatible shapes of A and B for the equation AX = B \((?P<first>\w+) and (?P<second>\w+)\)",
    "system-shapes",
)
RULES.message_rule(
    ERRORS, r"linalg\.lstsq: input\.size\(-2\) should match other\.size\(-(?P<axis>\d)\)", "lstsq-shapes"
)
RULES.message_rule(
    ERRORS,
    r"(?P<function>linalg\.[\w.]+): Expected a floating point or complex tensor as input\. "
    r"Got (?P<type>\w+)",
    "linalg-of-integers",
)
RULES.message_rule(
    ERRORS,
    r"cross: inputs dimension -?\d+ must have length 3|no dimension of size 3 in input",
    "cross-product-not-three",
)
