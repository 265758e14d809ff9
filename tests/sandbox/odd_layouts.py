"""A replacement for the layout child that obeys commands in the graph's text."""

import os
import signal


def preload(parts: object = None) -> None:
    pass


def handle(request: bytes, tell: object = None) -> bytes:
    asked, held = request[1:].decode().partition("\0")[2], []
    while asked == "loop":
        pass
    if asked == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    while asked == "memory" and len(held) < 100:
        try:
            held.append(bytearray(b"x" * 10_000_000))
        except MemoryError:
            break
    return str(len(held)).encode()
