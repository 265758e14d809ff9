"""Skip the middle of a long loop whose end is known: its operations are counted, not recorded.

Only loops that never end early are skipped, over a range or a list or while a number counts up to a bound: their last
rounds are known in advance.
"""

import gc
from collections.abc import Callable
from types import FrameType

import torch

from explorer.runtime.recorder.program_places import Activation, Loop, Places, release_variables
from explorer.runtime.recorder.source import Climbing, Counted

_PAUSE = 8  # operations between two reads of the loop's variable; reading it copies all variables of a function
_ITERATORS: tuple[type, ...] = (type(iter([])), type(iter(())), type(iter(range(0))))
_COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>")


class SkippedLoop:
    """A skipped stretch of a loop's rounds.

    Attributes:
        frame: where the loop runs.
        operations, backwards: how many ran in it.
        start: autograd's sequence number when it began.
    """

    def __init__(
        self, activation: Activation, depth: int, left: Callable[[], int | None], rest: int, start: int
    ) -> None:
        self.frame: FrameType = activation.frame
        self.operations = self.backwards = 0
        self.start = start
        self._activation, self._depth = activation, depth
        self._loop: Loop = activation.around[depth]
        self._left, self._rest = left, rest + 2 * _PAUSE
        self._before = self._last = left() or 0
        self._first: tuple[int, int] | None = None
        self._wait = 0
        self._ends = False

    def goes_on(self, frame: FrameType | None) -> bool:
        """Whether an operation called from `frame` is still inside the gap."""
        mine, loop = self.frame, self._loop
        while frame is not mine:
            if frame is None:  # an exception left the loop
                return False
            frame = frame.f_back
        if not loop.start <= mine.f_lasti <= loop.end:
            return False
        self._wait -= 1
        if self._wait > 0:
            return True
        self._wait = _PAUSE
        left = self._left()
        if left is None:
            return False
        if left == self._last:
            self._wait = 0 if self._ends else _PAUSE
            return True
        self._last = left
        if self._ends:
            return False
        if self._first is None:
            self._first = left, self.operations  # the first round was not seen completely
            return left > 0
        rounds, operations = self._first[0] - left, self.operations - self._first[1]
        if rounds <= 0 or left <= 0:
            return False
        if (left - 1) * operations <= self._rest * rounds:  # a gap ends at the start of a round
            self._ends, self._wait = True, 0
        return True

    def close(self) -> None:
        """Count the skipped rounds."""
        left = self._left() or 0
        rounds = self._before - left
        if left:
            self._activation.watched = self._loop, left
        counts = self._activation.counts
        if rounds > 0 and self._depth < len(counts):
            counts[self._depth] += rounds - 1  # the next operation begins another round
            self._activation.at = self._loop.end


def gap_here(places: Places, rest: int, start: int) -> SkippedLoop | None:
    """The gap that may begin in the outermost such loop around the operation just located."""
    for activation in places.stack:
        for depth, loop in enumerate(activation.around):
            counted = places.counted(activation.frame, loop)
            if isinstance(counted, Climbing):
                left = _rounds_to(counted, places, activation.frame)
            else:
                left = _left(counted, activation.frame)
            rounds = None if left is None else left()
            if not rounds:
                continue
            if activation.watched is not None and activation.watched[0] is loop and rounds <= activation.watched[1]:
                return None
            return SkippedLoop(activation, depth, left, rest, start)
    return None


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
