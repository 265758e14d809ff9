"""What `explorer.record()` gives: a recording that answers questions and shows its picture.

The recorder itself stands in `runtime`, which knows neither `autograd` nor `drawing`.
"""

from collections.abc import Iterable, Sequence

from explorer.answers import Answers
from explorer.diagnose import Finding, diagnose
from explorer.runtime.record import Recording
from explorer.trace import Trace


class Recorded(Answers, Recording):
    """A recording; when its `with` has ended it stands for its Trace."""

    def _finished(self) -> Trace:
        return Recording._finished(self)

    def _findings(self) -> Sequence[Finding]:
        return diagnose(self._finished())  # its own code, in its own process: nobody has to be kept out

    def __dir__(self) -> Iterable[str]:
        own = set(super().__dir__())
        return sorted(own if self.trace is None else own | set(dir(self.trace)))
