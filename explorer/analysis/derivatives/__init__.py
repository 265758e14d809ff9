"""The gradient that every operation of torch passes to its inputs, as a table of formulas, and their evaluation.

Belongs here: the table and its arithmetic, which the inspector, the tensors and the broadcasting page evaluate. Does
not belong here: the contents of a Trace, formulas in readable form (explorer.analysis.autograd), sentences.
"""
