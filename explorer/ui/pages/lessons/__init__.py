"""The Lessons page: the course map, and lessons with text, questions and live program.

Belongs here: a learner's answers, the browser's stored progress, and the picture next to each question. Does not belong
here: lessons and judging answers (explorer.lessons), HTML (lessons.drawing).
"""
