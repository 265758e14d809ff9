"""What a Trace answers in a person's own script or notebook: gradients, what is not finite, why, and one report."""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from explorer.autograd.gradients import numbered_backward, selected_backward, tensor_gradient
from explorer.diagnose import Finding
from explorer.diagnosed import diagnosed
from explorer.health import GradientTable, Origin, Report, gradients, origins, parameters, report
from explorer.health.naming import unknown
from explorer.picture import picture
from explorer.reasoning import Why, answer
from explorer.trace import Trace, Value
from explorer.training import StepTable, step_table
from explorer.training.strips import Measure
from explorer.training_picture import TrainingPicture, training_picture

MOST_NAMES = 2_000  # that completion offers


class Answers:
    """The questions of a run that has ended; whoever has them says which Trace they are asked of."""

    def _finished(self) -> Trace:
        raise NotImplementedError

    def _findings(self) -> Sequence[Finding] | None:
        """What is wrong although nothing failed; None: unknown."""
        return [one.found for one in diagnosed(self._finished())]

    def report(self, backward: int | None = None, lang: str = "en") -> Report:
        """All that is worth knowing at once: losses, each parameter's gradient, NaN and its origin, what is wrong.

        `print(trace.report())` is text; in Jupyter it shows itself; `.to_json()` is plain data; `.sound` says whether
        anything is amiss.

        Args:
            backward: whose gradients, from 1; None: of each parameter the last that brought it one.
            lang: "en" or "zh".

        Raises:
            IndexError: the code called no such backward.
        """
        return report(self._finished(), self._findings(), backward, lang)

    def parameters(self, backward: int | None = None, lang: str = "en") -> GradientTable:
        """Every parameter, frozen ones too, and every other leaf that asks for a gradient: a row each.

        Raises IndexError when the code called no such backward.
        """
        return parameters(self._finished(), backward, lang)

    def gradients(self, backward: int | None = None, lang: str = "en") -> GradientTable:
        """Every named tensor that asks for a gradient, results too: a row each, `.to_pandas()` for a DataFrame.

        Raises IndexError when the code called no such backward.
        """
        return gradients(self._finished(), backward, lang)

    @property
    def steps(self) -> StepTable:
        """Every step of the loops that train: loss, and of each parameter value, gradient and update.

        `trace.steps.to_pandas()` is a DataFrame with a row for each step, `trace.steps.entries("w")` one of entries.
        """
        return step_table(self._finished())

    def training(self, place: int = 0, measure: Measure = "gradient", lang: str = "en") -> TrainingPicture:
        """The training as a picture: loss over the steps, a strip for each parameter; in Jupyter it shows itself.

        `.save("training.html")` writes it as a page, `.save("training.csv")` its numbers.

        Args:
            place: which of several places that call backward more than eight times; 0 is the one that trains most.
            measure: what the strips show: gradient, value, update, ratio (update / value) or zeros.
            lang: "en" or "zh".

        Raises:
            NoTraining: no place calls backward so often, or there is no such place (a LookupError).
            ValueError: there is no such measure.
        """
        return training_picture(self._finished(), place, measure, lang)

    def nonfinite(self) -> tuple[Origin, ...]:
        """Where NaN and infinities start, in the order of time; () where everything is finite."""
        return origins(self._finished())

    def gradient(self, name: str, backward: int | None = None) -> Value | None:
        """The gradient of the tensor that `name` was bound to last, None where that backward did not reach it.

        Args:
            backward: which backward's, from 1; None: that of the last that succeeded.

        Raises:
            UnknownTensor: no tensor has that name (a KeyError); its text says which is near.
            IndexError: the code called no such backward.
        """
        trace = self._finished()
        tensor = trace.bound(name)
        if tensor is None:
            raise unknown(name, list(trace.index.bound))
        shown = selected_backward(trace) if backward is None else numbered_backward(trace, backward)
        return trace.value(tensor_gradient(trace, tensor, shown)[0])

    def why(self, name: str, lang: str = "en", backward: int | None = None) -> Why:
        """Why a number is what it is: `trace.why("w.grad[0, 1]")`, `trace.why("loss")`. Its `str()` is the derivation.

        Args:
            lang: "en" or "zh".
            backward: whose gradient, from 1; None: `.grad` as it stands at the end.

        Raises:
            UnknownName: no tensor has that name, or no such entry (a LookupError).
            IndexError: the code called no such backward.
        """
        trace = self._finished()
        return answer(trace, name, lang, numbered_backward(trace, backward))

    def __getitem__(self, name: str) -> Value | None:
        """The last value of the tensor that `name` was bound to last. Raises UnknownTensor, a KeyError."""
        trace = self._finished()
        tensor = trace.bound(name)
        if tensor is None:
            raise unknown(name, list(trace.index.bound))
        return trace.latest(tensor)

    def _ipython_key_completions_(self) -> list[str]:
        """The names that `trace["` offers in IPython."""
        return list(self._finished().index.bound)[:MOST_NAMES]

    def _repr_html_(self) -> str:
        return picture(self._finished())._repr_html_()


class AnsweringTrace(Answers, Trace, frozen=True, weakref=True, dict=True):
    """A Trace that can be asked."""

    def _finished(self) -> Trace:
        return self

    def __repr__(self) -> str:
        return counted(self)

    def __dir__(self) -> Iterable[str]:
        return sorted({*super().__dir__(), *msgspec.structs.asdict(self)})


def answering(trace: Trace) -> AnsweringTrace:
    """The same Trace, one that can be asked."""
    fields: dict[str, Any] = {name: getattr(trace, name) for name in trace.__struct_fields__}
    return AnsweringTrace(**fields)


def counted(trace: Trace) -> str:
    """A Trace in one line."""
    counts = f"{len(trace.operations)} operations, {len(trace.nodes)} nodes, {len(trace.backwards)} backward calls"
    return f"<Trace: {counts}>"
