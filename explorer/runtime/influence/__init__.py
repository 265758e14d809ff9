"""Runs that measure what changes nothing."""
