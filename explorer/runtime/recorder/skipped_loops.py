"""Skip the middle of a long loop: its operations are counted, not recorded.

Of any loop a few rounds are recorded now and then, since each may be the last (`SkippedLoop`). Of one that never ends
early, over a range or a list or while a number counts up to a bound, the last rounds are recorded (`CountedLoop`):
where they are known, rounds that call backward need not be traced to see the loop's end.
"""

import gc
from collections.abc import Callable
from types import FrameType

import torch

from explorer.runtime.recorder.code_loops import Loop
from explorer.runtime.recorder.mode_suspension import LEAST, LeavableMode, ModeSuspension
from explorer.runtime.recorder.program_places import Activation, Places, release_variables
from explorer.runtime.recorder.rows import OP_ITERATION, OperationRows
from explorer.runtime.recorder.source import Climbing, Counted

_PAUSE = 8  # least operations between two reads of the loop's variable; reading it copies all variables of a function
_ITERATORS: tuple[type, ...] = (type(iter([])), type(iter(())), type(iter(range(0))))
_COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>")
_SEEN = 400  # operations over which those of a round are counted
_LEAST = 16  # operations recorded between two gaps of a loop that may end at any time; at least two rounds
_SPARSE = 60  # as many times as many are skipped then
_SKIPPED = 3_000  # operations that are skipped then at least
_PRESENT = 2  # rounds in the mode before a gap ends
_COUNTED = 6  # rounds in it at the beginning of a gap, from which the others are counted
_FAR = 8  # as many times the operations that are kept have to follow for a gap before the limit is reached
_WHOLE, _MANY_ROUNDS = 2, 1.5  # as many times them are recorded first if it may end at any time; of short rounds fewer


class SkippedLoop:
    """A skipped stretch of a loop's rounds. Where a round begins says `Places.locate`, as while all is recorded.

    Attributes:
        frame: where the loop runs; backwards: how many ran in it.
        began: how many operations had begun before; start: autograd's sequence number then.
        recorded: how many operations are recorded before the next gap; 0: the loop's end is next.
        may_leave: whether the recorder may leave its mode for many rounds.

    Args:
        round: operations of a round.
    """

    def __init__(
        self, activation: Activation, depth: int, places: Places, begun: tuple[int, int], round: float
    ) -> None:
        self.frame: FrameType = activation.frame
        self.backwards = 0
        self.began, self.start = begun
        self.recorded = int(max(_LEAST, 2 * round))
        self.may_leave = False
        self._activation, self._depth, self._places = activation, depth, places
        self._loop: Loop = activation.around[depth]
        self._per = 0.0  # operations of a round of the gap, once some were counted
        self._due = self.began + max(_SKIPPED, _SPARSE * self.recorded)
        self._rounds = self._seen = self._until = 0
        self._count = activation.counts[depth]

    def passes(self, _frame: FrameType) -> bool:
        """Whether an operation called from a frame is inside the gap for sure, so that `goes_on` need not be asked."""
        return False

    def inside(self, frame: FrameType | None) -> bool:
        """Whether a frame was called by the loop."""
        mine = self.frame
        while frame is not mine:
            if frame is None:  # an exception left the loop
                return False
            frame = frame.f_back
        return self._loop.start <= mine.f_lasti <= self._loop.end

    def goes_on(self, frame: FrameType | None, done: int) -> bool:
        """Whether an operation called from `frame` is still inside the gap. `done`: operations begun before."""
        if not self.inside(frame):
            return False
        callee = None
        while frame is not self.frame and frame is not None:
            frame, callee = frame.f_back, frame
        self._places.locate(self.frame, callee)
        before, self._count = self._count, self._activation.counts[self._depth]
        if self._count == before:
            return True
        self._rounds += 1
        if self._rounds == 1:
            self._seen = done
        elif self._rounds == _COUNTED:
            self._per = (done - self._seen) / (_COUNTED - 1)
            self._allow_leaving(0, self._due - done)
        return done <= self._due  # it ends at the start of a round

    def _allow_leaving(self, left: int, operations: int) -> None:
        """So many operations may be skipped from here on."""
        rounds = int(operations / self._per) - _PRESENT if self._per else 0
        self.may_leave, self._until = rounds >= LEAST, left - rounds

    def suspension(self, recorder: LeavableMode) -> ModeSuspension | None:
        """Let the recorder leave its mode when the next round begins."""
        self.may_leave = False
        loops = self._places.code(self.frame.f_code).loops
        return ModeSuspension(recorder, self.frame, self._loop, loops, -self._until, True, lambda: self._rounds)

    def stays_away(self, _frame: FrameType | None) -> bool:
        """Whether the recorder need not come back yet: asked at each call of backward that nothing traces."""
        return False

    def returned(self, suspension: ModeSuspension) -> int:
        """The mode is back: about how many operations ran meanwhile."""
        release_variables(self.frame, self.frame.f_locals)  # tracing lines has left a copy
        self._skipped(suspension.rounds)
        self._rounds += suspension.rounds
        return round(suspension.rounds * self._per)

    def _skipped(self, rounds: int) -> None:
        """Count rounds in which nothing was located; the next operation begins another one."""
        counts = self._activation.counts
        if rounds > 0 and self._depth < len(counts):
            counts[self._depth] += rounds - 1
            self._count = counts[self._depth]
            self._activation.at = self._loop.end

    def close(self) -> None:
        """The gap has ended."""


