"""A program's own files: a tree in memory instead of the disk, and the functions of libraries that use it.

Belongs here: the tree (`tree`) and its open files (`open_files`), replacements for file functions of Python and of
libraries (`disk`), temporary files (`temporary`), imports from the tree (`own_modules`), and libraries that only
download (`downloads`). Does not belong here: which files of the machine a program may read (the sandbox decides).
"""
