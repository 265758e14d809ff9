"""The Data page: from a file to the gradient of a weight."""

from explorer.ui.frame.shell import body, guard

guard()

from explorer.ui.pages.data.page import page  # noqa: E402

body(page)
