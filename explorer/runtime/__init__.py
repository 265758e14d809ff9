"""What happens where the program runs: compile a cell, execute it, record what torch does, and leave a Trace.

This is the only room that imports torch. It belongs to the confined child, and to `explorer.record()` in one's own
process. In here: compiling, executing, recording operations, nodes, tensors and backward calls, the limits a run can
announce itself, and putting the Trace together. Not in here: processes and confinement (sandbox), and whatever a
Trace *says* (autograd, tensors, ...): a recorder never interprets.
"""
