"""The Gallery page: known answers and the terms of the field as small examples, each opened where it is live.

Belongs here: which of them are listed. Does not belong here: what they are (explorer.lessons.gallery), opening one
(ui.session.gallery), HTML (lessons.drawing).
"""
