"""What `explorer.record()` returns: a recording that answers questions and shows its picture.

The recorder itself is in `runtime`, which imports neither `analysis` nor `drawing`.
"""

import inspect
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from typing import Any

from explorer.analysis.errors import Explanation, explain
from explorer.analysis.errors.wire import MOST, failures
from explorer.analysis.faults import Finding, diagnose
from explorer.api.answers import Answers
from explorer.api.arguments import short
from explorer.runtime.record import Recording, Scope
from explorer.text import say
from explorer.trace import Trace, encode, read


class Recorded(Answers, Recording):
    """A recording. After its `with` has ended it behaves like its Trace; before a function it records each call."""

    _recorded = True

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, recorded at every call; its attribute `trace` is the recording of the last one."""
        code = getattr(inspect.unwrap(function), "__code__", None)
        if code is None or code.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
            raise TypeError(say("en", "api-function", given=short(function)))
        scope = Scope(code, inspect.unwrap(function).__globals__)  # type: ignore[attr-defined]

        @wraps(function)
        def recorded(*args: Any, **kwargs: Any) -> Any:
            recording = Recorded(self._options.detail, self._max_bytes, self._options.full)
            recorded.trace = recording  # type: ignore[attr-defined]
            recording.begin(scope)
            try:
                return function(*args, **kwargs)
            finally:
                recording.__exit__(*sys.exc_info())

        return recorded

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

    def _explanations(self) -> Mapping[tuple[int, int], Explanation]:
        trace = self._finished()
        told = {(cell, place): explain(trace, cell, stopped) for cell, place, stopped in failures(trace)[:MOST]}
        return {at: explanation for at, explanation in told.items() if explanation is not None}

    def __dir__(self) -> Iterable[str]:
        own = set(super().__dir__())
        return sorted(own if self.trace is None else own | set(dir(self.trace)))


def _loaded(encoded: bytes) -> Recorded:
    """Restore a recording from a pickle."""
    made = Recorded()
    made.trace = read(encoded)
    return made
