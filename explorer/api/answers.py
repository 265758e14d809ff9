"""The questions a user can ask a Trace in a script or notebook: gradients, non-finite values, why, a report."""

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, wraps
from traceback import walk_tb
from typing import Any, Concatenate, ParamSpec, TypeVar

from explorer.analysis.autograd.gradients import numbered_backward, selected_backward, tensor_gradient
from explorer.analysis.errors.failure_context import Explanation
from explorer.analysis.findings import Finding
from explorer.analysis.health.gradients import GradientTable, gradients, parameters
from explorer.analysis.health.module_table import ModuleTable, module_table
from explorer.analysis.health.origins import Origin, origins
from explorer.analysis.health.report import Report, report
from explorer.analysis.names import unknown
from explorer.analysis.tensors.backward_memory import BackwardMemory, backward_memory
from explorer.analysis.training import StepTable, step_table
from explorer.analysis.training.strips import Measure
from explorer.analysis.why import Why, answer
from explorer.analysis.why.second_run import asking_again
from explorer.api import arguments
from explorer.api.pictures import TrainingPicture, training_picture
from explorer.api.rows import CountedList, NodeTable, OperationTable, TensorTable, table
from explorer.api.whole_tensors import Gradient, NotKept, gradient_of, whole_tensor
from explorer.collector import paused_collector
from explorer.program import GivenFile
from explorer.text import SayableError, say
from explorer.trace import AT_END, GRAD_AT_END, Backward, Bound, Cell, Records, Trace, Value

MOST_NAMES = 2_000  # that completion offers
_READERS = ("explorer.analysis.", "explorer.drawing.", "explorer.trace.")  # an error there is nobody's argument
_OWN = {"begin", "check", "name_graph"}  # of the recorder
_FILES = "_files_of_the_run"  # key of an AnsweringTrace's dictionary


class Unanswered(SayableError):
    """Raised where a run cannot be read although it passed the check: the fault is ours."""


class NotWritten(SayableError):
    """Raised where a backward is not written out as code: why."""


Asked = ParamSpec("Asked")
Answer = TypeVar("Answer")


def _in_one_sentence(
    answer: "Callable[Concatenate[Answers, Asked], Answer]",
) -> "Callable[Concatenate[Answers, Asked], Answer]":
    """An answer that ends with one sentence and one line in the log, where it raises what nobody meant to raise."""

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
            from explorer.sandbox import hosting  # loaded by a failure alone

            where = hosting.log_undrawn(answer.__name__, problem)
            raise Unanswered("unshown", error=type(problem).__name__, place=where) from None

    return answered


