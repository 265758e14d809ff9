"""What has an effect in a run, and what has none."""
