"""Calls that create tensors: number ranges, random samples, permutations, filled or empty memory."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from explorer.analysis.run.operations import alike
from explorer.analysis.run.operations.call import EMPTY, MOST, CallPart, NoEntryMap, OperationCall, Reading
from explorer.analysis.run.operations.record import Derivative, EntryMap, Operation
from explorer.trace import Value


@dataclass(frozen=True)
class Sample:
    """Random numbers and the distribution they were drawn from.

    Attributes:
        family: uniform or normal.
        first, second: low and high, or mean and standard deviation. None if each entry has its own.
        mean, deviation: of the drawn numbers (deviation over n).
    """

    family: str
    first: float | None
    second: float | None
    mean: float
    deviation: float


def steps(call: OperationCall) -> tuple[float, float, float] | None:
    """Return start, end and step of arange or linspace, None for other calls. Raises NoEntryMap."""
    if _KINDS.get(call.name) != "steps":
        return None
    if call.name == "linspace":
        start, end, count = (call.plain(k, name) for k, name in enumerate(("start", "end", "steps")))
        if not all(isinstance(bound, int | float) for bound in (start, end)) or type(count) is not int:
            raise NoEntryMap("bounds")
        return start, end, (end - start) / (count - 1) if count > 1 else 0.0
    if len(call.arguments.positional) == 1 and "end" not in call.arguments.named:
        start, end, step = 0, call.plain(0), 1
    else:
        start, end = call.plain(0, "start", default=0), call.plain(1, "end")
        step = call.plain(2, "step", default=1)
    if not all(isinstance(bound, int | float) for bound in (start, end, step)):
        raise NoEntryMap("bounds")
    return start, end, step


def sample(call: OperationCall) -> Sample | None:
    """Return the distribution of drawn numbers, None for other calls. Raises NoEntryMap."""
    family = _KINDS.get(call.name, "")
    if family not in ("uniform", "normal") or not call.results:
        return None
    value = call.results[0].value
    numbers = np.array(() if value is None else value.entries)  # of many unnamed numbers, only some were recorded
    if numbers.dtype.kind != "f" or not len(numbers) or not np.isfinite(numbers).all():
        raise NoEntryMap("values")
    first, second = _parameters(call)
    return Sample(family, first, second, float(numbers.mean()), float(numbers.std()))


def _parameters(call: OperationCall) -> tuple[float | None, float | None]:
    """Return low and high, or mean and deviation, or None."""
    if call.name in ("rand", "rand_like", "randn", "randn_like"):
        return 0.0, 1.0
    after = 1 if call.in_place else 0
    names = (("from", "a"), ("to", "b")) if call.name == "uniform" else (("mean",), ("std",))
    parameters = [call.plain(after + k, *names[k], default=float(k)) for k in (0, 1)]
    if not all(isinstance(parameter, int | float) for parameter in parameters):
        return None, None
    return float(parameters[0]), float(parameters[1])


def _map_permutation(call: OperationCall, operation: Operation) -> EntryMap:
    """Map randperm: entry i is position p[i]. Raises NoEntryMap."""
    numbers = call.results[0].numbers
    if numbers is None or len(numbers) > MOST or numbers.dtype.kind != "i":
        raise NoEntryMap("values")
    count = len(numbers)
    value = Value((count,), "int64", tuple(range(count)), (), None, None, None, None, 0)
    positions = CallPart(f"0 … {count - 1}", -1, (count,), "int64", value)
    return (positions,), [Reading((numbers.astype(int).reshape(-1, 1),), "copy")]


def _several(names: str, **fields: Any) -> tuple[Operation, ...]:
    return tuple(Operation(name, **fields) for name in names.split())


_create = partial(_several, subject="create")
OPERATIONS = (
    *_create("arange range", sentence="arange", kind="steps"),
    *_create("linspace", sentence="linspace", kind="steps"),
    *_create("rand rand_like", sentence="sample", kind="uniform", draws="result"),
    *_create("uniform", sentence="sample", kind="uniform", draws="result", fills=True),
    *_create("randn randn_like", sentence="sample", kind="normal", draws="result"),
    *_create("normal", sentence="sample", kind="normal", draws="result", fills=True),
    *_create("randperm", sentence="randperm", entries=_map_permutation, draws="result"),
    *_create(" ".join(EMPTY), sentence="empty"),
    *_create("tensor full", sentence="filled"),
    *_create("zeros ones eye", sentence="filled", fills=True),  # in place: those of torch.nn.init
    *_create("zeros_like ones_like full_like", sentence="like"),
    *_create("new_zeros new_ones new_full new_tensor", sentence="new"),
    *_several("constant dirac orthogonal sparse", fills=True),
    *_several("random cauchy geometric log_normal trunc_normal", draws="result", fills=True),
    *_several("kaiming_normal kaiming_uniform xavier_normal xavier_uniform", draws="result", fills=True),
    *_several("bernoulli exponential", draws="result", fills=True),
    *_several("multinomial", draws="result", gives="positions"),
    *_several("poisson binomial", draws="result"),
    *_several("alpha_dropout dropout1d dropout2d dropout3d feature_dropout", draws="noise", entrywise=True),
    *_several("feature_alpha_dropout", draws="noise", entrywise=True),
    *_several("gumbel_softmax", draws="noise"),
    *_several("randint randint_like", draws="result"),
    Operation("rrelu", draws="noise", entrywise=True),
    Operation("native_dropout", "dropout", derivative={"input": Derivative(words="dropout")}, draws="noise",
              alike=alike.dropped, entrywise=True),
)  # fmt: skip
_KINDS = {operation.name: operation.kind for operation in OPERATIONS if operation.kind}
