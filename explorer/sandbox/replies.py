"""Reading what a child writes, which nobody vouches for: messages while it goes on, then its reply, all bounded."""

from explorer.sandbox.wire import HEAD, REPLY, TOLD
from explorer.told import MOST_BYTES, MOST_PIECES


class ReplyReader:
    """Takes bytes as they come.

    Args:
        most: bytes of a reply that are read.

    Attributes:
        told: the messages before the reply.
        reply: the reply, once it is complete.
        too_much: whether more was announced than is read, or what is no message.
    """

    def __init__(self, most: int) -> None:
        self.told: list[bytes] = []
        self.reply: bytes | None = None
        self.too_much = False
        self._most, self._left = most, MOST_BYTES
        self._data = bytearray()

    def feed(self, chunk: bytes) -> bool:
        """Take what has come; whether there is nothing more to read."""
        data = self._data
        data += chunk
        start = 0
        while len(data) - start >= HEAD.size and self.reply is None:
            kind, size = HEAD.unpack_from(data, start)
            if kind not in (TOLD, REPLY) or size > (self._most if kind == REPLY else self._left):
                self.too_much = True
                break
            end = start + HEAD.size + size
            if len(data) < end:
                break
            message = bytes(data[start + HEAD.size : end])
            start = end
            if kind == REPLY:
                self.reply = message
            else:
                self._left -= size
                self.told.append(message)
                self.too_much = len(self.told) > MOST_PIECES
        del data[:start]
        return self.reply is not None or self.too_much
