"""`compare` for two modules, and `compare_forms`: does another form get the same gradients?"""

import inspect
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Literal

from explorer.analysis.explain.autograd.entry_texts import index_text
from explorer.analysis.run.data_frames import pandas
from explorer.analysis.run.operations import operation_of
from explorer.analysis.views.comparison import Comparison, compare
from explorer.analysis.views.comparison.comparison import named_code
from explorer.api.arguments import short
from explorer.api.recording import Recorded
from explorer.runtime.module_forms.causes import Cause, causes
from explorer.runtime.module_forms.forms import COARSE, FORMS
from explorer.runtime.module_forms.gaps import FormGaps, GradientGap, bits
from explorer.runtime.module_forms.steps import FormBatch, FormSide, FormStep, Stage, batch_of, run, side_of
from explorer.runtime.record import Scope
from explorer.text import say
from explorer.text.numbers import json_number, number, visible
from explorer.trace import Trace
from explorer.trace.outputs import LineNumber

Verdict = Literal["equal", "rounding", "different", "unsteady", "raised"]
_FIRST = 0.01  # gradients with a larger relative difference are reported first
_NAME = "model"  # name of both modules in their recordings
_ERROR_CHARACTERS = 200  # characters of an error


@dataclass(frozen=True, repr=False)
class SameSteps:
    """Result of running the same steps with two modules. Has `str()`, `.to_json()` and a Jupyter display.

    Attributes:
        verdict: equal (bit for bit), rounding (as between two orders of the same sums), different, unsteady (one
            module does not repeat its own gradients) or raised (by the second module).
        gaps: the gradients that differ, step by step. For "rounding", those with different bits.
        compared: how many gradients were compared.
        causes: each alone would explain the difference. () if none was found.
        runs: both recordings of the first step with different gradients, compared, or None.
        unsteady: the module that does not repeat its own gradients.
        error: what the second module raised, "" for nothing.
        file: file of the first module's forward, "" for the caller's.
    """

    verdict: Verdict
    gaps: tuple[GradientGap, ...] = ()
    compared: int = 0
    causes: tuple[tuple[Cause, ...], ...] = ()
    runs: Comparison | None = None
    error: str = ""
    unsteady: Literal["", "A", "B"] = ""
    file: str = field(default="", repr=False)
    lang: str = field(default="en", repr=False)

    @property
    def same(self) -> bool:
        """Return whether every gradient agrees, up to rounding."""
        return self.verdict in ("equal", "rounding")

    @property
    def first(self) -> GradientGap | None:
        """First parameter gradient that differs, or None."""
        return self.gaps[0] if self.gaps else None

    def __repr__(self) -> str:
        return f"<SameSteps: {self.verdict}>"

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _repr_html_(self) -> str:
        return "".join(f"<p>{escape(line)}</p>" for line in self._lines())

    @property
    def reason(self) -> str:
        """Cause in a sentence, or "" if unknown."""
        each = [" ".join(_cause_text(cause, self.lang) for cause in several) for several in self.causes]
        return say(self.lang, "forms-or", causes=" / ".join(each)) if len(each) > 1 else "".join(each)

    @property
    def where(self) -> str:
        """First gradient that differs, with its line and both numbers."""
        if self.first is None:
            return ""
        first = self.runs.gradients[0] if self.runs is not None and self.runs.gradients else None
        if first is None or first.gap is None or first.gap.kind != "entries":
            return _gap_text(self.first, self.lang)
        apart: Any = first.gap  # both sides have entries
        name, step = visible(named_code(first)).removeprefix(f"{_NAME}."), self.first.step
        gap = GradientGap(name, step, apart.left, apart.right, apart.index, 0)
        place = LineNumber(first.line, self.file) if self.file and not hasattr(first.line, "file") else first.line
        line = say(self.lang, "report-at-line", line=place) if first.line else ""
        module = first.module.removeprefix(_NAME).removeprefix(".")
        line += say(self.lang, "report-in-module", module=visible(module)) if module else ""
        return _gap_text(gap, self.lang, line)

    def _lines(self) -> Iterator[str]:
        counts = {"count": self.compared, "differing": len({gap.name for gap in self.gaps})}
        yield say(self.lang, f"forms-{self.verdict}", **counts, error=visible(self.error), unsteady=self.unsteady)
        if self.verdict == "different":
            yield from filter(None, (self.where, self.reason or say(self.lang, "forms-unknown")))

    def to_json(self) -> dict[str, Any]:
        """Return plain data, with NaN and infinity as strings."""
        gaps = [
            {"name": gap.name, "step": gap.step, "left": json_number(gap.left), "right": json_number(gap.right)}
            | {"index": None if gap.index is None else list(gap.index), "relative": json_number(gap.relative)}
            for gap in self.gaps
        ]
        reasons = [
            [{"kind": one.kind, "name": one.name, "line": int(one.line)} for one in each] for each in self.causes
        ]
        details = {"where": self.where, "reason": self.reason} if self.verdict == "different" else {}
        plain = {"same": self.same, "verdict": self.verdict, "compared": self.compared, "gaps": gaps, "causes": reasons}
        return {**plain, "error": self.error, "text": str(self), **details}


