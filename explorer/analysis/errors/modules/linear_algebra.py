"""Errors of torch.linalg and numpy.linalg: singular, not square, not positive definite, not finite."""

import re

from explorer.analysis.errors.explanations import explanation, known
from explorer.analysis.errors.failure_facts import Stopped
from explorer.analysis.errors.rule import Explanation, Rule, rule
from explorer.analysis.errors.text_edits import replaced

ERRORS = "_LinAlgError|LinAlgError|RuntimeError"


@rule("_LinAlgError|LinAlgError", r"[Ss]ingular")
def singular(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """The inverse of a matrix that has none, or a system without one solution."""
    code = stopped.code
    batch = re.search(r"Batch element (\d+)", stopped.failure.text)
    if re.search(r"\bsolve\(", code):
        fits = re.fullmatch(r"torch\.linalg\.solve\((\w+), ?(\w+)\)", code)
        inputs = stopped.inputs
        right = fits and len(inputs) == 2 and len(stopped.shape(inputs[0])) == 2
        new = ""
        if right:
            column = f"{fits[2]}.unsqueeze(-1)" if len(stopped.shape(inputs[1])) == 1 else fits[2]
            back = ".squeeze(-1)" if column != fits[2] else ""
            new = f"(torch.linalg.pinv({fits[1]}) @ {column}){back}"
        mended = replaced(stopped.source, stopped.span, new) if new and stopped.span else ""
        return explanation(stopped, "system-singular", mended)
    new = ""
    if re.match(r"(?:torch|np|numpy)\.linalg\.inv\(", code):
        new = code.replace("linalg.inv(", "linalg.pinv(", 1)
    elif code.startswith("torch.inverse("):
        new = code.replace("torch.inverse(", "torch.linalg.pinv(", 1)
    elif code.endswith(".inverse()"):
        new = code.removesuffix(".inverse()") + ".pinverse()"
    mended = replaced(stopped.source, stopped.span, new) if new and stopped.span else ""
    if batch:
        return explanation(stopped, "matrix-singular-in-batch", mended, index=batch[1])
    diagonal = re.search(r"diagonal element (\d+)", stopped.failure.text)
    if diagonal:
        return explanation(stopped, "matrix-singular", mended, index=diagonal[1])
    return explanation(stopped, "array-singular", mended)


@rule(ERRORS, r"not positive[- ]definite(?:.*?order (\d+))?")
def not_positive_definite(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """The Cholesky factor of a matrix that has none."""
    return explanation(stopped, "not-positive-definite")


RULES: tuple[Rule, ...] = (
    singular,
    not_positive_definite,
    known(
        ERRORS,
        r"(?P<function>[\w.]+): A must be batches of square matrices, but they are (?P<rows>\d+) by "
        r"(?P<columns>\d+)",
        "matrix-not-square",
    ),
    known(ERRORS, r"Last 2 dimensions of the array must be square", "array-not-square"),
    known(ERRORS, r"(?P<function>[\w.]+): The input tensor A must have at least 2 dimensions", "matrix-wanted"),
    known(ERRORS, r"(?P<function>trace|triu|tril): .*(?:expected a matrix|at least 2 dim)", "matrix-wanted"),
    known(
        ERRORS,
        r"non-finite values|(?:should|must) not contain infs or NaNs|did not converge|failed to converge",
        "matrix-not-finite",
    ),
    known(
        ERRORS,
        r"Incompatible shapes of A and B for the equation AX = B \((?P<first>\w+) and (?P<second>\w+)\)",
        "system-shapes",
    ),
    known(ERRORS, r"linalg\.lstsq: input\.size\(-2\) should match other\.size\(-(?P<axis>\d)\)", "lstsq-shapes"),
    known(
        ERRORS,
        r"(?P<function>linalg\.[\w.]+): Expected a floating point or complex tensor as input\. "
        r"Got (?P<type>\w+)",
        "linalg-of-integers",
    ),
    known(
        ERRORS,
        r"cross: inputs dimension -?\d+ must have length 3|no dimension of size 3 in input",
        "cross-product-not-three",
    ),
)
