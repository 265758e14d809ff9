"""The main page: a program on the left, its graph with value and gradient on the right."""

from explorer.ui.frame.shell import body, guard

guard()

from explorer.ui.pages.autograd.page import page  # noqa: E402

body(page)
