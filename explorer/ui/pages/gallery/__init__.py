"""The Gallery page: surprising facts and terms as examples.

Belongs here: the listing. Does not belong here: the examples (explorer.lessons.gallery), opening them
(ui.session.gallery), HTML (lessons.drawing).
"""
