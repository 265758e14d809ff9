"""Pictures of single operations: which entries of the operands each entry of the result was made from, and how.

Belongs here: the map from entries to entries (`Reading`), the rule that combines what was read, and what both say in
numbers. The recorded arguments tell the axis or the index; numpy repeats the operation on positions in place of
numbers. A map stands only where the rule, applied to the operands' numbers, gives the numbers that torch gave. Does
not belong here: squares, colours and sizes (drawing), memory and views of whole tensors (explorer.tensors), running.
"""

from explorer.tensors.operations.listing import ListedCall, operations, telling
from explorer.tensors.operations.view import OperationView, Outcome, operation_view

__all__ = ["ListedCall", "OperationView", "Outcome", "operation_view", "operations", "telling"]
