"""The lens Histogram: how the entries of a tensor are spread."""

from explorer.ui.frame.shell import body, guard

guard()

from explorer.ui.pages.histogram.page import page  # noqa: E402

body(page)
