"""Lessons: texts and questions about a program, judged by the learner's actual run.

Belongs here: the records of a lesson and of the course, reading and checking their files, facts of a Trace, judging
answers, and describing failed checks. Only a lesson's programs are executed, in a child like all others (`runs.py`).
`drawing` makes HTML and the map of the course. Does not belong here: the page's state (ui). docs/lessons.md describes
the format.
"""
