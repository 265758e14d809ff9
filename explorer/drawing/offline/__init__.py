"""Pages that need no server: a picture with what it says on clicks, and its run to be played.

Belongs here: what such a page carries and leaves out, and its script. Does not belong here: the picture (graph), the
player.
"""
