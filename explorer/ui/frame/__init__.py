"""The frame of every page: navigation, head, style, language; and the server's own answers.

Belongs here: what is there before a page is, and what all pages look like. Does not belong here: what a page shows
(pages), which pages there are and what their addresses hold (session/links).
"""
