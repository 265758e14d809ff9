"""Questions a user can ask a Trace: gradients, non-finite values, why, a report."""

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, wraps
from traceback import walk_tb
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar, overload

from explorer.analysis.diagnose.errors.failure_context import Explanation
from explorer.analysis.diagnose.faults.diagnosis import Search
from explorer.analysis.diagnose.health.gradient_table import GradientTable, gradients, parameters
from explorer.analysis.diagnose.health.module_table import ModuleCost, ModuleTable, module_table
from explorer.analysis.diagnose.health.report import Report, report
from explorer.analysis.diagnose.influence.influence_view import Dependents, Influence, dependents, influence
from explorer.analysis.explain.autograd.backward_code import MOST as MOST_LINES
from explorer.analysis.explain.autograd.gradients import numbered_backward, selected_backward
from explorer.analysis.explain.autograd.reasons import tensor_gradient
from explorer.analysis.explain.origins import Origin, origins
from explorer.analysis.explain.why import Why, answer
from explorer.analysis.explain.why.second_run import second_run_advice
from explorer.analysis.run.names import unknown
from explorer.analysis.views.tensors.backward_memory import BackwardMemory, backward_memory
from explorer.analysis.views.training import StepTable, step_table
from explorer.analysis.views.training.strips import Measure
from explorer.api import arguments
from explorer.api.rows import CountedList, NodeTable, OperationTable, TensorTable, table
from explorer.api.whole_tensors import Gradient, NotKept, gradient_of, whole_tensor
from explorer.collector import paused_collector
from explorer.program import GivenFile
from explorer.text import SayableError, say
from explorer.trace import AT_END, GRAD_AT_END, Backward, Bound, Cell, Records, Trace, Value

if TYPE_CHECKING:
    from explorer.api.pictures import TrainingPicture

MOST_NAMES = 2_000  # names that completion offers
_READERS = ("explorer.analysis.", "explorer.drawing.", "explorer.trace.")  # errors here are never caused by an argument
_OWN = {"begin", "check", "name_graph"}  # methods of the recorder
_FILES = "_files_of_the_run"  # key of an AnsweringTrace's dictionary


class Unanswered(SayableError):
    """Raised if a valid run cannot be read: our bug."""


class NotMeasured(SayableError, LookupError):
    """Raised if a run's modules cannot be called again. The message states the reason."""


class NotWritten(SayableError):
    """Raised if a backward cannot be written as code. The message states the reason."""


Asked = ParamSpec("Asked")
Answer = TypeVar("Answer")


def _in_one_sentence(
    answer: "Callable[Concatenate[Answers, Asked], Answer]",
) -> "Callable[Concatenate[Answers, Asked], Answer]":
    """Turn unexpected errors of a question into one sentence and a log line."""

    @wraps(answer)
    def answered(self: "Answers", *asked: Asked.args, **named: Asked.kwargs) -> Answer:
        try:
            with paused_collector():
                return answer(self, *asked, **named)
        except Exception as problem:
            frames = [frame.f_globals.get("__name__", "") for frame, _ in walk_tb(problem.__traceback__)]
            ours = [name for name in frames if name.startswith("explorer.")][-1]
            meant = isinstance(problem, ImportError) or type(problem).__module__.startswith("explorer.")
            if meant or not ours.startswith(_READERS):
                raise
            from explorer.sandbox import hosting  # needed only after a failure

            where = hosting.log_undrawn(answer.__name__, problem)
            raise Unanswered("unshown", error=type(problem).__name__, place=where) from None

    return answered


