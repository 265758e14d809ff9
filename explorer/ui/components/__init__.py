"""Building blocks of pages: components with a script, menus, tables.

Belongs here: parts that know neither the program nor the page. Does not belong here: session state (session),
what one page shows (pages).
"""
