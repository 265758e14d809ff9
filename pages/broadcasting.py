"""The Broadcasting page: shapes lined up, entries that are read again, and the way their gradients come back."""

from explorer.ui.shell import guard, header

guard()

from explorer.ui.broadcasting import page  # noqa: E402

page(header())
