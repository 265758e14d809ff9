"""The arguments of a torch call from its Trace: operands by text and shape, other arguments, values."""

from explorer.analysis.errors.expressions import Pair, WrittenCall, bracketed, called, operated, postfixed, shown, sizes
from explorer.analysis.errors.failure_facts import Stopped
from explorer.trace import Arguments


def operation_name(stopped: Stopped) -> str:
    """The torch call that raised, "" without one."""
    at = stopped.operation
    return "" if at is None else stopped.trace.string(stopped.trace.operations.name[at]) or ""


def statement(stopped: Stopped) -> tuple[int, str]:
    """The span of that call and its text: for `a[0] = b` the whole line, even if the failure names only a[0]."""
    at = stopped.operation
    span = -1 if at is None else stopped.trace.operations.span[at]
    return span, stopped.trace.text(span)


def shapes(stopped: Stopped) -> list[tuple[int, ...]]:
    """The shapes of the call's tensors."""
    return [stopped.shape(input_) for input_ in stopped.inputs]


def dtypes(stopped: Stopped) -> list[str]:
    """Their dtypes."""
    return [stopped.dtype(input_) for input_ in stopped.inputs]


def operands(stopped: Stopped) -> Pair | None:
    """The two operands of the call, as written: a @ b, torch.mm(a, b), a.mm(b)."""
    if len(stopped.inputs) != 2:
        return None
    pair = operated(stopped.code)
    return pair if pair is not None else _two(called(stopped.code))


def _two(call: WrittenCall | None) -> Pair | None:
    if call is None:
        return None
    if call.is_function and len(call.arguments) >= 2 and call.place(0) == 0 and call.place(1) == 1:
        rest = call.arguments[2:]
        return Pair(call.value(0), "", call.value(1), lambda a, b: call.with_arguments(a, b, *rest))
    if not call.is_function and len(call.arguments) == 1 and call.place(0) == 0 and call.receiver:
        return Pair(call.receiver, "", call.value(0), lambda a, b: f"{bracketed(a)}.{call.name}({b})")
    return None


def both(stopped: Stopped) -> dict[str, str]:
    """The values `left`, `right` of a sentence about two tensors, with their shapes `left_shape` and `right_shape`."""
    pair, given = operands(stopped), stopped.inputs
    names = (pair.left, pair.right) if pair else tuple(stopped.name(tensor) or "?" for tensor in given[:2])
    return {
        "left": shown(names[0]),
        "right": shown(names[1]),
        "left_shape": sizes(stopped.shape(given[0])),
        "right_shape": sizes(stopped.shape(given[1])),
    }


def arguments(stopped: Stopped) -> Arguments:
    """The call's arguments; none without a call."""
    return Arguments() if stopped.operation is None else stopped.trace.arguments(stopped.operation)


def entries(stopped: Stopped, tensor: int) -> tuple | None:
    """All entries of a tensor of whole numbers when the call began, None if they were not recorded."""
    versions = stopped.trace.versions_of(tensor)
    value = stopped.trace.value(stopped.trace.versions.value[versions[-1]]) if versions else None
    data = None if value is None else value.data
    return data if data is not None and all(type(entry) is int for entry in data) else None


def subject(stopped: Stopped, call: WrittenCall | None) -> str:
    """The main tensor of a call, as written: x in x.sum(1), in torch.sum(x, 1) and in F.softmax(x)."""
    if call is None:
        return stopped.name(stopped.inputs[0]) if stopped.inputs else ""
    return (call.value(0) if call.arguments else "") if call.is_function else call.receiver


def with_subject(call: WrittenCall | None, change: str) -> str | None:
    """The call with .something after its main tensor; None if that is not in the text."""
    if call is None or (call.is_function and (not call.arguments or call.arguments[0].startswith("*"))):
        return None
    if call.is_function:
        return call.with_argument(0, postfixed(call.value(0), change))
    return call.receiver and f"{postfixed(call.receiver, change)}.{call.name}({', '.join(call.arguments)})"
