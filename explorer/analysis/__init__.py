"""Analyse a Trace: pure functions that return plain records.

Does not belong here: running anything (sandbox, workers), pictures (drawing), sentences (text).
"""
