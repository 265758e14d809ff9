"""The address of a page that is a view of Values on Program now."""

from explorer.ui.frame.shell import guard, lead_on

guard()
lead_on("histogram")
