"""What the project promises, measured: `python -m benchmarks` lists the promises, one module for each.

Here belongs what takes long or needs a quiet machine, and its figures; tests do not time anything.
"""
