"""The Training page: the steps of a program's training loop."""

from explorer.ui.frame.shell import body, guard

guard()

from explorer.ui.pages.training.page import page  # noqa: E402

body(page)
