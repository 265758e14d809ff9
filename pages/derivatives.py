"""Derivatives: a curve with its tangent and its secants; planes, Jacobians and rounding on request."""

from explorer.ui.shell import body, guard

guard()

from explorer.ui.derivatives import page  # noqa: E402

body(page)
