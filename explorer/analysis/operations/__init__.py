"""What the product knows of each operation of torch: one record for each, a file for each family.

Belongs here: the record (`record`), the rows (`elementwise`, `reductions`, …), the entry maps of calls (`reading`,
`call`) and how they combine entries (`rules`), formulas (`formulas`). From a record follow value, derivative, FLOPs,
the picture by squares, and *Why?*. Does not belong here: sentences, squares, the contents of a whole Trace.
"""

from explorer.analysis.operations.record import Derivative, Operation, stem_of
from explorer.analysis.operations.table import (
    FORMS,
    OPERATIONS,
    PRODUCTS,
    derivatives_of_node,
    names_where,
    operation_of,
    operation_of_call,
    operation_of_node,
    overwrites,
)

__all__ = [
    "FORMS",
    "OPERATIONS",
    "PRODUCTS",
    "Derivative",
    "Operation",
    "derivatives_of_node",
    "names_where",
    "operation_of",
    "operation_of_call",
    "operation_of_node",
    "overwrites",
    "stem_of",
]
