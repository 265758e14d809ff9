"""The Tensors page: a program's tensors, their entries, gradients and memory."""

from explorer.ui.frame.shell import body, guard

guard()

from explorer.ui.pages.tensors.page import page  # noqa: E402

body(page)
