"""Soundness of a model's gradients: each parameter, origins of NaN and infinity, and a report.

Belongs here: pure functions from a Trace to plain records, and their form as text, HTML and JSON. Does not belong here:
the conditions of diagnoses (faults), derivations of single numbers (why), pictures (drawing), torch (runtime).
"""
