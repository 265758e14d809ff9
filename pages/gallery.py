"""The Gallery page: small examples, each with what it shows."""

from explorer.ui.frame.shell import body, guard

guard()

from explorer.ui.pages.gallery.page import page  # noqa: E402

body(page)