class Answers:
    """Questions about a finished run. A subclass supplies the Trace."""

    _recorded = False  # whether it is a recording of the caller's own code

    def _finished(self) -> Trace:
        raise NotImplementedError

    def _given_files(self) -> tuple[GivenFile, ...] | None:
        """Return the program's files, or None if it cannot be rerun."""
        return None

    def _search(self) -> Search | None:
        """Search the run for bugs. None if unknown."""
        # Imported only here: it runs changed programs, which a recording never does.
        from explorer.workers.diagnoses import patient_search

        return patient_search(self._finished())

    def _explanations(self) -> Mapping[tuple[int, int], Explanation]:
        """Return explanations of errors by (cell, output index)."""
        from explorer.workers.explanations import explanations_of  # explaining errors also runs changed programs

        return explanations_of(self._finished()).found

    @_in_one_sentence
    def report(self, backward: int | None = None, lang: str = "en", allow: Iterable[str] = ()) -> Report:
        """Report losses, gradients, origins of NaN, and faults.

        `print(trace.report())` prints text, Jupyter displays it, and `.to_json()` returns plain data. `.sound` is true
        without faults.

        Args:
            backward: number of the backward, from 1. None: for each parameter the last that reached it.
            lang: "en" or "zh".
            allow: kinds to leave out, such as "wrong_mode", and parameter names such as "embed.*".

        Raises:
            IndexError: no such backward was called.
        """
        allowed = arguments.texts(allow, "api-allow")
        lang = arguments.language(lang)
        done = self._search()
        findings, unfinished = (None, ()) if done is None else (done.findings, done.unfinished)
        whole = report(self._finished(), findings, backward, lang, allowed, self._explanations())
        return dataclasses.replace(whole, unfinished=unfinished)

    @_in_one_sentence
    def parameters(self, backward: int | None = None, lang: str = "en") -> GradientTable:
        """Tabulate parameters, frozen ones included, and other leaves that require grad.

        Raises IndexError if no such backward was called.
        """
        return parameters(self._finished(), backward, arguments.language(lang))

    @_in_one_sentence
    def summary(self, depth: int | None = None, lang: str = "en", *, cost: bool = False) -> ModuleTable:
        """Tabulate the modules: output shapes, parameters, gradient norms, update/weight ratios.

        `print(trace.summary())` prints it, Jupyter displays it, `.to_pandas()` returns a DataFrame. Shared parameters
        count once.

        Args:
            depth: levels of modules, at least 1. None: all.
            lang: "en" or "zh".
            cost: whether to measure time, floating-point operations and memory of each module, in four further calls
                of each outermost module with the arguments of its last call, and their backward. Nothing of it is
                recorded, and the modules and random generators are restored.

        Raises:
            NotMeasured: the module or its arguments are gone, the call fails, or the run was in another process (a
                LookupError).
        """
        if depth is not None and arguments.whole_number("depth", depth) < 1:
            raise ValueError(say("en", "api-value", name="depth", must="depth", given=depth))
        trace, lang = self._finished(), arguments.language(lang)
        return module_table(trace, depth, lang, self._costs() if cost else None)

    def _costs(self) -> dict[str, ModuleCost]:
        """Measure the modules by path."""
        raise NotMeasured("summary-cost-elsewhere")

    @_in_one_sentence
    def gradients(self, backward: int | None = None, lang: str = "en") -> GradientTable:
        """Tabulate every named tensor that requires grad, results included.

        Raises IndexError if no such backward was called.
        """
        return gradients(self._finished(), backward, arguments.language(lang))

    @cached_property
    def operations(self) -> OperationTable:
        """Torch calls in the order they began: `trace.operations[3].inputs`, `.where(module="blocks.0")`."""
        return table(self._finished(), OperationTable, "operations")

    @cached_property
    def nodes(self) -> NodeTable:
        """Nodes of the autograd graph: `for node in trace.nodes`, `.where(name="*Relu*")`."""
        return table(self._finished(), NodeTable, "nodes")

    @cached_property
    def tensors(self) -> TensorTable:
        """Tensors the program touched."""
        return table(self._finished(), TensorTable, "tensors")

    @cached_property
    def cells(self) -> CountedList[Cell]:
        """Program's cells in order, or the files of a recording."""
        return CountedList(Records.cells.__get__(self._finished()))  # type: ignore[attr-defined]

    @cached_property
    def backwards(self) -> CountedList[Backward]:
        """Backward calls in order."""
        return CountedList(Records.backwards.__get__(self._finished()))  # type: ignore[attr-defined]

    @property
    def steps(self) -> StepTable:
        """Steps of the training loops: losses, and values, gradients and updates of parameters.

        `trace.steps.to_pandas()` has a row for each step, `trace.steps.entries("w")` adds the entries of w.
        """
        return step_table(self._finished())

    @_in_one_sentence
    def training(self, place: int = 0, measure: Measure = "gradient", lang: str = "en") -> "TrainingPicture":
        """Return the training's loss curve and strips as a picture.

        Jupyter displays it, and `.save("training.html")` writes a page.

        Args:
            place: index among the places that call backward more than once, 0 for the one that trains most.
            measure: what the strips show: gradient, value, update, ratio (update / value) or zeros.
            lang: "en" or "zh".

        Raises:
            NoTraining: no place calls backward more than once, or the place does not exist (a LookupError).
            ValueError: unknown measure.
        """
        place = arguments.whole_number("place", place)
        from explorer.api.pictures import training_picture  # a report needs no drawing

        return training_picture(self._finished(), place, measure, arguments.language(lang))

    @_in_one_sentence
    def memory(self) -> BackwardMemory | None:
        """Return the peak memory kept for backward: `peak` in bytes, and `line`.

        None if no backward frees saved memory, and for recordings with detail="light". Parameters, data and graphs that
        no backward frees do not count.
        """
        return backward_memory(self._finished())

    @_in_one_sentence
    def nonfinite(self) -> tuple[Origin, ...]:
        """Return where NaN and infinity start, in time order."""
        return origins(self._finished())

    def tensor(self, name: str) -> Any:
        """Return the last tensor or gradient called `name`.

        The result is a torch tensor with all entries, or a NumPy array without torch. It is None for a `.grad` that is
        None.

        Raises:
            UnknownTensor: no tensor has that name (a KeyError). The message suggests similar names.
            NotKept: only a sample was recorded (a LookupError). The message names the `full=` that keeps it.
        """
        trace = self._finished()
        owner = trace.full_name(arguments.name(name).removesuffix(".grad"))
        name = f"{owner}.grad" if name.endswith(".grad") else owner
        if owner != name and trace.bound(name) is None:
            tensor = self._bound(owner)
            return whole_tensor(trace, name, trace.tensors.grad[tensor], tensor, GRAD_AT_END)
        tensor = self._bound(name)
        return whole_tensor(trace, name, trace.versions.value[trace.versions_of(tensor)[-1]], tensor, AT_END)

    @_in_one_sentence
    def gradient(self, name: str, backward: int | None = None, *, at_end: bool = False) -> Gradient | None:
        """Return a backward's gradient for `name`, None if not reached.

        A parameter is found by its name in the program, "net.0.weight", and by the one in `state_dict()`, "0.weight",
        if only one model has it. The result has shape, dtype, norm, minimum, maximum, mean, nonfinite and sample.
        `.tensor` has all entries for tensors with up to 64, and for those that `record(full=…)` named. Otherwise it
        raises NotKept, a LookupError that names the `full=` to use.

        Args:
            backward: number of the backward, from 1. None: the last that succeeded, or that ended the run.
            at_end: return the final `.grad` instead. It differs if several backward calls accumulated, or if something
                changed it afterwards, such as the all-reduce of DistributedDataParallel, clipping or `zero_grad`.

        Raises:
            UnknownTensor: no tensor has that name (a KeyError). The message suggests similar names.
            IndexError: no such backward was called.
            NotKept: its numbers were dropped to stay within max_bytes.
        """
        name = self._finished().full_name(arguments.name(name))
        trace, tensor = self._finished(), self._bound(name)
        if at_end:
            return gradient_of(trace, f"{name}.grad", trace.tensors.grad[tensor], tensor, GRAD_AT_END)
        shown = selected_backward(trace) if backward is None else numbered_backward(trace, backward)
        value, reason = tensor_gradient(trace, tensor, shown)
        if reason == "capped":
            raise NotKept(say("en", "api-no-value", name=f"{name}.grad"))
        return gradient_of(trace, f"{name}.grad", value, tensor, AT_END if shown is None else shown)

    def _bound(self, name: str) -> int:
        trace = self._finished()
        tensor = trace.bound(trace.full_name(arguments.name(name)))
        if tensor is None:
            raise unknown(name, list(trace.index.bound), owners=list(trace.index.in_models.get(name, {}).values()))
        return tensor

    @_in_one_sentence
    def why(self, name: str, lang: str = "en", backward: int | None = None) -> Why:
        """Explain a number: `trace.why("w.grad[0, 1]")`, `trace.why("loss")`.

        `str()` of the result is a short answer, `.lines` has every step.

        Args:
            lang: "en" or "zh".
            backward: number of the backward, from 1. None: `.grad` at the end.

        Raises:
            UnknownName: no such tensor or entry (a LookupError).
            IndexError: no such backward was called.
        """
        trace, lang, files = self._finished(), arguments.language(lang), self._given_files()
        name, backward = arguments.name(name), numbered_backward(trace, backward)
        if files is not None:
            from explorer.workers.why import complete_answer  # it runs programs, which a recording never does

            return complete_answer(trace, name, lang, backward, files)
        derivation = answer(trace, name, lang, backward)
        line = second_run_advice(trace, derivation, self._recorded, lang)
        return derivation.adding(line) if line else derivation

    @overload
    def influence(self, /, name: None = None) -> Influence: ...
    @overload
    def influence(self, /, name: str) -> Dependents: ...
    @_in_one_sentence
    def influence(self, name: str | None = None) -> Influence | Dependents:
        """Return what has an effect and what does not. With a name, return what depends on that tensor.

        A program in a file runs again to find functions that are never called and entries that change nothing. A
        recording only knows which results are used.

        Raises UnknownTensor if no tensor has that name (a KeyError).
        """
        trace, files = self._finished(), self._given_files()
        effects = None
        if files is not None:
            from explorer.workers.influence import measured_effects  # it runs programs, which a recording never does

            effects = measured_effects(trace, files)
        known = influence(trace, effects)
        return known if name is None else dependents(trace, self._bound(arguments.name(name)), name, known)

    @_in_one_sentence
    def backward_code(self, backward: int | None = None, lang: str = "en", max_lines: int = MOST_LINES) -> str:
        """Return a backward as Python code, one line for each gradient passed on.

        The code uses the program's own names. It is first run inside the program (for a recording: on the recorded
        values) and returned only if it reproduces every `.grad`, bit for bit or within 10⁻⁶ + 10⁻⁵ of each entry's
        size (for a recording also within 3·10⁻⁶ of the largest entry): its formulas round unlike torch's kernels.

        Args:
            backward: its number, from 1. None: the last.
            lang: "en" or "zh", for the error message.
            max_lines: limit of its lines. A longer one raises NotWritten.

        Raises:
            NotWritten: the run was loaded from a file, or the backward cannot be written or checked.
            IndexError: no such backward was called.
        """
        trace, lang, files = self._finished(), arguments.language(lang), self._given_files()
        if (most := arguments.whole_number("max_lines", max_lines)) < 1:
            raise ValueError(say("en", "api-value", name="max_lines", must="depth", given=max_lines))
        chosen = selected_backward(trace) if backward is None else numbered_backward(trace, backward)
        if self._recorded:
            from explorer.api.own_backward import checked_text  # it needs torch

            text, why, name = checked_text(trace, chosen, most)
            if why:
                raise NotWritten("backward-code-none", why=why, name=name, most=most)
            return text
        if files is None:
            raise NotWritten("backward-code-none", why="saved", name="", most=most)
        from explorer.workers.backward_check import checked_code  # it runs programs, which a recording never does

        found = checked_code(trace, chosen, lang, files=files, most=most)
        if found.code is None:
            raise NotWritten("backward-code-none", why=found.why, name="", most=most)
        return found.code.text

    @property
    def limits(self) -> Sequence[Bound]:
        """Parts that the recording left out, with counts. Empty for a complete recording."""
        return Records.limits.__get__(self._finished())  # type: ignore[attr-defined]

    @property
    def status(self) -> str:
        """How the run ended: "ok", "error", "limited" or "refused"."""
        return Trace.status.__get__(self._finished())  # type: ignore[attr-defined]

    def __dir__(self) -> Iterable[str]:
        """List the questions only. A Trace's columns are for views."""
        return sorted({*object.__dir__(self)} - {name for name in dir(Trace) if name not in dir(Answers)} - _OWN)

    def __iter__(self) -> Iterator:
        return iter(self._finished())  # raises: a Trace is not a sequence

    def __getitem__(self, name: str) -> Value:
        """Return the last value of the last tensor called `name`.

        Raises:
            UnknownTensor: no tensor has that name (a KeyError).
            NotKept: nothing of its entries was recorded (a LookupError).
        """
        value = self._finished().latest(self._bound(name))
        if value is None:
            raise NotKept(say("en", "api-no-value", name=name))
        return value

    def _ipython_key_completions_(self) -> list[str]:
        """Return the names that `trace["` completes to in IPython."""
        return list(self._finished().index.bound)[:MOST_NAMES]

    @_in_one_sentence
    def _repr_html_(self) -> str | None:
        from explorer.drawing.picture import numbered_picture  # needs another process for the layout
        from explorer.sandbox import can_lay_out

        if not can_lay_out():
            return None  # its `repr` is shown
        return numbered_picture(self._finished(), "en", None, True)._repr_html_()


class AnsweringTrace(Answers, Trace, frozen=True, weakref=True, dict=True):
    """A Trace with the questions of `Answers`."""

    def _finished(self) -> Trace:
        return self

    def _given_files(self) -> tuple[GivenFile, ...] | None:
        return self.__dict__.get(_FILES)


def answering(trace: Trace, files: tuple[GivenFile, ...] | None = None) -> AnsweringTrace:
    """Add the questions of `Answers` to a Trace. `files` belong to a rerunnable program."""
    fields: dict[str, Any] = {name: getattr(trace, name) for name in trace.__struct_fields__}
    made = AnsweringTrace(**fields)
    made.index.ask = trace.index.ask
    if files is not None:
        made.__dict__[_FILES] = files
    return made
