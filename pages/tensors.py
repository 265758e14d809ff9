"""The address of a page that is the view Values of Program now."""

from explorer.ui.frame.shell import guard, redirect_moved_page

guard()
redirect_moved_page("tensors")
