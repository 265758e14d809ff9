"""Result of `explorer.record()`: a recording that answers questions and shows its picture.

The recorder itself is in `runtime`, which imports neither `analysis` nor `drawing`.
"""

import dis
import inspect
import sys
import warnings
from collections.abc import Callable, Mapping
from functools import wraps
from types import FrameType
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, Protocol, TypeVar, cast

from explorer.analysis.diagnose.errors.failure_context import Explanation
from explorer.analysis.diagnose.errors.replies import MOST, explain
from explorer.analysis.diagnose.faults.diagnosis import Search, search
from explorer.analysis.diagnose.health.module_table import ModuleCost
from explorer.api.answers import Answers, NotMeasured
from explorer.api.arguments import is_recorded, short
from explorer.runtime.host_state import modules_of, put_back
from explorer.runtime.record import Recording, Scope, print_error
from explorer.text import say
from explorer.trace import Failure, Trace, encode, fitting_none, read

if TYPE_CHECKING:
    from explorer.drawing.picture import Picture

GRAD = ".grad"
ERROR_CHARACTERS = 300  # characters of an error in a warning
_NAMED = 3  # names that a warning offers
Given = ParamSpec("Given")
Result = TypeVar("Result", covariant=True)


class RecordedFunction(Protocol, Generic[Given, Result]):
    """A function recorded on every call. Attributes: trace: the last recording."""

    trace: "Recorded"

    def __call__(self, *args: Given.args, **kwargs: Given.kwargs) -> Result: ...

    def __get__(self, owner: object, kind: type | None = None) -> Callable[..., Result]: ...


class Recorded(Answers, Recording):
    """A recording that acts as its Trace after `with`."""

    _recorded = True

    def __call__(self, function: Callable[Given, Result]) -> RecordedFunction[Given, Result]:
        """Return the function, recorded on every call. `trace` holds the last recording."""
        code = getattr(inspect.unwrap(function), "__code__", None)
        if code is None or code.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
            raise TypeError(say("en", "api-function", given=getattr(function, "__name__", short(function))))
        scope = Scope(code, inspect.unwrap(function).__globals__)  # type: ignore[attr-defined]

        @wraps(function)
        def recorded(*args: Given.args, **kwargs: Given.kwargs) -> Result:
            recording = Recorded(self._options.detail, self._max_bytes, self._options.full)
            recorded.trace = recording  # type: ignore[attr-defined]
            recording.begin(scope)
            try:
                return function(*args, **kwargs)
            finally:
                recording.__exit__(*sys.exc_info())

        recorded.trace = self  # type: ignore[attr-defined]  # not begun: what it is asked for says so
        return cast("RecordedFunction[Given, Result]", recorded)

    def __enter__(self) -> "Recorded":
        return self.begin(sys._getframe(1))

    def _warn_about(self) -> None:
        if self._options.full and self._trace is not None:
            self._warn_unused()
        if not self._threads or self.trace is None:
            return
        counts = {limit.kind: limit.count for limit in self.limits}
        started = counts.get("threads", 0)
        if started and ("elsewhere" in counts or not len(self.operations)):
            empty = "no" if len(self.operations) else "yes"
            _warn(say("en", "record-threads", count=started, empty=empty))

    def _warn_unused(self) -> None:
        """Warn about names in `full=` that match nothing, probably misspelt."""
        trace = self._finished()
        if trace.end != "ok" or trace.limits:
            return
        names = [name for bound in trace.index.bound for name in (bound, f"{bound}{GRAD}")]
        asked = [name.partition(f"{GRAD}[")[0] for name in self._options.full]
        if idle := fitting_none(asked, names):
            known = list(trace.index.bound)[:_NAMED]
            _warn(say("en", "full-idle", patterns=", ".join(idle), names=", ".join(known) or "w"))

    def __reduce__(self):
        return _loaded, (encode(self._finished()),)

    def _finished(self) -> Trace:
        return Recording._finished(self)

    def _costs(self) -> dict[str, ModuleCost]:
        self._finished()
        from explorer.runtime.module_costs import CannotMeasure, module_costs  # torch's profiler is rarely needed

        try:
            return {path: ModuleCost(*numbers) for path, numbers in module_costs(self._last_calls).items()}
        except CannotMeasure as problem:
            raise NotMeasured(f"summary-cost-{problem.why}", module=problem.module, error=problem.error) from None

    def _search(self) -> Search:
        return search(self._finished())  # the caller's own code: no child is needed to confine it

    def _explanations(self) -> Mapping[tuple[int, int], Explanation]:
        trace = self._finished()
        stopped = trace.shown(Failure)[:MOST]
        explanations = {(cell, place): explain(trace, cell, failure) for cell, place, failure in stopped}
        return {at: explanation for at, explanation in explanations.items() if explanation is not None}


def _warn(text: str) -> None:
    try:
        warnings.warn(text, RuntimeWarning, stacklevel=4)
    except RuntimeWarning:  # the program turns warnings into errors, which must not end it here
        print_error(text)


def recorded_once(what: Any, inputs: tuple[Any, ...], keywords: dict[str, Any], frame: FrameType) -> Recorded:
    """Record one call `what(*inputs, **keywords)`, or the graph behind a tensor.

    If the call fails, a warning reports the error and the recording ends there. Random generators and the called
    modules' buffers, gradients and flags are restored.

    Args:
        frame: the caller's, which names the variables.

    Raises TypeError unless given a function, a model or a tensor with a history.
    """
    given = *inputs, *keywords.values()
    is_tensor = hasattr(what, "grad_fn")
    is_graph = is_tensor and what.grad_fn is not None and not given
    is_model = hasattr(what, "named_parameters")
    if keywords and (is_tensor or is_recorded(what)):
        raise TypeError(say("en", "api-draw-keyword", name=next(iter(keywords))))
    if not is_graph and (is_tensor or not callable(what) or (is_model and not given)):
        raise TypeError(say("en", "api-draw", given=short(what)))
    problem = None
    with put_back(() if is_graph else modules_of(what, given)):
        recording = Recorded().begin(frame)
        try:
            if is_graph:
                recording.name_graph(what)
            else:
                what(*inputs, **keywords)
        except Exception as raised:
            problem = raised
        finally:
            recording.__exit__(*((type(problem), problem, problem.__traceback__) if problem else sys.exc_info()))
    if problem is not None:
        words = str(problem).partition("\n")[0][:ERROR_CHARACTERS]
        warnings.warn(say("en", "draw-stopped", type=type(problem).__name__, text=words), RuntimeWarning, stacklevel=3)
    return recording


def is_dropped(frame: FrameType) -> bool:
    """Return whether the caller discards the result of its current call."""
    following = (step.opname for step in dis.get_instructions(frame.f_code) if step.offset > frame.f_lasti)
    return next(following, "") == "POP_TOP"


def show_dropped(picture: "Picture", lang: str) -> None:
    """Show a picture that the caller discarded, or warn that nothing can show it."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is not None and hasattr(shell, "kernel"):
        sys.modules["IPython"].display.display(picture)
    else:
        print(say(lang, "draw-unseen"), file=sys.stderr)


def _loaded(encoded: bytes) -> Recorded:
    """Restore a recording from a pickle."""
    made = Recorded()
    made._trace = read(encoded)
    return made
