"""The loops of a code object, as its backward jumps show them."""

import dis
import functools
import sys
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from types import CodeType

_LOOP_ENDS = {name: code for name, code in dis.opmap.items() if name.startswith(("JUMP_BACKWARD", "POP_JUMP_BACKWARD"))}
_STORES = ("STORE_FAST", "STORE_NAME", "STORE_GLOBAL", "STORE_DEREF")


@dataclass(slots=True)
class Loop:
    """A loop of a code object.

    Attributes:
        start, end: offsets of its first and last instruction.
        test: offset of the jump that tests the condition of a `while`.
        variable: the one that a `for` assigns, "" if none.
        sign: the same where nothing else within the loop assigns it: only another round gives it another object.
    """

    start: int
    end: int
    test: int
    variable: str
    sign: str = ""


@functools.lru_cache(maxsize=64)
def loops_of(code: CodeType) -> list[Loop]:
    """The loops of a code object, outermost first, found by its backward jumps."""
    opcodes = code.co_code[::2]
    if not any(end in opcodes for end in _LOOP_ENDS.values()):
        return []
    instructions = list(dis.get_instructions(code))
    proper = [instruction for instruction in instructions if instruction.opcode != dis.EXTENDED_ARG]
    offsets = [instruction.offset for instruction in proper]
    ends: dict[int, int] = {}
    for instruction in proper:
        if instruction.opname in _LOOP_ENDS and isinstance(instruction.argval, int):
            start = instruction.argval
            ends[start] = max(ends.get(start, 0), instruction.offset)
    loops = []
    for start, end in sorted(ends.items(), key=lambda pair: (pair[0], -pair[1])):
        variable, test = "", end  # until Python 3.13 the condition is tested again at the end
        at = bisect_left(offsets, start)  # a long loop begins with the high byte of its length
        if proper[at].opname == "FOR_ITER":
            following = proper[at + 1 : at + 3]
            stores = [i.argval for i in following if i.opname.startswith("STORE_") and isinstance(i.argval, str)]
            variable = stores[0] if stores else ""
        elif sys.version_info >= (3, 14):
            test = next((i.offset for i in proper[at:] if i.opname.startswith("POP_JUMP_IF") and i.argval > end), end)
        within = proper[at : bisect_left(offsets, end)]
        stored = [i.argval for i in within if i.opname.startswith(_STORES)]
        assigned = [name for one in stored for name in (one if isinstance(one, tuple) else (one,))]
        loops.append(Loop(start, end, test, variable, variable if assigned.count(variable) == 1 else ""))
    return loops


def loop_variables(code: CodeType) -> frozenset[str]:
    """The variables that the loops of a code object assign: each round binds them to something else."""
    return frozenset(loop.variable for loop in loops_of(code) if loop.variable)


def repeated(around: Sequence[Loop], before: int) -> int:
    """Which loop began another round when a frame went back from one instruction to another: its depth, -1 for none.

    Args:
        around: the loops around the later instruction, outermost first; before: the instruction that ran before it.
    """
    return max((depth for depth, loop in enumerate(around) if loop.start <= before <= loop.end), default=-1)
