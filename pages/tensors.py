"""The Tensors page: a program's tensors, their entries, gradients and memory."""

from explorer.ui.shell import body, guard

guard()

from explorer.ui.tensors_page import page  # noqa: E402

body(page)
