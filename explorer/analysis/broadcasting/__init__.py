"""Broadcasting: how shapes align, which entries are read repeatedly, and how the gradients of the reads are summed.

Belongs here: alignment, repairs of shapes, the program that the Broadcasting page writes, and what its Trace (or that
of any other program) says about an operation that broadcast. Does not belong here: grids, boxes and sentences
(drawing), widgets (ui), torch (runtime).
"""

from explorer.analysis.broadcasting.alignment import (
    MAX_RANK,
    Alignment,
    Column,
    Mend,
    align,
    mends,
    readers,
    reads,
    sources,
)
from explorer.analysis.broadcasting.operation import (
    Broadcast,
    BroadcastLine,
    BroadcastOperand,
    broadcasts,
    of_operation,
    of_program,
    unfloating,
    untensored,
)
from explorer.analysis.broadcasting.question import (
    MAX_ENTRIES,
    MAX_OPERANDS,
    NAMES,
    OPERATORS,
    AskedOperand,
    BroadcastQuestion,
    broadcast_program,
    changed,
    operand,
)

__all__ = [
    "MAX_ENTRIES",
    "MAX_OPERANDS",
    "MAX_RANK",
    "NAMES",
    "OPERATORS",
    "Alignment",
    "AskedOperand",
    "Broadcast",
    "BroadcastLine",
    "BroadcastOperand",
    "BroadcastQuestion",
    "Column",
    "Mend",
    "align",
    "broadcast_program",
    "broadcasts",
    "changed",
    "mends",
    "of_operation",
    "of_program",
    "operand",
    "readers",
    "reads",
    "sources",
    "unfloating",
    "untensored",
]