@dataclass(frozen=True, repr=False)
class FormTable:
    """A module's forms with their comparisons, such as `table["export"]`.

    Attributes: rows: comparisons by form name.
    """

    rows: Mapping[str, SameSteps]
    lang: str = field(default="en", repr=False)

    def __getitem__(self, name: str) -> SameSteps:
        return self.rows[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"<FormTable: {', '.join(f'{name} {row.verdict}' for name, row in self.rows.items())}>"

    def _cells(self) -> list[tuple[str, str, str]]:
        return [
            (name, say(self.lang, f"forms-{row.verdict}.word"), row.error or " ".join(filter(None, _difference(row))))
            for name, row in self.rows.items()
        ]

    def __str__(self) -> str:
        cells = self._cells()
        wide = [max(len(row[at]) for row in cells) for at in (0, 1)]
        return "\n".join(f"{name:<{wide[0]}}  {word:<{wide[1]}}  {visible(why)}".rstrip() for name, word, why in cells)

    def _repr_html_(self) -> str:
        rows = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in self._cells())
        return f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"

    def to_pandas(self) -> Any:
        """Return a DataFrame with a row for each form. Raises ImportError without pandas."""
        columns = ["verdict", "same", "largest", "where", "reason", "error"]
        largest = [max((gap.relative for gap in row.gaps), default=0.0) for row in self.rows.values()]
        known = zip(self.rows.values(), largest, strict=True)
        cells = [(row.verdict, row.same, most, *_difference(row), row.error) for row, most in known]
        return pandas().DataFrame(cells, index=list(self.rows), columns=columns)

    def to_json(self) -> dict[str, Any]:
        """Return every comparison as plain data."""
        return {name: row.to_json() for name, row in self.rows.items()}


def _difference(row: SameSteps) -> tuple[str, str]:
    return (row.where, row.reason) if row.verdict == "different" else ("", "")


def _gap_text(gap: GradientGap, lang: str, place: str = "") -> str:
    left, right = ("None" if one is None else number(one, signed=True) for one in (gap.left, gap.right))
    index = "" if gap.index is None else index_text(gap.index)
    kind = "norm" if gap.index is None else "entry" if index else "number"
    values = {"name": visible(gap.name), "place": place, "index": index, "left": left, "right": right}
    return say(lang, "forms-first", kind=kind, step=gap.step, **values)


_ALIKE = {
    **dict.fromkeys(("tensor-hook", "parameter-hook", "backward-hook", "forward-hook"), "hook"),
    **dict.fromkeys(("no-grad", "autocast"), "mode"),
    **dict.fromkeys(("eval", "train"), "training"),
}  # causes that one message describes


def _cause_text(cause: Cause, lang: str) -> str:
    line = LineNumber(cause.line, cause.file) if cause.file else cause.line
    values: dict[str, str | int] = {"name": visible(cause.name), "line": line, "placed": "yes" if line else "no"}
    kind = cause.kind.replace("no-grad", "no_grad")
    return say(lang, f"forms-cause.{_ALIKE.get(cause.kind, cause.kind)}", kind=kind, **values)


def compare_modules(
    model: Any,
    other: Any,
    inputs: tuple[Any, ...],
    loss: Callable | None,
    bounds: tuple[float | None, float | None],
    lang: str,
    frame: FrameType,
) -> SameSteps:
    """Compare two modules' gradients for the same batch and the same initial state.

    Args:
        bounds: rtol and atol.
        frame: the caller's, whose file is shown if the module's class is torch's own.

    Raises TypeError unless given a module or a function that makes one, ValueError if the first module gets no
    gradient.
    """
    first, batch = side_of(_module(model)), batch_of(inputs, loss)
    other = other() if _makes_one(other) else other
    other = other.module() if hasattr(other, "graph_module") and hasattr(other, "module") else other  # torch.export
    if not callable(other):
        raise TypeError(say("en", "api-forms-other", given=short(other)))
    second = side_of(other, first)
    with _staged(first, second.modules, batch) as stage:
        return _compared(stage, second, FormGaps(stage, second, _first_steps(stage), bounds), lang, frame)


def compare_forms(model: Any, inputs: tuple[Any, ...], loss: Callable | None, lang: str, frame: FrameType) -> FormTable:
    """Compare a module with each of its forms."""
    first, batch, rows = side_of(_module(model)), batch_of(inputs, loss), {}
    with _staged(first, (), batch) as stage:
        left = _first_steps(stage)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # tracers warn about facts that the rows already state
        for name, form in FORMS.items():
            with _staged(first, (), batch):
                try:
                    second = side_of(form(first.module, batch), first)
                except Exception as problem:
                    rows[name] = _raised(problem, lang)
                    continue
            with _staged(first, second.modules, batch) as stage:
                gaps = FormGaps(stage, second, left, coarse=COARSE.get(name))
                rows[name] = _compared(stage, second, gaps, lang, frame)
    return FormTable(rows, lang)


