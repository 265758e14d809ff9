"""Convert training steps to DataFrames and plain data."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from explorer.analysis.run.curves import Curves, LeafCurves, curves
from explorer.analysis.run.data_frames import pandas
from explorer.analysis.run.names import UnknownTensor
from explorer.trace import Records, Steps, Trace

_NORMS = ("value_norm", "gradient_norm", "update_norm", "ratio", "gradient_zeros")


class StepTable(Steps, frozen=True, dict=True):
    """Every step of the training loops, from `trace.steps`: `.to_pandas()`, `.entries("w")`, `.leaves`."""

    def __repr__(self) -> str:
        return f"<Steps: {len(self)} of {len(self.places)} places, {len(self.leaves)} leaves; .to_pandas() is a table>"

    def to_pandas(self) -> Any:
        """Return a DataFrame with a row for each kept step, in order.

        Columns: `line` of the backward, `number` of its call there from 0, the enclosing loops' variables (`epoch`),
        `loss`, `rate` (learning rate), `gradient_norm` of all leaves together, `used_norm` (as the optimizer used it,
        such as after clipping), and for every leaf `w.value_norm`, `w.gradient_norm`, `w.update_norm`, `w.ratio`
        (update to value) and `w.gradient_zeros` (a share).

        Raises ImportError if pandas is not installed.
        """
        frames = pandas()
        trace = self._of()
        every = [curves(trace, place) for place in range(len(self.places))]
        columns: dict[str, Any] = {"line": np.zeros(len(self), int), "number": np.asarray(self.number, int)}
        for here in every:
            if here is not None:
                columns["line"][here.rows] = trace.line(here.span)
                self._loops(here, columns)
        for here in every:
            if here is not None:
                self._numbers(here, columns)
        return frames.DataFrame(columns, index=frames.RangeIndex(len(self), name="step")).infer_objects()

    def entries(self, name: str) -> Any:
        """Return a DataFrame of a leaf's entries: `w[0, 1]`, `w.grad[0, 1]`, `update[0, 1]`.

        Above 64 entries, a sample without updates. Raises KeyError for an unknown name.
        """
        library = pandas()
        trace = self._of()
        places = (curves(trace, place) for place in range(len(self.places)))
        pairs = [(here, leaf) for here in places if here is not None for leaf in here.leaves]
        mine = [(here, leaf) for here, leaf in pairs if leaf.name in (name, trace.full_name(name))]
        if not mine:
            names = ", ".join(dict.fromkeys(leaf.name for _, leaf in pairs))
            raise UnknownTensor(f"no leaf is called {name}: {names}" if names else "there are no training steps")
        frames = [
            library.DataFrame(_entries(leaf), index=library.Index(here.rows[leaf.at], name="step"))
            for here, leaf in mine
        ]
        return library.concat(frames).sort_index()

    def _of(self) -> Trace:
        return self.__dict__["trace"]

    def _loops(self, here: Curves, columns: dict[str, Any]) -> None:
        for row, rounds in zip(here.rows, here.rounds, strict=True):
            for name, text in rounds:
                column = columns.setdefault(name, np.full(len(self), None, object))
                if isinstance(column, np.ndarray) and column.dtype == object:
                    column[row] = _value(text)

    def _numbers(self, here: Curves, columns: dict[str, Any]) -> None:
        def put(name: str, rows: np.ndarray, numbers: np.ndarray) -> None:
            column = columns.setdefault(name, np.full(len(self), math.nan))
            column[rows] = numbers

        for name in ("loss", "rate", "gradient_norm", "used_norm"):
            put(name, here.rows, getattr(here, name))
        for leaf in here.leaves:
            for name in _NORMS:
                put(f"{leaf.name or f'leaf {leaf.leaf}'}.{name}", here.rows[leaf.at], getattr(leaf, name))


def step_table(trace: Trace) -> StepTable:
    """Return the steps of a Trace as a StepTable."""

    def made() -> StepTable:
        steps = Records.steps.__get__(trace)  # type: ignore[attr-defined]  # also where `trace.steps` is this table
        table = StepTable(**{name: getattr(steps, name) for name in Steps.__struct_fields__})
        table.__dict__["trace"] = trace
        return table

    return trace.index.memoize(("step table",), made)


def steps_plain(trace: Trace, number: Callable[[float], Any], with_entries: bool = True) -> list[dict[str, Any]]:
    """Convert steps to plain data, an object for each place."""
    places = (curves(trace, place) for place in range(len(trace.steps.places)))
    return [_place(here, number, with_entries) for here in places if here]


def _place(here: Curves, number: Callable[[float], Any], with_entries: bool) -> dict[str, Any]:
    def or_none(array: np.ndarray) -> list[Any]:
        return [None if math.isnan(entry) else number(entry) for entry in array.tolist()]

    def entries(array: np.ndarray) -> list[list[Any]]:
        return [[number(entry) for entry in row] for row in array.tolist()] if with_entries else []

    def gradients(leaf: LeafCurves) -> list[list[Any] | None]:
        return [row if there else None for row, there in zip(entries(leaf.gradients), leaf.has_gradient, strict=False)]

    return {
        **{name: getattr(here, name) for name in ("span", "kind", "calls", "stride")},
        "number": here.number.tolist(),
        "backward": [None if row < 0 else row for row in here.backward.tolist()],
        "loops": [{name: _value(text) for name, text in rounds} for rounds in here.rounds],
        "loss": [number(entry) for entry in here.loss.tolist()],
        **{name: or_none(getattr(here, name)) for name in ("rate", "gradient_norm", "used_norm")},
        "leaves": [
            {
                "name": leaf.name or None,
                "tensor": None if leaf.tensor < 0 else leaf.tensor,
                "shape": list(leaf.shape),
                "optimizer": leaf.optimizer or None,
                "steps": leaf.at.tolist(),
                **{name: or_none(getattr(leaf, name)) for name in (*_NORMS, "before")},
                "entries": leaf.indices.tolist() if with_entries else [],
                "values": entries(leaf.values),
                "gradients": gradients(leaf),
                "updates": entries(leaf.updates),
            }
            for leaf in here.leaves
        ],
    }


def _entries(leaf: LeafCurves) -> dict[str, np.ndarray]:
    at = [", ".join(map(str, np.unravel_index(i, leaf.shape))) if leaf.shape else "" for i in leaf.indices]
    named = [f"[{index}]" if index else "" for index in at]
    kinds = [(leaf.name, leaf.values), (f"{leaf.name}.grad", leaf.gradients)]
    kinds += [("update", leaf.updates)] if leaf.whole else []
    return {f"{name}{index}": numbers[:, i] for name, numbers in kinds for i, index in enumerate(named)}


def _value(text: str) -> int | float | str:
    """Parse a loop variable's value from its text."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text
