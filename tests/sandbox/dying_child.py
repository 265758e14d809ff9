"""A plain child whose parent dies while it preloads, unless it should be careful."""

import os
import signal

from plain_child import handle

from explorer.sandbox.protocol import CAUTIOUS

__all__ = ["handle", "preload"]


def preload(parts: object = None) -> None:
    if not os.environ.get(CAUTIOUS):
        os.kill(os.getpid(), signal.SIGKILL)
