"""Derivatives: a curve with its tangent and its secants; planes, Jacobians and rounding on request."""

from explorer.ui.shell import guard, header

guard()

from explorer.ui.derivatives import page  # noqa: E402

page(header())
