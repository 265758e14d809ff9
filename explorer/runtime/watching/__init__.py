"""Every step of a running training: its statistics, the step of an event repeated, the samples of its batch."""
