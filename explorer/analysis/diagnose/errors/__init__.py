"""Explanations of errors: cause, numbers and fix.

Belongs here: finding the cause of a Failure from its Trace (the id of a sentence and its values) and, if certain, the
corrected text of the cell. torch's own message stays in the Failure. Does not belong here: sentences
(explorer.text: `error-<kind>`, with `.cause` and `.repair`), HTML (drawing, ui), running the corrected program
(workers), reading and changing a program's text (analysis.run.source). Each subject has a folder (gradients, tensors,
modules) or a file. A rule is a function from a FailureContext to an Explanation. `rules` lists all in order.
"""
