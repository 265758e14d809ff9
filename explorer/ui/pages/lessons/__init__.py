"""The Lessons page: a map of the course; a lesson with text, questions and live program.

Belongs here: a learner's answers, the browser's stored progress, and the picture next to each question. Does not belong
here: lessons and judging answers (explorer.lessons), HTML (lessons.drawing).
"""
