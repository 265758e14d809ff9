"""Whether a model's gradients are sound: each parameter's, where NaN and infinity start, and one report.

Belongs here: pure functions from a Trace to plain records, and these as text, HTML and JSON. Does not belong here: the
conditions of diagnoses (faults), why one number is what it is (why), pictures (drawing), torch (runtime).
"""