@contextmanager
def _staged(first: FormSide, others: Iterable[Any], batch: FormBatch) -> Iterator[Stage]:
    """Set the stage for the steps, and restore all modules afterwards."""
    stage = Stage(first, others, batch)
    try:
        yield stage
    finally:
        stage.before.put_back()


def _first_steps(stage: Stage) -> list[FormStep]:
    """Run the first module's steps. Raises ValueError if it gets no gradient."""
    made = stage.steps(stage.first)
    if all(gradient is None for gradient in made[0].gradients.values()):
        raise ValueError(say("en", "api-forms-none"))
    return made


def _module(given: Any) -> Any:
    made = given() if _makes_one(given) else given
    if not hasattr(made, "named_parameters"):
        raise TypeError(say("en", "api-forms-module", given=short(made)))
    return made


def _makes_one(given: Any) -> bool:
    """Return whether this is a module factory: a function without arguments."""
    if hasattr(given, "named_parameters") or not callable(given):
        return False
    try:
        return not inspect.signature(given).parameters
    except (TypeError, ValueError):
        return False


def _raised(problem: Exception, lang: str) -> SameSteps:
    words = next((line.strip() for line in str(problem).splitlines() if line.strip()), "")
    return SameSteps("raised", error=f"{type(problem).__name__}: {words[:_ERROR_CHARACTERS]}".rstrip(": "), lang=lang)


def _compared(stage: Stage, second: FormSide, gaps: FormGaps, lang: str, frame: FrameType) -> SameSteps:
    try:
        right = stage.steps(second)
    except Exception as problem:  # anything the other module raises
        return _raised(problem, lang)
    compared = sum(gradient is not None for gradient in gaps.left[0].gradients.values())
    apart = bits(gaps.left, right)
    if not apart:
        return SameSteps("equal", (), compared, lang=lang)
    if not gaps.repeats(stage.first, gaps.left):
        return SameSteps("unsteady", tuple(apart), compared, unsteady="A", lang=lang)
    if not (found := gaps.of(right)):
        return SameSteps("rounding", tuple(apart), compared, lang=lang)
    if not gaps.repeats(second, right):  # such as jit.trace, which draws other random numbers once optimized
        if found[0].step > 1:
            return SameSteps("unsteady", tuple(found), compared, unsteady="B", lang=lang)
        right = right[:1]
    own = (_forward(stage) or frame.f_code).co_filename
    file = "" if own == frame.f_code.co_filename else Path(own).name
    traces = _recorded(stage, stage.first, found[0].step, frame), _recorded(stage, second, found[0].step, frame)
    runs = None if None in traces else compare(*traces, _FIRST, 0.0, lang)  # type: ignore[arg-type]
    by_dtype = _of_dtype(runs, file)
    if by_dtype and not FormGaps(stage, second, gaps.left, coarse=by_dtype[0][0].name.rpartition(" ")[2]).of(right):
        return SameSteps("rounding", tuple(apart), compared, lang=lang)
    tried = causes(stage, second, gaps, right, frame.f_code.co_filename)
    reasons = tuple(tuple(_placed(one, traces[0], runs, file) for one in several) for several in tried)
    return SameSteps("different", tuple(found), compared, reasons or by_dtype, runs, file=file, lang=lang)


def _forward(stage: Stage) -> CodeType | None:
    """Return the code of the first module's forward, None for torch's own classes."""
    kind = type(stage.first.module)
    return None if kind.__module__.startswith("torch.") else getattr(inspect.unwrap(kind.forward), "__code__", None)


def _recorded(stage: Stage, side: FormSide, number: int, frame: FrameType) -> Trace | None:
    """Record one step of a side, None if not possible."""
    names = {_NAME: side.module, "__loader__": frame.f_globals.get("__loader__")}
    recording = Recorded(detail="light")
    stage.begin(side)
    try:
        for at in range(number):
            stage.draw(at)
            side.forget()
            if at == number - 1:
                recording.begin(Scope(_forward(stage) or frame.f_code, names))
            run(side, stage.batch)
    except Exception:
        return None
    finally:
        recording.__exit__(None, None, None)
    return recording._finished()


def _placed(cause: Cause, trace: Trace | None, runs: Comparison | None, file: str) -> Cause:
    """Add the recorded forward's line to a cause that lacks one."""
    line: int = LineNumber(cause.line, cause.file)
    if cause.kind == "constant" and runs is not None and runs.values:
        line = runs.values[0].line
    if cause.kind == "random" and trace is not None:
        columns = zip(trace.operations.name, trace.operations.span, strict=True)
        line = next((trace.line(at) for name, at in columns if operation_of(trace.strings[name]).draws), 0)
    return replace(cause, line=int(line), file=getattr(line, "file", file))


def _of_dtype(runs: Comparison | None, file: str) -> tuple[tuple[Cause, ...], ...]:
    """Find the first operation whose result has another dtype in the second run."""
    differing = runs.values if runs is not None else ()
    first = next((one for one in differing if one.gap is not None and one.gap.dtypes[0] != one.gap.dtypes[1]), None)
    if first is None or first is not differing[0] or first.gap is None:
        return ()
    return ((Cause("dtype", " → ".join(first.gap.dtypes), first.line, file),),)
