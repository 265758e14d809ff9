"""The Gallery page: known answers and the terms of the field as small examples, each opened where it is live.

Belongs here: the listing. Does not belong here: the examples (explorer.lessons.gallery), opening them
(ui.session.gallery), HTML (lessons.drawing).
"""
