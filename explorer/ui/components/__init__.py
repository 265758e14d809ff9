"""Building blocks of pages: components with a script, menus, typed values of a session.

Belongs here: parts that know neither the program nor the page. Does not belong here: what a session holds (session),
what one page shows (pages).
"""
