"""What ran: the objects of a Trace, their names, the program's text, and facts on torch's operations.

Does not belong here: why something is so (explain), whether it is wrong (diagnose), what a page lists (views).
"""
