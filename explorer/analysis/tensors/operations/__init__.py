"""Pictures of single operations: the entries of the operands that each entry of the result was computed from, and how.

Belongs here: the map from entries to entries (`Reading`), the rule that combines the entries, and both written with
numbers. The recorded arguments give the axis or the index; numpy repeats the operation on positions instead of
numbers. A map is used only if the rule, applied to the operands' numbers, gives torch's result. Does
not belong here: squares, colours and sizes (drawing), memory and views of whole tensors (analysis/tensors), running.
"""
