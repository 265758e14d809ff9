"""The page of a class: a list of links under a title, and the one link that opens it."""

from explorer.ui.frame.shell import body, guard

guard()

from explorer.ui.pages.classes.page import page  # noqa: E402

body(page)