class CountedLoop(SkippedLoop):
    """A skipped stretch of a loop whose end is known in advance: up to its last rounds.

    Args:
        left: returns how many rounds follow the present one.
        rest: operations at the end of the loop that are recorded.
    """

    def __init__(
        self,
        activation: Activation,
        depth: int,
        places: Places,
        begun: tuple[int, int],
        left: Callable[[], int | None],
        rest: int,
    ) -> None:
        super().__init__(activation, depth, places, begun, 0)
        self.recorded = 0
        self._pause = max(_PAUSE, rest // 16)
        self._left, self._rest = left, rest + 2 * self._pause
        self._before = self._last = left() or 0
        self._first: tuple[int, int] | None = None
        self._near = False  # whether a round's beginning was seen: from then on the variable is read at each operation
        self._ends = self._before == 1  # the last round is recorded from its start
        self._wait = 0  # how many operations may pass until the loop's variable is read again
        self._away_from = 0

    def passes(self, frame: FrameType) -> bool:
        """Whether an operation called from a frame is inside the gap for sure."""
        if frame is self.frame and self._wait > 1 and self._loop.start <= frame.f_lasti <= self._loop.end:
            self._wait -= 1
            return True
        return False

    def goes_on(self, frame: FrameType | None, done: int) -> bool:
        """Whether an operation called from `frame` is still inside the gap."""
        if not self.inside(frame):
            return False
        self._wait -= 1
        if self._wait > 0:
            return True
        self._wait = _PAUSE
        left = self._left()
        if left is None:
            return False
        if left == self._last:
            self._wait = 0 if self._ends or (self._near and not self._per) else _PAUSE
            return True
        self._last = left
        if self._ends:
            return False
        if self._first is None:
            self._first = (left, done) if self._near else None  # the first round was not seen completely
            self._near, self._ends, self._wait = True, left == 1, 0
            return left > 0
        rounds, operations = self._first[0] - left, done - self._first[1]
        if rounds <= 0 or left <= 0:
            return False
        more = (left - 1) * operations // rounds - self._rest
        if not self._per and (operations >= _LEAST or rounds >= _COUNTED):
            self._per = operations / rounds
        if more <= 0:
            self._ends, self._wait = True, 0
        else:
            self._wait = max(_PAUSE, min(self._pause, more // 4)) if self._per else 0
            self._allow_leaving(left, more)
        return True

    def suspension(self, recorder: LeavableMode) -> ModeSuspension | None:
        """Let the recorder leave its mode when the next round begins: where each calls backward, nothing is traced."""
        self.may_leave, left = False, self._left()
        if left is None or left - self._until <= LEAST:
            return None
        self._away_from, self._last = left - 1, left
        loops = self._places.code(self.frame.f_code).loops
        most = self._away_from - self._until
        return ModeSuspension(recorder, self.frame, self._loop, loops, most, not self.backwards)

    def stays_away(self, frame: FrameType | None) -> bool:
        """Whether the recorder need not come back yet."""
        if not self.inside(frame):
            return False
        self._wait -= 1
        if self._wait > 0:
            return True
        left = self._left()
        if left is None or left <= self._until or left > self._last:
            return False
        passed, self._last = self._last - left, left
        self._wait = min(_PAUSE, (left - self._until) // (4 * max(1, passed)))
        return True

    def returned(self, suspension: ModeSuspension) -> int:
        """The mode is back: about how many operations ran meanwhile."""
        self._wait = 0
        release_variables(self.frame, self.frame.f_locals)
        left = self._left()
        rounds = suspension.rounds if left is None or suspension.traced else max(0, self._away_from - left)
        if left is not None:
            self._last = left
        return round(rounds * self._per)

    def close(self) -> None:
        """The gap has ended: count the rounds that the loop's variable tells."""
        left = self._left() or 0
        if left:
            self._activation.watched = self._loop, left
        self._skipped(self._before - left)


def gap_here(
    places: Places, operations: OperationRows, kept: int, begun: tuple[int, int], full: bool
) -> SkippedLoop | None:
    """The gap that may begin in the outermost fitting loop around the operation just located.

    Args:
        kept: operations at the end of a loop that are recorded.
        begun: the number of this operation, and autograd's sequence number.
        full: whether there are more operations than are recorded; otherwise many times as many have to follow, or a
            loop that may end at any time has run for long.
    """
    outer = 0
    for activation in places.stack:
        for depth, loop in enumerate(activation.around):
            counted = places.counted(activation.frame, loop)
            if isinstance(counted, Climbing):
                left = _rounds_to(counted, places, activation.frame)
            else:
                left = _left(counted, activation.frame)
            rounds = None if left is None else left()
            leaves = rounds is None or (counted is not None and counted.leaves)
            if rounds == 0:
                continue
            round = _operations_of(operations, begun[0], outer + depth) if leaves or not full else 0
            if leaves and not full and not _long(activation.counts[depth], rounds, round, begun[0], kept):
                continue
            if left is not None and rounds and not leaves:
                if activation.watched is not None and activation.watched[0] is loop and rounds <= activation.watched[1]:
                    return None
                if full or rounds * round > _FAR * kept:
                    return CountedLoop(activation, depth, places, begun, left, kept)
            elif leaves and 0 < round <= kept and places.has_own_calls(activation.frame, loop):
                return SkippedLoop(activation, depth, places, begun, round)  # its rounds differ from those inside
        outer += len(activation.around)
    return None


def _long(passed: int, follow: int | None, round: float, done: int, kept: int) -> bool:
    """Whether a loop that may end at any time has run for so long that it is sampled from now on.

    Args:
        passed: its rounds so far; follow: the most that may follow, if that is known.
        round: operations of a round; done: those of the run; kept: as in `gap_here`.
    """
    if follow is not None and done + follow * round <= 4 * kept:
        return False
    return passed * round >= (_MANY_ROUNDS if passed >= kept // 8 else _WHOLE) * kept


def _operations_of(operations: OperationRows, last: int, at: int) -> float:
    """How many operations a round of a loop had recently; 0 if no round has ended.

    Args:
        last: the last operation; at: index of the loop among those around it.
    """
    now = operations.field(last, OP_ITERATION)
    for index in (max(1, last - _SEEN), last - _SEEN // 2, last - _SEEN // 4, last - _SEEN // 8, operations.whole):
        if index in operations:
            before = operations.field(index, OP_ITERATION)
            if len(before) > at and before[:at] == now[:at] and now[at] > before[at]:
                return (last - index) / (now[at] - before[at])
    return 0


def _left(counted: Counted | None, frame: FrameType) -> Callable[[], int | None] | None:
    """A function that returns how many rounds follow the present one, None if that is unknown."""
    variables = frame.f_locals
    try:
        if counted is None:
            iterator = variables.get(".0") if frame.f_code.co_name in _COMPREHENSIONS else None
            return iterator.__length_hint__ if type(iterator) in _ITERATORS else None
        if counted.range:
            if any("range" in names for names in (variables, frame.f_globals)):
                return None
            numbers = range(*[_number(part, variables, frame.f_globals) for part in counted.range])
            return _rounds_of(numbers, counted.variable, frame)
        items = variables.get(counted.name, frame.f_globals.get(counted.name))
        if type(items) is torch.Tensor:  # the iterated object is the tuple of its rows
            items = _rows(variables.get(counted.variable), len(items))
        if type(items) not in (list, tuple):
            return None
        iterators = [held for held in gc.get_referrers(items) if type(held) in _ITERATORS]
        return iterators[0].__length_hint__ if len(iterators) == 1 else None
    except (TypeError, ValueError):
        return None
    finally:
        release_variables(frame, variables)


def _rows(row: object, count: int) -> tuple | None:
    """The only tuple of this length that contains a tensor."""
    if type(row) is not torch.Tensor:
        return None
    found = [held for held in gc.get_referrers(row) if type(held) is tuple and len(held) == count]
    return found[0] if len(found) == 1 else None


def _rounds_of(numbers: range, variable: str, frame: FrameType) -> Callable[[], int | None]:
    def left() -> int | None:
        variables = frame.f_locals
        number = variables.get(variable)
        release_variables(frame, variables)
        return len(numbers) - 1 - numbers.index(number) if type(number) is int and number in numbers else None

    return left


def _rounds_to(climbing: Climbing, places: Places, frame: FrameType) -> Callable[[], int | None]:
    def left() -> int | None:
        variables = frame.f_locals
        try:
            number = _number(climbing.variable, variables, frame.f_globals)
            bound = _number(climbing.bound, variables, frame.f_globals) + climbing.beyond
        except TypeError:
            return None
        finally:
            release_variables(frame, variables)
        if not places.passed(frame, climbing.stepped):
            number += climbing.step
        return len(range(number, bound, climbing.step))

    return left


def _number(part: int | str | tuple[str], variables: dict, outer: dict) -> int:
    """A number in a range's arguments: itself, a variable's value, or the length of a variable's value."""
    if isinstance(part, int):
        return part
    name = part if isinstance(part, str) else part[0]
    value = variables.get(name, outer.get(name))
    if isinstance(part, str):
        if type(value) is int:
            return value
    elif type(value) in (list, tuple, dict, str) and "len" not in variables and "len" not in outer:
        return len(value)
    raise TypeError(name)
