"""Read a child's untrusted output: messages while it runs, then its reply, all bounded."""

from explorer.profiling import TOLD_BYTES
from explorer.sandbox.wire import HEAD, REPLY, STAGES, TOLD
from explorer.trace.streaming import MOST_BYTES, MOST_PIECES


class ReplyReader:
    """Collects bytes as they come.

    Args:
        most: largest reply in bytes.

    Attributes:
        messages: those sent before the reply.
        stages: how long its stages took (explorer.profiling), as it reported last.
        reply: the reply, once it is complete.
        too_much: whether it announced too much, or something that is not a message.
    """

    def __init__(self, most: int) -> None:
        self.messages: list[bytes] = []
        self.stages = b""
        self.reply: bytes | None = None
        self.too_much = False
        self._most, self._left = most, MOST_BYTES
        self._data = bytearray()

    def feed(self, chunk: bytes) -> bool:
        """Add bytes; return whether the reply is complete."""
        data = self._data
        data += chunk
        start = 0
        while len(data) - start >= HEAD.size and self.reply is None:
            kind, size = HEAD.unpack_from(data, start)
            most = {TOLD: self._left, STAGES: TOLD_BYTES, REPLY: self._most}
            if size > most.get(kind, -1):
                self.too_much = True
                break
            end = start + HEAD.size + size
            if len(data) < end:
                break
            message = bytes(data[start + HEAD.size : end])
            start = end
            if kind == REPLY:
                self.reply = message
            elif kind == STAGES:
                self.stages = message
            else:
                self._left -= size
                self.messages.append(message)
                self.too_much = len(self.messages) > MOST_PIECES
        del data[:start]
        return self.reply is not None or self.too_much
