"""Errors of torch.linalg and numpy.linalg: singular, not square, not positive definite, not finite."""

import re

from explorer.analysis.errors.rule import Explanation, FailureContext, Rules

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


RULES.message_rules(
    {
        r"_LinAlgError|LinAlgError|RuntimeError: not positive[- ]definite": "not-positive-definite",
        r"_LinAlgError|LinAlgError|RuntimeError: (?P<function>[\w.]+): A must be batches of square "
        r"matrices, but they are (?P<rows>\d+) by (?P<columns>\d+)": "matrix-not-square",
        r"_LinAlgError|LinAlgError|RuntimeError: Last 2 dimensions of the array must be square": "array-not-square",
        r"_LinAlgError|LinAlgError|RuntimeError: (?P<function>[\w.]+): The input tensor A must have at "
        r"least 2 dimensions": "matrix-wanted",
        r"_LinAlgError|LinAlgError|RuntimeError: (?P<function>trace|triu|tril): .*(?:expected a matrix|at "
        r"least 2 dim)": "matrix-wanted",
        r"_LinAlgError|LinAlgError|RuntimeError: non-finite values|(?:should|must) not contain infs or "
        r"NaNs|did not converge|failed to converge": "matrix-not-finite",
        r"_LinAlgError|LinAlgError|RuntimeError: Incompatible shapes of A and B for the equation AX = B "
        r"\((?P<first>\w+) and (?P<second>\w+)\)": "system-shapes",
        r"_LinAlgError|LinAlgError|RuntimeError: linalg\.lstsq: input\.size\(-2\) should match "
        r"other\.size\(-(?P<axis>\d)\)": "lstsq-shapes",
        r"_LinAlgError|LinAlgError|RuntimeError: (?P<function>linalg\.[\w.]+): Expected a floating point "
        r"or complex tensor as input\. Got (?P<type>\w+)": "linalg-of-integers",
        r"_LinAlgError|LinAlgError|RuntimeError: cross: inputs dimension -?\d+ must have length 3|no "
        r"dimension of size 3 in input": "cross-product-not-three",
    }
)
