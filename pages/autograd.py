"""The main page: a program on the left, its graph with value and gradient on the right."""

from explorer.ui.shell import guard, header

guard()

from explorer.ui.autograd import page, take_in  # noqa: E402

now = take_in()
page(now, header())
