"""Analysis of a Trace: pure functions from a Trace to plain records, a folder for each subject.

Does not belong here: running anything (sandbox, workers), pictures (drawing), sentences (text).
"""
