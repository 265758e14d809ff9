"""Report the soundness of a model's gradients.

Belongs here: pure functions from a Trace to plain records, and their form as text, HTML and JSON. Does not belong here:
the conditions of diagnoses (faults), derivations of single numbers (why), pictures (drawing), torch (runtime).
"""
