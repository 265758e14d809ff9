"""Benchmarks of the project's promises; `python -m benchmarks` lists the modules.

Belongs here: slow measurements and those that need a quiet machine, with their figures. Tests never measure time.
"""
