"""Waits for expected events: generous on a slow machine, no longer than needed."""

import time
from collections.abc import Callable

PATIENT = 300.0  # seconds


def eventually(holds: Callable[[], object]) -> bool:
    """Wait, and return whether the condition becomes true."""
    end = time.monotonic() + PATIENT
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def leave_process_group() -> None:
    """End the process group once its threads are idle: torch joins them while it holds the GIL, so a thread that still
    needs the GIL would never end.
    """
    import torch.distributed  # most tests need neither

    time.sleep(0.2)
    torch.distributed.destroy_process_group()
