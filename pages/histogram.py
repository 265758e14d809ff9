"""The address of a page that is a view of Values on Program now."""

from explorer.ui.frame.shell import guard, redirect_moved_page

guard()
redirect_moved_page("histogram")
