"""What stands between and beside the lines of a program: results at line ends, Markdown, formulas, pasted text.

Does not belong here: a program's plots (plots), what a Trace means (autograd, tensors).
"""
