"""The loops of a code object, as its backward jumps show them."""

import dis
import functools
import sys
from bisect import bisect_left
from collections.abc import Iterator, Sequence
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
        variables: those that a `for` assigns, in order; none of a `while`.
        sign: the first where nothing else within the loop assigns it: only another round gives it another object.
    """

    start: int
    end: int
    test: int
    variables: tuple[str, ...] = ()
    sign: str = ""

    @property
    def variable(self) -> str:
        """The first variable that a `for` assigns, "" if none."""
        return self.variables[0] if self.variables else ""


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
        variables: tuple[str, ...] = ()
        test = end  # until Python 3.13 the condition is tested again at the end
        at = bisect_left(offsets, start)  # a long loop begins with the high byte of its length
        if proper[at].opname == "FOR_ITER":
            variables = tuple(_targets(proper[at + 1 :]))
        elif sys.version_info >= (3, 14):
            test = next((i.offset for i in proper[at:] if i.opname.startswith("POP_JUMP_IF") and i.argval > end), end)
        within = proper[at : bisect_left(offsets, end)]
        stored = [i.argval for i in within if i.opname.startswith(_STORES)]
        assigned = [name for one in stored for name in (one if isinstance(one, tuple) else (one,))]
        sign = variables[0] if variables and assigned.count(variables[0]) == 1 else ""
        loops.append(Loop(start, end, test, variables, sign))
    return loops


def _targets(body: Sequence[dis.Instruction]) -> Iterator[str]:
    """The variables that a `for` assigns, `for i, (a, b) in …` three, by the instructions after it."""
    for instruction in body:
        if instruction.opname.startswith(_STORES):
            names = instruction.argval if isinstance(instruction.argval, tuple) else (instruction.argval,)
            yield from names[:1] if instruction.opname.endswith("LOAD_FAST") else names
        if not instruction.opname.startswith(("UNPACK_", *_STORES)) or instruction.opname.endswith("LOAD_FAST"):
            return


def loop_variables(code: CodeType) -> frozenset[str]:
    """The variables that the loops of a code object assign: each round binds them to something else."""
    return frozenset(name for loop in loops_of(code) for name in loop.variables)


def repeated(around: Sequence[Loop], before: int) -> int:
    """Which loop began another round when a frame went back from one instruction to another: its depth, -1 for none.

    Args:
        around: the loops around the later instruction, outermost first; before: the instruction that ran before it.
    """
    return max((depth for depth, loop in enumerate(around) if loop.start <= before <= loop.end), default=-1)
