"""The messages between a server, its preloaded processes and their children."""

import os
import struct
from typing import NamedTuple

READY = b"ready"
CAUTIOUS = "EXPLORER_CAUTIOUS"  # environment variable of a parent whose predecessor died while it preloaded
BEGUN = b"begun"  # a spare process has received its order
ORDER = struct.Struct("!dddd?????")  # see Order
STATUS = struct.Struct("!ci")  # what a parent reports of a child: BORN with its pid, then ENDED with its wait status
BORN, ENDED = b"b", b"e"
LONGEST_ORDER = ORDER.size + 2 * 4096  # with the longest paths
LENGTH = struct.Struct("!I")  # length of a request, before it
HEAD = struct.Struct("!cI")  # head of a child's message: one of the two kinds below, and its length
TOLD, REPLY = b"o", b"r"  # a message; the reply
# First byte of a request that is a question, and no program.
LAYOUT, EXPLANATION, DIAGNOSIS, CURVE = b"l", b"e", b"d", b"c"

EXIT_FAILED = 70  # handle raised
EXIT_MEMORY = 71  # `handle` raised MemoryError
EXIT_UNCONFINED = 72  # less confinement than required: nothing was run

FURTHER_S = 1.0  # seconds of the processor after which a child that answers further requests gets none
PLACE_S = 0.5  # how long before it is killed a child reports its line


class Order(NamedTuple):
    """The limits of a child.

    Attributes:
        seconds: of the processor until the kernel kills it.
        lasting: seconds until it is killed, whatever it does.
        memory_mb: MB by which its memory may grow.
        files_mb: MB that its own files may have, 0 for none.
        write, network: whether it may change its folder, and reach other machines, if its parent kept that right.
        group: whether it enters a control group, whose descriptor comes last.
        further: whether it answers further requests, each within these limits. None of them is a program.
        stays: whether it answers questions about the program that it has run.
        folder: the path of a folder that it may read beside the libraries, "" for none.
        named: the path that the user typed, if it differs.
    """

    seconds: float
    lasting: float
    memory_mb: float
    files_mb: float = 0.0
    write: bool = False
    network: bool = False
    group: bool = False
    further: bool = False
    stays: bool = False
    folder: str = ""
    named: str = ""

    def packed(self) -> bytes:
        """The order as bytes."""
        return ORDER.pack(*self[:-2]) + os.fsencode("\0".join(filter(None, self[-2:])))

    @classmethod
    def unpacked(cls, data: bytes) -> "Order":
        """The order that these bytes hold."""
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
    """A question about a run as bytes.

    Args:
        asked: what is asked, as its kind has it.
        recording: the Trace; b"" where the process that made it is asked.
    """
    return kind + LENGTH.pack(len(asked)) + asked + recording


def parts(request: bytes) -> tuple[bytes, bytes, bytes]:
    """Kind, what is asked, and recording of a question. Raises struct.error."""
    begin = 1 + LENGTH.size
    end = begin + LENGTH.unpack_from(request, 1)[0]
    return request[:1], request[begin:end], request[end:]


def close(*descriptors: int) -> None:
    """Close several descriptors or sockets."""
    for descriptor in descriptors:
        os.close(descriptor)
