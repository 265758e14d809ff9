"""Find what has an effect in a run, and what does not."""
