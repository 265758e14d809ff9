"""The Broadcasting page: shapes lined up, entries that are read again, and the way their gradients come back."""

from explorer.ui.frame.shell import body, guard

guard()

from explorer.ui.pages.broadcasting.page import page  # noqa: E402

body(page)
