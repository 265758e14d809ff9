"""Skip the middle of a long loop: its operations are counted, not recorded.

Any round of a loop may be its last, so a few rounds are recorded now and then.
"""

from types import FrameType

from explorer.runtime.recorder.code_loops import Loop
from explorer.runtime.recorder.rows import OP_ITERATION, OP_NAME, OP_SPAN, OperationRows
from explorer.runtime.recorder.source_map import Activation, SourceMap, release_variables

_RECENT = 400  # operations over which those of a round are counted
_LEAST = 16  # operations recorded between two gaps of a loop; at least two rounds
_SPARSE = 60  # times as many are skipped then
_SKIPPED = 3_000  # operations that are skipped then at least
_WHOLE = 1.5  # times the operations of an end that are recorded first
_ROUNDS = 5  # operations of an end, divided by this: rounds that are recorded first


class SkippedLoop:
    """A skipped stretch of a loop's rounds. Where a round begins says `SourceMap.locate`, as while all is recorded.

    Attributes:
        frame: where the loop runs; loop: of its code.
        backwards: how many ran in it.
        began: how many operations had begun before; start: autograd's sequence number then.
        round: operations of a round; rounds: how many have begun; most: how many are skipped.
        recorded: how many operations are recorded before the next gap.
    """

    def __init__(
        self, activation: Activation, depth: int, source_map: SourceMap, begun: tuple[int, int], round: float
    ) -> None:
        self.frame: FrameType = activation.frame
        self.loop: Loop = activation.around[depth]
        self.backwards = self.rounds = 0
        self.began, self.start = begun
        self.round = round
        self.recorded = int(max(_LEAST, 2 * round))
        self.most = int(max(_SKIPPED, _SPARSE * self.recorded) / round)
        self._activation, self._depth, self._source_map = activation, depth, source_map
        self._count = activation.counts[depth]

    def goes_on(self, frame: FrameType | None) -> bool:
        """Whether an operation called from `frame` is inside the gap, which ends at the start of a round."""
        mine, callee = self.frame, None
        while frame is not mine:
            if frame is None:  # an exception left the loop
                return False
            frame, callee = frame.f_back, frame
        if not self.loop.start <= mine.f_lasti <= self.loop.end:
            return False
        self._source_map.locate(mine, callee)
        before, self._count = self._count, self._activation.counts[self._depth]
        if self._count == before:
            return True
        self.rounds += 1
        if self.rounds <= self.most:
            return True
        self._activation.at = -1  # the operation is located once more to be recorded, in this same round
        return False

    def passed(self, rounds: int) -> int:
        """So many rounds have passed without an operation that was seen: about how many operations they had.

        The next operation begins another round.
        """
        release_variables(self.frame, self.frame.f_locals)  # tracing lines has left a copy
        counts = self._activation.counts
        if rounds > 0 and self._depth < len(counts):
            counts[self._depth] += rounds
            self._count = counts[self._depth]
            self._activation.at = self.loop.end
        self.rounds += rounds
        return round(rounds * self.round)


def gap_here(
    source_map: SourceMap, operations: OperationRows, kept: int, begun: tuple[int, int], full: bool
) -> SkippedLoop | None:
    """The gap that may begin in the outermost fitting loop around the operation just located.

    Args:
        kept: operations at an end of the run that are recorded.
        begun: the number of this operation, and autograd's sequence number.
        full: whether there are more operations than are recorded; otherwise the loop must have run for long.
    """
    outer = 0
    for activation in source_map.stack:
        for depth, rounds in enumerate(activation.counts):
            round = _operations_of(operations, begun[0], outer + depth)
            long = full or (rounds >= kept // _ROUNDS and rounds * round >= _WHOLE * kept)
            if long and 0 < round <= kept:
                return SkippedLoop(activation, depth, source_map, begun, round)
        outer += len(activation.around)
    return None


def _operations_of(operations: OperationRows, last: int, at: int) -> float:
    """How many operations a round of a loop had recently; 0 if no round has ended.

    Args:
        last: the last operation; at: index of the loop among those around it.
    """
    now, name, span = (operations.field(last, of) for of in (OP_ITERATION, OP_NAME, OP_SPAN))
    for index in range(max(1, last - _RECENT), last):
        if index in operations and operations.field(index, OP_SPAN) == span:
            before = operations.field(index, OP_ITERATION)
            same = (
                before[:at] == now[:at]
                and before[at + 1 :] == now[at + 1 :]
                and name == operations.field(index, OP_NAME)
            )
            if same and before[at] < now[at]:
                return (last - index) / (now[at] - before[at])
    return 0
