"""The Runs page: trainings that `explorer.watch` records."""

from explorer.ui.frame.shell import body, guard

guard()

from explorer.ui.pages.runs.page import page  # noqa: E402

body(page)
