"""How a tensor is kept: sparse where dense is wanted, dtypes that NumPy does not have, more entries than memory."""

from explorer.analysis.errors.explanation import Explanation
from explorer.analysis.errors.failure_context import FailureContext
from explorer.analysis.errors.rule import Rules
from explorer.analysis.source import with_suffix

RULES = Rules()


def _before_numpy(at: FailureContext, suffix: str) -> str | None:
    """The failing code with .something before its .numpy()."""
    base = at.code.removesuffix(".numpy()")
    return f"{with_suffix(base, suffix)}.numpy()" if base != at.code else None


@RULES.rule("TypeError", r"Got unsupported ScalarType (?P<dtype>\w+)")
def numpy_dtype(at: FailureContext) -> Explanation:
    """An array of a dtype that only torch has."""
    return at.explain("dtype-not-in-numpy", _before_numpy(at, ".float()"), dtype=at["dtype"].lower())


@RULES.rule(
    "TypeError|RuntimeError|NotImplementedError",
    r"can't convert Sparse layout tensor to numpy|not implemented for sparse|[Ss]parse tensors? (?:do|does) not|"
    r"to a sparse tensor|from the 'Sparse\w+' backend|expected.*dense|[Ss]parse\w* (?:tensor|layout)",
)
def sparse(at: FailureContext) -> Explanation:
    """An operation that takes no sparse tensor."""
    return at.explain("sparse-not-taken", _before_numpy(at, ".to_dense()"))


RULES.message_rule("RuntimeError", r"Storage size calculation overflowed", "entries-past-counting")
