"""The process of a run: execute cells, record torch, and build a Trace.

This is the only room that imports torch. It runs in the confined child, and in the user's own process for
`explorer.record()`. Belongs here: compiling, executing, recording operations, nodes, tensors and backward calls, limits
that a run can detect itself, and assembling the Trace. Does not belong here: processes and confinement (sandbox), and
what a Trace *means* (analysis): a recorder never interprets.
"""
