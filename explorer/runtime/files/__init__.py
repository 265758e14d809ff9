"""Provide a program's folder, imports and libraries that download.

Does not belong here: which files of the machine a program may read or write (the sandbox decides), and what a library
does with a file.
"""
