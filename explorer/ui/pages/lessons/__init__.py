"""The Lessons page: the map of the course, and a lesson: its text and questions beside its live program.

Belongs here: what a learner answered so far, what is remembered in the browser, and which picture stands beside which
question. Does not belong here: what a lesson is and whether an answer is right (explorer.lessons),
HTML (drawing.lessons).
"""
