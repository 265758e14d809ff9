"""The address of a page that is part of Training now."""

from explorer.ui.frame.shell import guard, redirect_moved_page

guard()
redirect_moved_page("runs")
