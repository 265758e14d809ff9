"""The frame of every page: navigation, head, style, language; and the server's own answers.

Belongs here: what is there before a page is. Does not belong here: what a page shows.
"""
