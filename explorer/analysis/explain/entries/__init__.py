"""Pictures of single operations: the operand entries behind each result entry.

Belongs here: the map from entries to entries (`Reading`), the rule that combines the entries, and both written with
numbers. The recorded arguments give the axis or the index. NumPy repeats the operation on positions instead of numbers.
A map is used only if the rule reproduces torch's result from the operands' numbers. Does not belong here: squares,
colours and sizes (drawing), memory and views of whole tensors (analysis/views/tensors), running.
"""
