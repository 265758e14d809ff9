"""Broadcasting: how shapes line up, what is read again and again, and how the gradients of those readings are summed.

Belongs here: alignment, repairs of shapes, the program that the Broadcasting page writes, and what its Trace (or that
of any other program) says about an operation that broadcast. Does not belong here: grids, boxes and sentences
(drawing), widgets (ui), torch (runtime).
"""

from explorer.broadcasting.aligning import MAX_RANK, Alignment, Column, align, reads, sources
from explorer.broadcasting.asking import (
    MAX_ENTRIES,
    MAX_OPERANDS,
    NAMES,
    AskedOperand,
    BroadcastQuestion,
    broadcast_program,
    changed,
    operand,
)
from explorer.broadcasting.mending import Mend, mends
from explorer.broadcasting.operators import OPERATORS, Operator
from explorer.broadcasting.reading import (
    Broadcast,
    BroadcastLine,
    BroadcastOperand,
    broadcasts,
    of_operation,
    of_program,
    unfloating,
    untensored,
)
from explorer.broadcasting.returning import ReturnTerm, contributions, terms, unbroadcast

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
    "Operator",
    "ReturnTerm",
    "align",
    "broadcast_program",
    "broadcasts",
    "changed",
    "contributions",
    "mends",
    "of_operation",
    "of_program",
    "operand",
    "reads",
    "sources",
    "terms",
    "unbroadcast",
    "unfloating",
    "untensored",
]
