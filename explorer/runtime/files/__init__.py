"""A program's own files: its folder (`own_folder`), imports from it (`own_modules`), libraries that only download.

Does not belong here: which files of the machine a program may read or write (the sandbox decides), and what a library
does with a file.
"""
