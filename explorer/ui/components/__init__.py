"""Building blocks of pages: components with a script, menus, typed values of a session.

Belongs here: parts that know neither the program nor the page. Does not belong here: session state (session), page
content (pages).
"""
