"""The Operations page: what one operation did to each entry, of a program's lines or typed in."""

from explorer.ui.frame.shell import body, guard

guard()

from explorer.ui.pages.operations.page import page  # noqa: E402

body(page)
