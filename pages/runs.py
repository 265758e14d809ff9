"""The address of a page that is part of Training now."""

from explorer.ui.frame.shell import guard, lead_on

guard()
lead_on("runs")
