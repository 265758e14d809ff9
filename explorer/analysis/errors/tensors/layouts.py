"""How a tensor is kept: sparse where dense is wanted, dtypes that NumPy does not have, more entries than memory."""

import re

from explorer.analysis.errors.explanations import changed
from explorer.analysis.errors.expressions import called, postfixed, shown
from explorer.analysis.errors.failure_facts import Stopped
from explorer.analysis.errors.rule import Explanation, rule


@rule("TypeError", r"Got unsupported ScalarType (\w+)")
def numpy_dtype(stopped: Stopped, found: re.Match[str]) -> Explanation:
    """An array of a dtype that only torch has."""
    call = called(stopped.code)
    base = stopped.code.removesuffix(".numpy()")
    new = f"{postfixed(base, '.float()')}.numpy()" if call is not None and base != stopped.code else None
    return changed(stopped, "dtype-not-in-numpy", {"code": shown(stopped.code), "dtype": found[1].lower()}, new)


@rule(
    "TypeError|RuntimeError|NotImplementedError",
    r"can't convert Sparse layout tensor to numpy|not implemented for sparse|[Ss]parse tensors? (?:do|does) not|"
    r"to a sparse tensor|from the 'Sparse\w+' backend|expected.*dense|[Ss]parse\w* (?:tensor|layout)",
)
def sparse(stopped: Stopped, found: re.Match[str]) -> Explanation:
    """An operation that takes no sparse tensor."""
    base = stopped.code.removesuffix(".numpy()")
    new = f"{postfixed(base, '.to_dense()')}.numpy()" if base != stopped.code else None
    return changed(stopped, "sparse-not-taken", {"code": shown(stopped.code)}, new)


@rule("RuntimeError", r"Storage size calculation overflowed")
def too_many_entries(stopped: Stopped, found: re.Match[str]) -> Explanation:
    """More entries than can be counted."""
    return changed(stopped, "entries-past-counting", {"code": shown(stopped.code)})


RULES = (numpy_dtype, sparse, too_many_entries)
