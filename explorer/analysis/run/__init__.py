"""One run as objects, with their names, the program's text, and facts about torch's operations.

Does not belong here: why something is so (explain), whether it is wrong (diagnose), what a page lists (views).
"""
