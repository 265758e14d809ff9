"""Pages without a server: a picture with the texts of its clicks, and its run in the player.

Belongs here: the contents of such a page, and its script. Does not belong here: the picture (graph), the
player.
"""
