"""Errors of autograd: leaves and saved tensors overwritten, graphs used twice, gradients that are not there.

Here belongs what needs the recorded graph, its backward calls and versions. Not here: shapes and dtypes of a forward
call (explorer.explain.tensors), custom modules and optimisers (explorer.explain.modules).
"""
