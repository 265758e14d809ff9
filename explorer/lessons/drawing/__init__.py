"""Lessons, drawn: the map of the course as SVG, texts, choices and lines of a question and examples as HTML.

Belongs here: what turns a lesson and what was answered into a picture. Does not belong here: what is remembered
(ui), whether an answer is right (explorer.lessons).
"""
