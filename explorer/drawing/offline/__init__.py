"""Offline pages: a picture with its click texts, and its run in the player.

Belongs here: the contents of such a page, and its script. Does not belong here: the picture (graph), the
player.
"""
