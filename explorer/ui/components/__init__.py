"""Building blocks of pages: components with a script, menus, tables.

Belongs here: what knows neither the program nor the page it stands on. Does not belong here: session state (session),
what one page shows (pages).
"""
