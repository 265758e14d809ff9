"""The same step of two modules, and of a module in torch's other forms: which gradients differ, and what makes them.

Belongs here: steps from one state, the forms of a module, and trials of what one of them leaves out. Does not belong
here: where recorded runs differ (`analysis/comparison`), sentences.
"""
