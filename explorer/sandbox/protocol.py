"""The messages between a server, its preloaded processes and their children."""

import os
import struct
from typing import NamedTuple

READY = b"ready"
CAUTIOUS = "EXPLORER_CAUTIOUS"  # environment variable of a parent whose predecessor died while preloading
BEGUN = b"begun"  # a spare process has received its order
ORDER = struct.Struct("!dddd????")  # see ChildLimits
STATUS = struct.Struct("!ci")  # parent's report on a child: BORN with its pid, then ENDED with its wait status
BORN, ENDED = b"b", b"e"
LONGEST_ORDER = ORDER.size + 2 * 4096  # with the longest paths
LENGTH = struct.Struct("!I")  # length of a request, before it
HEAD = struct.Struct("!cI")  # head of a child's message: one of the kinds below, and its length
OUTPUT, REPLY = b"o", b"r"  # kinds of messages: output, and the reply
# First byte of a request that is a question, not a program.
LAYOUT, EXPLANATION, DIAGNOSIS, CURVE, ENTRIES = b"l", b"e", b"d", b"c", b"m"

EXIT_FAILED = 70  # `handle` raised
EXIT_MEMORY = 71  # `handle` raised MemoryError
EXIT_UNCONFINED = 72  # less confinement than required: nothing was run

FURTHER_S = 1.0  # CPU seconds for all later requests of a child
PLACE_S = 0.5  # how many seconds before its end a child reports its line


class ChildLimits(NamedTuple):
    """The limits of a child.

    Attributes:
        seconds: CPU seconds until the kernel kills it.
        lasting: wall-clock seconds until it is killed.
        memory_mb: MB that its memory may grow.
        files_mb: MB for the program's own files, 0 for a child that runs none.
        write, network: whether it may change its folder, and use the network, if its parent kept that right.
        group: whether it enters a control group, whose descriptor is last.
        stays: whether it answers further requests, which are never programs: after a program only questions about
            that run.
        folder: path of a readable folder besides libraries, or "".
        named: path as typed, if different.
    """

    seconds: float
    lasting: float
    memory_mb: float
    files_mb: float = 0.0
    write: bool = False
    network: bool = False
    group: bool = False
    stays: bool = False
    folder: str = ""
    named: str = ""

    def packed(self) -> bytes:
        """Encode the order."""
        return ORDER.pack(*self[:-2]) + os.fsencode("\0".join(filter(None, self[-2:])))

    @classmethod
    def unpacked(cls, data: bytes) -> "ChildLimits":
        """Decode an order."""
        return cls(*ORDER.unpack(data[: ORDER.size]), *os.fsdecode(data[ORDER.size :]).split("\0"))


def read_exactly(descriptor: int, size: int) -> bytes:
    """Read exactly this many bytes. Raises EOFError if the other side closes earlier."""
    data = bytearray()
    while len(data) < size:
        chunk = os.read(descriptor, min(size - len(data), 1 << 18))
        if not chunk:
            raise EOFError
        data += chunk
    return bytes(data)


def write_all(descriptor: int, data: bytes) -> None:
    """Write all bytes, however many writes it takes."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def question(kind: bytes, asked: bytes = b"", recording: bytes = b"") -> bytes:
    """Encode a question about a run.

    Args:
        asked: question, in the form of its kind.
        recording: the Trace, b"" for the process that created it.
    """
    return kind + LENGTH.pack(len(asked)) + asked + recording


def parts(request: bytes) -> tuple[bytes, bytes, bytes]:
    """Split a question into kind, content and recording. Raises struct.error."""
    begin = 1 + LENGTH.size
    end = begin + LENGTH.unpack_from(request, 1)[0]
    return request[:1], request[begin:end], request[end:]


def close(*descriptors: int) -> None:
    """Close several descriptors or sockets."""
    for descriptor in descriptors:
        os.close(descriptor)
