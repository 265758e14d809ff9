"""What something takes of the processor, where a test holds a bound that a square of the size would break."""

import gc
import time
from collections.abc import Callable


def cpu_seconds(act: Callable[..., object], *arguments: object) -> float:
    """Of the processor, so that others on it do not count, and without collections of what other tests left."""
    gc.disable()
    begin = time.process_time()
    try:
        act(*arguments)
        return time.process_time() - begin
    finally:
        gc.enable()
