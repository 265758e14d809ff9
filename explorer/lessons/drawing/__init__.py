"""Drawings of lessons: the course map, texts, questions and examples as HTML.

Belongs here: rendering lessons and answers. Does not belong here: state (ui), judging answers (explorer.lessons).
"""
