"""Waiting for what must come: much longer than a slow and busy machine takes, and no longer than until it is there."""

import time
from collections.abc import Callable

PATIENT = 300.0  # seconds


def eventually(holds: Callable[[], object]) -> bool:
    """Whether something becomes true, waiting for it."""
    end = time.monotonic() + PATIENT
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True
