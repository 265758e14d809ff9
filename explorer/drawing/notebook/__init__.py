"""Annotations between and beside the lines of a program: results at line ends, Markdown, formulas, pasted text.

Belongs here: HTML around a program's text. Does not belong here: a program's plots (plots), interpretation of a Trace
(autograd, tensors), the editor (ui).
"""
