"""The Compare page: two programs side by side, and where their values and gradients part."""

from explorer.ui.frame.shell import body, guard

guard()

from explorer.ui.pages.compare.page import page  # noqa: E402

body(page)
