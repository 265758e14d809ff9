"""Keep the end of an output that is too long: a window over its last parts, and a count of the rest."""

from collections import deque

from explorer.runtime.recorder.assemble import readable
from explorer.trace import Output, Printed, StreamName

MOST_ENTRIES = 2_000  # of one tail
PART = 250_000  # characters of one output of text
_MERGED, _LONG = 1_000, 4_000  # characters up to which consecutive writes are joined, and the maximum after joining


class Tail:
    """Keeps the last characters shown, and every output that has no weight (figures, errors, refusals).

    Attributes:
        most, size: characters that it may keep, and that it keeps now.
        left_out: characters that were dropped.
        between: outputs without weight among the dropped ones.
    """

    def __init__(self, most: int) -> None:
        self.most, self.size, self.left_out = most, 0, 0
        self.between: list[Output] = []
        self._entries: deque[tuple[StreamName | Output, str, int]] = deque()  # stream or output, text, weight

    def write(self, stream: StreamName, text: str) -> None:
        """Add text that the program wrote."""
        if len(text) > self.most:
            self.left_out += len(text) - self.most
            text = text[len(text) - self.most :]
        for start in range(0, len(text), _LONG):
            self._write(stream, text[start : start + _LONG])

    def _write(self, stream: StreamName, text: str) -> None:
        last = self._entries[-1] if self._entries else None
        if last is not None and last[0] == stream and last[2] + len(text) <= _MERGED:
            text = last[1] + text
            self._entries.pop()
            self.size -= last[2]
        self._append((stream, text, len(text)))

    def add(self, output: Output, weight: int) -> None:
        """Add an output with this weight in characters."""
        if isinstance(output, Printed) and output.joins:
            self.write(output.stream, output.text)
        else:
            self._append((output, "", weight))

    def outputs(self) -> list[Output]:
        """The kept outputs, in order."""
        pieces: list[Output] = []
        stream: StreamName = "stdout"
        texts: list[str] = []
        for what, text, _ in [*self._entries, (None, "", 0)]:
            if texts and what != stream:
                pieces += [Printed(stream, part) for part in parts(readable("".join(texts)))]
                texts = []
            if what is None:
                continue
            if not isinstance(what, str):
                pieces.append(what)
            elif text:
                stream = what
                texts.append(text)
        return pieces

    def _append(self, entry: tuple[StreamName | Output, str, int]) -> None:
        self._entries.append(entry)
        self.size += entry[2]
        while self.size > self.most or len(self._entries) > MOST_ENTRIES:
            what, text, weight = self._entries.popleft()
            over = self.size - self.most
            self.size -= weight
            if text and 0 < over < weight:  # its end stays
                self._entries.appendleft((what, text[over:], weight - over))
                self.size += weight - over
                self.left_out += over
            elif isinstance(what, str) or weight:
                self.left_out += weight
            else:
                self.between.append(what)


def parts(text: str) -> list[str]:
    """Split a text into parts that fit into an output."""
    return [text[i : i + PART] for i in range(0, len(text), PART)]
