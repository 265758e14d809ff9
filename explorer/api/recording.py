"""What `explorer.record()` returns: a recording that answers questions and shows its picture.

The recorder itself is in `runtime`, which imports neither `analysis` nor `drawing`.
"""

import warnings
from collections.abc import Iterable, Sequence

from explorer.analysis.faults import Finding, diagnose
from explorer.api.answers import Answers
from explorer.runtime.record import Recording
from explorer.text import say
from explorer.trace import Trace, encode, read


class Recorded(Answers, Recording):
    """A recording. After its `with` has ended it behaves like its Trace."""

    def __exit__(self, kind, problem, traceback) -> None:
        super().__exit__(kind, problem, traceback)
        started = sum(limit.count for limit in self.limits if limit.kind == "threads")
        if started and (self.elsewhere or not len(self.operations)):
            empty = "no" if len(self.operations) else "yes"
            warnings.warn(say("en", "record-threads", count=started, empty=empty), RuntimeWarning, stacklevel=2)

    def __reduce__(self):
        return _loaded, (encode(self._finished()),)

    def _finished(self) -> Trace:
        return Recording._finished(self)

    def _findings(self) -> Sequence[Finding]:
        return diagnose(self._finished())  # the caller's own code: no child is needed to confine it

    def __dir__(self) -> Iterable[str]:
        own = set(super().__dir__())
        return sorted(own if self.trace is None else own | set(dir(self.trace)))


def _loaded(encoded: bytes) -> Recorded:
    """Restore a recording from a pickle."""
    made = Recorded()
    made.trace = read(encoded)
    return made
