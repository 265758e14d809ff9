"""Lessons: texts and questions about a program, read from data and judged by what the learner's program really did.

Belongs here: the records of a lesson and of the course, reading and checking their files, what a fact of a Trace is,
whether an answer is right, and what a program did where a check does not hold. Nothing of a lesson is ever executed
but its programs, and those in a child as every other (`runs.py`). `drawing` makes HTML and the map of the course. Does
not belong here: what the page remembers (ui). docs/lessons.md describes the format.
"""
