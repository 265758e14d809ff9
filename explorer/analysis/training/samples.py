"""Which samples of a batch a loss comes from."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from explorer.analysis.run import Run, run_of
from explorer.analysis.run_objects import Call
from explorer.text import say
from explorer.text.numbers import number
from explorer.trace import Trace

_MOST = 3  # samples named in a text
_REDUCTIONS = frozenset({"mean", "sum"})


@dataclass(frozen=True)
class SampleTerm:
    """The largest term of a loss from one sample.

    Attributes:
        row: its row in the batch, from 0.
        sample: its index in the data, None if it is not known.
        term: the term.
        share: share of the sum of all terms. None if the terms have both signs, or their sum is 0 or not finite.
    """

    row: int
    sample: int | None
    term: float
    share: float | None


def sample_terms(trace: Trace, batch: Sequence[int]) -> list[SampleTerm]:
    """Return the samples with the largest terms of the last reduced loss, NaN first.

    Args:
        batch: indices of the batch's samples, in its order. Used if the first axis of the loss has as many entries.
    """
    shape, total, terms = _terms(trace)
    if not shape or not shape[0]:
        return []
    size = math.prod(shape[1:])
    known = batch if len(batch) == shape[0] else []
    shares = bool(total) and math.isfinite(total) and all(term * total >= 0 for _, term in terms)
    found: dict[int, SampleTerm] = {}
    for place, term in terms:
        row = place // size
        found.setdefault(row, SampleTerm(row, known[row] if known else None, term, term / total if shares else None))
    return list(found.values())


def _terms(trace: Trace) -> tuple[Sequence[int], float, list[tuple[int, float]]]:
    """Return the shape, sum and largest terms (position, term) of the first loss that isn't finite, or of the last."""
    losses, run = trace.losses, run_of(trace)
    small = [call for call in run.rooted(_REDUCTIONS) if call.outputs and not call.outputs[0].shape and call.inputs]
    bad = next((call for call in small if _is_not_finite(run, call)), None)
    asked = max(losses.operation, default=-1)
    if small and (bad is not None or small[-1].time > asked):
        call = bad or small[-1]
        entries = run.entries(call.inputs[0].value(call.time))
        return _of_entries(entries) if entries is not None else ((), 0.0, [])
    if asked < 0:
        return (), 0.0, []
    row = losses.operation.index(asked)
    begin = sum(losses.listed[:row])
    listed = slice(begin, begin + losses.listed[row])
    terms = list(zip(losses.place[listed], losses.term[listed], strict=True))
    return trace.shapes[losses.shape[row]], losses.total[row], _ranked(terms)


def _is_not_finite(run: Run, call: Call) -> bool:
    entries = run.entries(call.inputs[0].value(call.time))
    return entries is not None and not np.isfinite(entries).all()


def _of_entries(entries: np.ndarray) -> tuple[Sequence[int], float, list[tuple[int, float]]]:
    flat = entries.astype(float).ravel()
    return entries.shape, float(flat.sum()), _ranked(enumerate(flat.tolist()))


def _ranked(terms: Iterable[tuple[int, float]]) -> list[tuple[int, float]]:
    return sorted(terms, key=lambda term: -math.inf if math.isnan(term[1]) else -abs(term[1]))


def sample_lines(trace: Trace, batch: Sequence[int], lang: str) -> list[str]:
    """Return a line for each of the samples that add most to the loss."""
    return [
        say(
            lang,
            "sample-term" if one.sample is None else "sample-term-known",
            row=one.row,
            sample=str(one.sample),
            term=number(one.term),
            shares=str(one.share is not None),
            share=f"{one.share or 0:.0%}",
        )
        for one in sample_terms(trace, batch)[:_MOST]
    ]
