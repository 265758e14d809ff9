"""Lessons, drawn: the map of the course as SVG, texts, choices and lines of a question and examples as HTML.

Belongs here: rendering lessons and answers. Does not belong here: state (ui), judging answers (explorer.lessons).
"""
