"""Derivatives: a curve with its tangent and its secants; planes, Jacobians and rounding on request."""

from explorer.ui.frame.shell import body, guard

guard()

from explorer.ui.pages.derivatives.page import page  # noqa: E402

body(page)
