"""Annotations of a program's lines: results, Markdown, formulas, pasted text.

Belongs here: HTML around a program's text. Does not belong here: a program's plots (plots), interpretation of a Trace
(autograd, tensors), the editor (ui).
"""
