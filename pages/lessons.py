"""The Lessons page: the map of the course, and a lesson beside its live program."""

from explorer.ui.frame.shell import body, guard

guard()

from explorer.ui.pages.lessons.page import page  # noqa: E402

body(page)
