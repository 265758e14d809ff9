"""What every operation of torch passes on to its inputs, as a table of formulas, and a formula computed with numbers.

Here belong the table and its arithmetic: the inspector, the tensors and the broadcasting page all evaluate it. Not
here: what a Trace holds, how a formula is written for people (explorer.autograd), sentences.
"""