class Answers:
    """The questions about a run that has ended. A subclass says which Trace they are about."""

    _recorded = False  # whether it is a recording of the caller's own code

    def _finished(self) -> Trace:
        raise NotImplementedError

    def _given_files(self) -> tuple[GivenFile, ...] | None:
        """The files that the program ran with, if it can be run again; otherwise None."""
        return None

    def _findings(self) -> Sequence[Finding] | None:
        """The diagnoses of the run; None: unknown."""
        # Imported only here: it runs changed programs, which a recording never does.
        from explorer.workers.diagnoses import diagnoses_in_time

        return diagnoses_in_time(self._finished())

    def _explanations(self) -> Mapping[tuple[int, int], Explanation]:
        """Why the run stopped, by cell and index among its outputs."""
        from explorer.workers.explanations import explanations_of  # as above

        return explanations_of(self._finished()).found

    @_in_one_sentence
    def report(self, backward: int | None = None, lang: str = "en", allow: Iterable[str] = ()) -> Report:
        """Everything worth knowing at once: losses, each parameter's gradient, NaN and its origin, what is wrong.

        `print(trace.report())` is text; in Jupyter it shows itself; `.to_json()` is plain data; `.sound` says whether
        there is no fault.

        Args:
            backward: whose gradients, from 1; None: for each parameter the last that reached it.
            lang: "en" or "zh".
            allow: kinds such as "wrong_mode" and names of parameters such as "embed.*" that are left out.

        Raises:
            IndexError: the code called no such backward.
        """
        allowed = arguments.texts(allow, "api-allow")
        lang = arguments.language(lang)
        return report(self._finished(), self._findings(), backward, lang, allowed, self._explanations())

    @_in_one_sentence
    def parameters(self, backward: int | None = None, lang: str = "en") -> GradientTable:
        """Every parameter, also frozen ones, and every other leaf that requires a gradient: a row each.

        Raises IndexError when the code called no such backward.
        """
        return parameters(self._finished(), backward, arguments.language(lang))

    @_in_one_sentence
    def summary(self, depth: int | None = None, lang: str = "en") -> ModuleTable:
        """The modules as a table: output shape, parameters, gradient norm, and update to weight in a training loop.

        `print(trace.summary())`; in Jupyter it shows itself; `.to_pandas()` is a DataFrame. Shared parameters count
        once. Times are not in it: recording makes calls slower, each by another factor.

        Args:
            depth: how many levels of modules, from 1; None: all.
            lang: "en" or "zh".
        """
        if depth is not None and arguments.whole_number("depth", depth) < 1:
            raise ValueError(say("en", "api-depth", given=depth))
        return module_table(self._finished(), depth, arguments.language(lang))

    @_in_one_sentence
    def gradients(self, backward: int | None = None, lang: str = "en") -> GradientTable:
        """Every named tensor that requires a gradient, results too: a row each, `.to_pandas()` for a DataFrame.

        Raises IndexError when the code called no such backward.
        """
        return gradients(self._finished(), backward, arguments.language(lang))

    @cached_property
    def operations(self) -> OperationTable:
        """The torch calls in the order they began: `trace.operations[3].inputs`, `.where(module="blocks.0")`."""
        return table(self._finished(), OperationTable, "operations")

    @cached_property
    def nodes(self) -> NodeTable:
        """The nodes of the autograd graph: `for node in trace.nodes`, `.where(name="*Relu*")`."""
        return table(self._finished(), NodeTable, "nodes")

    @cached_property
    def tensors(self) -> TensorTable:
        """The tensors the program touched."""
        return table(self._finished(), TensorTable, "tensors")

    @cached_property
    def cells(self) -> CountedList[Cell]:
        """The program's cells, in order; in a recording its files."""
        return CountedList(Records.cells.__get__(self._finished()))  # type: ignore[attr-defined]

    @cached_property
    def backwards(self) -> CountedList[Backward]:
        """The backward calls in order."""
        return CountedList(Records.backwards.__get__(self._finished()))  # type: ignore[attr-defined]

    @property
    def steps(self) -> StepTable:
        """Every step of the training loops: the loss, and the value, gradient and update of each parameter.

        `trace.steps.to_pandas()` is a DataFrame with a row for each step, `trace.steps.entries("w")` one with the
        entries of w.
        """
        return step_table(self._finished())

    @_in_one_sentence
    def training(self, place: int = 0, measure: Measure = "gradient", lang: str = "en") -> TrainingPicture:
        """The training as a picture: the loss over the steps, a strip for each parameter. It displays itself in
        Jupyter.

        `.save("training.html")` writes it as a page, `.save("training.csv")` its numbers.

        Args:
            place: which of several places that call backward more than once; 0 is the one that trains most.
            measure: what the strips show: gradient, value, update, ratio (update / value) or zeros.
            lang: "en" or "zh".

        Raises:
            NoTraining: no place calls backward more than once, or there is no such place (a LookupError).
            ValueError: there is no such measure.
        """
        place = arguments.whole_number("place", place)
        return training_picture(self._finished(), place, measure, arguments.language(lang))

    @_in_one_sentence
    def memory(self) -> BackwardMemory | None:
        """The most memory that was kept for backward at once: `peak` in bytes, and `line`; `text(lang)` says it.

        None if no backward frees anything that was kept, and of recordings with detail="light". Parameters and data do
        not count, nor do graphs that no backward frees.
        """
        return backward_memory(self._finished())

    @_in_one_sentence
    def nonfinite(self) -> tuple[Origin, ...]:
        """Where NaN and infinities start, in the order of time; () where everything is finite."""
        return origins(self._finished())

    def tensor(self, name: str) -> Any:
        """The tensor that `name` was bound to last, as it was at the end; of "w.grad" what `.grad` holds at the end.

        Returns a torch tensor with all entries; without torch a NumPy array; None for a `.grad` that is None.

        Raises:
            UnknownTensor: no tensor has that name (a KeyError); the message suggests similar names.
            NotKept: only a sample was recorded (a LookupError); the message says which `full=` keeps it.
        """
        trace = self._finished()
        owner = arguments.name(name).removesuffix(".grad")
        if owner != name and trace.bound(name) is None:
            tensor = self._bound(owner)
            return whole_tensor(trace, name, trace.tensors.grad[tensor], tensor, GRAD_AT_END)
        tensor = self._bound(name)
        return whole_tensor(trace, name, trace.versions.value[trace.versions_of(tensor)[-1]], tensor, AT_END)

    @_in_one_sentence
    def gradient(self, name: str, backward: int | None = None) -> Gradient | None:
        """What one backward brought to the last tensor called `name`, the last by default; None if it did not reach it.

        It has shape, dtype, norm, minimum, maximum, mean, nonfinite and sample. `.tensor` has all entries: of tensors
        with up to 64, and of those that `record(full=…)` named; otherwise it raises NotKept, a LookupError, with a
        sentence that says which `full=` keeps them.

        Args:
            backward: which backward's, from 1; None: the last that succeeded, or that ended the run.

        Raises:
            UnknownTensor: no tensor has that name (a KeyError); the message suggests similar names.
            IndexError: the code called no such backward.
            NotKept: it arrived, and its numbers were dropped to hold max_bytes.
        """
        trace, tensor = self._finished(), self._bound(name)
        shown = selected_backward(trace) if backward is None else numbered_backward(trace, backward)
        value, reason = tensor_gradient(trace, tensor, shown)
        if reason == "capped":
            raise NotKept(say("en", "api-no-value", name=f"{name}.grad"))
        return gradient_of(trace, f"{name}.grad", value, tensor, AT_END if shown is None else shown)

    @_in_one_sentence
    def grad(self, name: str) -> Gradient | None:
        """What lies in the `.grad` of the last tensor called `name` at the end of the run; None if it has none.

        It differs from `gradient` where several backward calls were added up, or something changed it afterwards: the
        all-reduce of DistributedDataParallel, clipping, `zero_grad`. It answers as `gradient` does.

        Raises UnknownTensor, a KeyError.
        """
        trace, tensor = self._finished(), self._bound(name)
        return gradient_of(trace, f"{name}.grad", trace.tensors.grad[tensor], tensor, GRAD_AT_END)

    def _bound(self, name: str) -> int:
        trace = self._finished()
        tensor = trace.bound(arguments.name(name))
        if tensor is None:
            raise unknown(name, list(trace.index.bound))
        return tensor

    @_in_one_sentence
    def why(self, name: str, lang: str = "en", backward: int | None = None) -> Why:
        """Explain a number: `trace.why("w.grad[0, 1]")`, `trace.why("loss")`. `str()` of the answer is the derivation.

        Args:
            lang: "en" or "zh".
            backward: whose gradient, from 1; None: `.grad` at the end.

        Raises:
            UnknownName: no tensor has that name, or no such entry (a LookupError).
            IndexError: the code called no such backward.
        """
        trace, lang, files = self._finished(), arguments.language(lang), self._given_files()
        name, backward = arguments.name(name), numbered_backward(trace, backward)
        if files is not None:
            from explorer.workers.why import complete_answer  # it runs programs, which a recording never does

            return complete_answer(trace, name, lang, backward, files)
        derivation = answer(trace, name, lang, backward)
        line = asking_again(trace, derivation, self._recorded, lang)
        return derivation if not line else dataclasses.replace(derivation, lines=(*derivation.lines, line))

    @_in_one_sentence
    def backward_code(self, backward: int | None = None, lang: str = "en") -> str:
        """What a backward computed, as Python in the program's own names: a line for each gradient passed on.

        The program is run with these lines in it, or of a recording these lines on what it kept, and they are returned
        only if they give every `.grad`: bit for bit, or else within 10⁻⁶ + 10⁻⁵ of each entry's size.

        Args:
            backward: which one, from 1; None: the last.
            lang: "en" or "zh", of the reason if there is one.

        Raises:
            NotWritten: the run was opened from a file, or the backward cannot be written out, or not be checked.
            IndexError: the code called no such backward.
        """
        trace, lang, files = self._finished(), arguments.language(lang), self._given_files()
        chosen = selected_backward(trace) if backward is None else numbered_backward(trace, backward)
        if self._recorded:
            from explorer.api.own_backward import checked_text  # it needs torch

            text, why, name = checked_text(trace, chosen)
            if why:
                raise NotWritten("backward-code-none", why=why, name=name)
            return text
        if files is None:
            raise NotWritten("backward-code-none", why="saved", name="")
        from explorer.workers.backward_check import checked_code  # it runs programs, which a recording never does

        found = checked_code(trace, chosen, lang, files=files)
        if found.code is None:
            raise NotWritten("backward-code-none", why=found.why, name="")
        return found.code.text

    @property
    def limits(self) -> Sequence[Bound]:
        """What the recording left out, and how much of it; empty for a run that was recorded whole."""
        return Records.limits.__get__(self._finished())  # type: ignore[attr-defined]

    @property
    def status(self) -> str:
        """How the run ended: "ok", "error", "limited" or "refused"."""
        return Trace.status.__get__(self._finished())  # type: ignore[attr-defined]

    def __dir__(self) -> Iterable[str]:
        """The questions; the columns of a Trace, which have names too, are for views."""
        return sorted({*object.__dir__(self)} - {name for name in dir(Trace) if name not in dir(Answers)} - _OWN)

    def __iter__(self) -> Iterator:
        return iter(self._finished())  # raises: a Trace is no sequence

    def __getitem__(self, name: str) -> Value:
        """The value of the tensor that `name` was bound to last.

        Raises:
            UnknownTensor: no tensor has that name (a KeyError).
            NotKept: nothing of its entries was recorded (a LookupError).
        """
        value = self._finished().latest(self._bound(name))
        if value is None:
            raise NotKept(say("en", "api-no-value", name=name))
        return value

    def _ipython_key_completions_(self) -> list[str]:
        """The names that `trace["` offers in IPython."""
        return list(self._finished().index.bound)[:MOST_NAMES]

    @_in_one_sentence
    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> Any:
        from explorer.drawing.picture import numbered_picture
        from explorer.sandbox import can_lay_out

        return numbered_picture(self._finished(), "en", None, True)._repr_mimebundle_() if can_lay_out() else None

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
    """The same Trace with the questions of `Answers`; `files` of a program that can be run again."""
    fields: dict[str, Any] = {name: getattr(trace, name) for name in trace.__struct_fields__}
    made = AnsweringTrace(**fields)
    if files is not None:
        made.__dict__[_FILES] = files
    return made
