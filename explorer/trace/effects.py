"""Effects measured by additional runs of a program: functions, entries of data."""

from typing import Annotated

from msgspec import Meta, Struct

from explorer.trace.outputs import Word

FUNCTIONS, DATA, BLOCKS, ROWS = 1_000, 200, 200, 2_000
ENTRIES = 4_096  # most entries of a tensor whose slopes are kept

_Position = Annotated[int, Meta(ge=0, le=1 << 40)]


class FunctionUse(Struct, frozen=True, array_like=True):
    """A function of the program.

    Attributes:
        name, cell, line: its name, and where it begins.
        calls: how often it was entered.
        unread: arguments that no instruction of it reads.
        is_own: whether the program itself decides what it is given: it calls the function, or the module with it.
    """

    name: Word
    cell: _Position
    line: _Position
    calls: _Position
    unread: Annotated[tuple[Word, ...], Meta(max_length=50)] = ()
    is_own: bool = False


class DataSlopes(Struct, frozen=True, array_like=True):
    """Slopes of all backward calls' roots with respect to a tensor's entries.

    Attributes:
        operation, operand: the input by which it was first read.
        shape: sizes of the tensor.
        slopes: sums of the magnitudes of the gradients of all backward calls, in row-major order.
    """

    operation: _Position
    operand: _Position
    shape: Annotated[tuple[_Position, ...], Meta(max_length=16)]
    slopes: Annotated[tuple[float, ...], Meta(max_length=ENTRIES)]


class IdleBlock(Struct, frozen=True, array_like=True):
    """Entries of a tensor that changed nothing when they were moved.

    Attributes:
        operation, operand: the input by which it was first read.
        axis, start, stop: its indices from `start` to before `stop` along an axis. -1: the whole tensor.
        rounds: roots of backward calls that were compared.
    """

    operation: _Position
    operand: _Position
    axis: Annotated[int, Meta(ge=-1, le=16)]
    start: _Position
    stop: _Position
    rounds: _Position


class IdleOrder(Struct, frozen=True, array_like=True):
    """Data whose order along an axis has no effect: reversing them leaves the roots unchanged.

    Attributes:
        operation, operand: the input by which it first met a weight.
        axis: that was reversed.
        rounds: roots of backward calls that were compared.
    """

    operation: _Position
    operand: _Position
    axis: Annotated[int, Meta(ge=0, le=16)]
    rounds: _Position


class ChangedResult(Struct, frozen=True, array_like=True):
    """A result that changed when the first row of a batch was moved.

    Attributes:
        operation, output: that computed it.
        axis: along which only the first row changed, -1 if other rows did, too.
    """

    operation: _Position
    output: _Position
    axis: Annotated[int, Meta(ge=-1, le=64)]


class Batch(Struct, frozen=True, array_like=True):
    """How the rows of the first batch act on each other, up to the first backward.

    Attributes:
        operation, operand: the input by which the batch first met a weight.
        rows: how many there are.
        changed: results that the first row changes, in order.
        root: the first root.
        halves: the root with each half of the rows in the place of both, () if random numbers are drawn.
    """

    operation: _Position
    operand: _Position
    rows: _Position
    changed: Annotated[tuple[ChangedResult, ...], Meta(max_length=ROWS)]
    root: float
    halves: Annotated[tuple[float, ...], Meta(max_length=2)] = ()


class Effects(Struct, frozen=True):
    """Result of the further runs of a program.

    Attributes:
        functions: those of the program.
        data: tensors without a history, the first read first.
        idle: entries without effect.
        orders: data whose order has no effect.
        batch: the first batch, None without one.
        is_whole: whether all runs ended in time and repeated the first one.
    """

    functions: Annotated[tuple[FunctionUse, ...], Meta(max_length=FUNCTIONS)] = ()
    data: Annotated[tuple[DataSlopes, ...], Meta(max_length=DATA)] = ()
    idle: Annotated[tuple[IdleBlock, ...], Meta(max_length=BLOCKS)] = ()
    orders: Annotated[tuple[IdleOrder, ...], Meta(max_length=BLOCKS)] = ()
    is_whole: bool = False
    batch: Batch | None = None
