"""The Lessons page: the map of the course, and a lesson: its text and questions beside its live program.

Belongs here: a learner's answers, what the browser remembers, and the picture beside each question. Does not belong
here: lessons and judging answers (explorer.lessons), HTML (lessons.drawing).
"""
