"""The page /class: one link that opens a list of links and lessons under a title. It writes links and keeps nothing.

Belongs here: what a teacher writes and what a class sees. Does not belong here: what a link may be
(ui.session.class_list).
"""
