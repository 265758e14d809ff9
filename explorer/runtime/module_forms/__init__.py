"""One step of two modules, or forms: different gradients and their causes.

Belongs here: steps from the same state, the forms of a module, and trials without parts of it. Does not belong here:
differences of recorded runs (`analysis/views/comparison`), sentences.
"""
