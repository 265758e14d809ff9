"""The frame of every page (navigation, head, style, language), and the server's own answers.

Belongs here: what exists before a page, and the look of all pages. Does not belong here: the content of pages (pages),
the list of pages and their addresses (session/addresses).
"""
