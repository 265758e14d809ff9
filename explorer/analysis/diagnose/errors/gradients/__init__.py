"""Errors of autograd: overwritten leaves and saved tensors, reused graphs, missing gradients.

Belongs here: rules that need the recorded graph, its backward calls and versions. Does not belong here: shapes and
dtypes of a forward call (explorer.analysis.diagnose.errors.tensors), custom modules and optimisers
(explorer.analysis.diagnose.errors.modules).
"""
