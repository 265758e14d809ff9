"""The words between a server, its preloaded processes and their children."""

import os
import struct
from typing import NamedTuple

READY = b"ready"
BEGUN = b"begun"  # a spare process has its order
ORDER = struct.Struct("!ddd")  # see Order
STATUS = struct.Struct("!ci")  # why the child ended (one of the three below), and its wait status
DONE, TIME, CANCELLED = b"d", b"t", b"c"
LENGTH = struct.Struct("!I")  # stands before a request
HEAD = struct.Struct("!cI")  # stands before what a child writes: one of the three below, and its length
TOLD, STAGES, REPLY = b"o", b"s", b"r"  # what it says while it goes on, how long its stages took, and how it ends
LAYOUT, EXPLANATION, DIAGNOSIS = b"l", b"e", b"d"  # what a child without torch is asked for; first in its request

EXIT_FAILED = 70  # handle raised
EXIT_MEMORY = 71  # handle raised MemoryError
EXIT_UNCONFINED = 72  # less confinement than was asked for: nothing was run

PLACE_S = 0.5  # how long before it is killed a child says in which line it is


class Order(NamedTuple):
    """What a child may take.

    Attributes:
        seconds: of the processor until the kernel kills it.
        lasting: seconds until its parent kills it, whatever it does.
        memory_mb: MB by which its memory may grow.
    """

    seconds: float
    lasting: float
    memory_mb: float

    def packed(self) -> bytes:
        """The order as bytes."""
        return ORDER.pack(*self)

    @classmethod
    def unpacked(cls, data: bytes) -> "Order":
        """The order that these bytes hold."""
        return cls(*ORDER.unpack(data))


def read_exactly(descriptor: int, size: int) -> bytes:
    """Exactly so many bytes. Raises EOFError if the other side closes earlier."""
    data = bytearray()
    while len(data) < size:
        chunk = os.read(descriptor, min(size - len(data), 1 << 18))
        if not chunk:
            raise EOFError
        data += chunk
    return bytes(data)


def write_all(descriptor: int, data: bytes) -> None:
    """All bytes, however many writes it takes."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def close(*descriptors: int) -> None:
    """Closes each."""
    for descriptor in descriptors:
        os.close(descriptor)
