"""Work for a process of an executor that never ends by itself."""

import time

held = []


def preload(parts: object = None) -> None: ...


def warm() -> None: ...


def handle(request: bytes, tell=None) -> bytes:
    while request != b"answer":
        time.sleep(0.01)
        if request == b"grow":
            held.append(b"." * 1_000_000)
    return request
