"""Run programs to measure what has no effect."""
