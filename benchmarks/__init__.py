"""What the project costs, measured: `python -m benchmarks` for recording beside other tools, and a script per question.

Here belongs what takes long or needs a quiet machine, and its figures; tests do not time anything.
"""
